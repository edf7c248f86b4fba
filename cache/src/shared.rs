//! Stores that machines share, by URL: what OpenDAL offers, as far as this build has it.

use std::time::SystemTime;

use opendal::{ErrorKind, Operator};

use crate::store::{Store, StoreError, Stored};

/// A store behind a URL, as in `s3://bucket/folder?region=…` or `redis://host:6379`.
pub struct Shared {
    /// Without what may be secret in it.
    name: String,
    operator: Operator,
    runtime: tokio::runtime::Runtime,
}

impl Shared {
    /// Opens a store. Nothing is asked of it yet.
    ///
    /// # Errors
    /// When the URL is none of a store that this build has.
    pub fn new(url: &str) -> Result<Self, StoreError> {
        let name = url.split(['?', '#']).next().unwrap_or_default();
        let name = name.rsplit_once('@').map_or(name, |(_, host)| host).to_owned();
        let fail = |reason: String| StoreError { store: name.clone(), reason };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| fail(error.to_string()))?;
        let operator = Operator::from_uri(url)
            .map_err(|error| fail(error.to_string()))?
            .layer(opendal::layers::TimeoutLayer::default())
            .layer(opendal::layers::RetryLayer::default().with_max_times(2));
        Ok(Self { name, operator, runtime })
    }

    fn error(&self, error: &opendal::Error) -> StoreError {
        StoreError { store: self.name.clone(), reason: error.to_string() }
    }
}

impl Store for Shared {
    fn get(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        match self.runtime.block_on(self.operator.read(name)) {
            Ok(bytes) => Ok(Some(bytes.to_vec())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.error(&error)),
        }
    }

    fn put(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let put = self.runtime.block_on(self.operator.write(name, bytes.to_vec()));
        put.map(drop).map_err(|error| self.error(&error))
    }

    fn remove(&self, name: &str) -> Result<(), StoreError> {
        self.runtime.block_on(self.operator.delete(name)).map_err(|error| self.error(&error))
    }

    fn list(&self) -> Result<Vec<Stored>, StoreError> {
        self.runtime.block_on(async {
            let mut all = Vec::new();
            for entry in self.operator.list("").await.map_err(|error| self.error(&error))? {
                if entry.metadata().is_dir() {
                    continue;
                }
                let found = self.operator.stat(entry.path()).await.map_err(|error| self.error(&error))?;
                let used = found.last_modified().map_or(SystemTime::UNIX_EPOCH, SystemTime::from);
                all.push(Stored { name: entry.name().to_owned(), size: found.content_length(), used });
            }
            Ok(all)
        })
    }
}
