//! Stores that machines share, by URL: what OpenDAL offers, as far as this build has it.
//!
//! A store needs no server of relo's: each of these writes a name's bytes at once or not at all, and what is read is
//! checked by whoever reads it.

use std::error::Error as _;
use std::time::{Duration, SystemTime};

use opendal::layers::{RetryLayer, TimeoutLayer};
use opendal::{Entry, ErrorKind, Operator, OperatorUri};
use percent_encoding::percent_decode_str;

use crate::store::{Store, StoreError, Stored};

/// A store that takes longer costs more than it saves.
const PATIENCE: Duration = Duration::from_secs(10);

/// A store behind a URL, as in `s3://bucket/folder?region=…` or `redis://host:6379/folder`.
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
        let uri = parse(url)?;
        let name = public(&uri);
        let fail = |reason: String| StoreError { store: name.clone(), reason };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| fail(error.to_string()))?;
        opendal::init_default_registry();
        let operator = Operator::from_uri(uri.clone())
            .map_err(|error| match error.kind() {
                ErrorKind::Unsupported => {
                    fail(format!("this build of relo has no stores of kind `{}`", uri.scheme()))
                }
                _ => fail(reason(&error)),
            })?
            .layer(TimeoutLayer::new().with_timeout(PATIENCE).with_io_timeout(PATIENCE))
            .layer(RetryLayer::new().with_max_times(2).with_min_delay(Duration::from_millis(100)));
        Ok(Self { name, operator, runtime })
    }

    /// Its URL, without what may be secret in it.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Waits for what is asked of the store.
    pub(crate) fn wait<T>(&self, asked: impl Future<Output = T>) -> T {
        self.runtime.block_on(asked)
    }

    fn error(&self, error: &opendal::Error) -> StoreError {
        StoreError { store: self.name.clone(), reason: reason(error) }
    }
}

/// A URL in parts. OpenDAL takes a user and a password as options.
pub(crate) fn parse(url: &str) -> Result<OperatorUri, StoreError> {
    let parse = |options: Vec<(String, String)>| {
        OperatorUri::new(url, options).map_err(|_| StoreError {
            // It may have a password anywhere.
            store: url.split("://").next().unwrap_or_default().to_owned(),
            reason: "its address is no URL".to_owned(),
        })
    };
    let uri = parse(Vec::new())?;
    let parts = [("username", uri.username()), ("password", uri.password())];
    let given = parts.into_iter().filter_map(|(key, value)| {
        Some((key.to_owned(), percent_decode_str(value?).decode_utf8_lossy().into_owned()))
    });
    parse(given.collect())
}

fn public(uri: &OperatorUri) -> String {
    let root = uri.root().map(|root| format!("/{root}")).unwrap_or_default();
    format!("{}://{}{root}", uri.scheme(), uri.authority().unwrap_or_default())
}

/// What is wrong, and the first cause of it.
fn reason(error: &opendal::Error) -> String {
    let mut first = error.source();
    while let Some(cause) = first.and_then(|error| error.source()) {
        first = Some(cause);
    }
    match first.map(ToString::to_string) {
        Some(cause) if cause != error.message() => format!("{}: {cause}", error.message()),
        _ => error.message().to_owned(),
    }
}

impl Store for Shared {
    fn get(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        match self.wait(self.operator.read(name)) {
            Ok(bytes) => Ok(Some(bytes.to_vec())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.error(&error)),
        }
    }

    fn put(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let put = self.wait(self.operator.write(name, bytes.to_vec()));
        put.map(drop).map_err(|error| self.error(&error))
    }

    fn remove(&self, name: &str) -> Result<(), StoreError> {
        self.wait(self.operator.delete(name)).map_err(|error| self.error(&error))
    }

    fn list(&self) -> Result<Vec<Stored>, StoreError> {
        if !self.operator.info().full_capability().list {
            let reason =
                format!("stores of kind `{}` can't list what they hold", self.operator.info().scheme());
            return Err(StoreError { store: self.name.clone(), reason });
        }
        let found = self.wait(self.operator.list("")).map_err(|error| self.error(&error))?;
        let stored = |entry: &Entry| Stored {
            name: entry.name().to_owned(),
            size: entry.metadata().content_length(),
            used: entry.metadata().last_modified().map_or(SystemTime::UNIX_EPOCH, SystemTime::from),
        };
        Ok(found.iter().filter(|entry| entry.metadata().is_file()).map(stored).collect())
    }
}
