//! Redis as a store. Bytes go through OpenDAL; what OpenDAL does not ask Redis for is asked here: which names there are,
//! and which were used longest ago.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use opendal::Configurator as _;
use opendal::services::RedisConfig;
use redis::aio::MultiplexedConnection;
use redis::{Client, IntoConnectionInfo as _, RedisConnectionInfo, RedisResult, cmd, pipe};

use crate::shared::{Shared, parse};
use crate::store::{Store, StoreError, Stored};

/// So many names are asked for at once.
const BATCH: usize = 1000;

/// A Redis, as in `redis://host:6379/folder`; a first part that is a number names the database.
pub struct Redis {
    shared: Shared,
    /// None of a cluster, where each host has some of the names.
    client: Option<Client>,
    /// How the keys of this store begin.
    prefix: String,
}

impl Redis {
    /// Opens a store. Nothing is asked of it yet.
    ///
    /// # Errors
    /// When the URL is none of a Redis.
    pub fn new(url: &str) -> Result<Self, StoreError> {
        let shared = Shared::new(url)?;
        let fail = |reason: String| StoreError { store: shared.name().to_owned(), reason };
        let config = RedisConfig::from_uri(&parse(url)?).map_err(|error| fail(error.message().to_owned()))?;
        let mut session = RedisConnectionInfo::default().set_db(config.db);
        if let Some(user) = &config.username {
            session = session.set_username(user);
        }
        if let Some(password) = &config.password {
            session = session.set_password(password);
        }
        let open =
            |endpoint: String| Client::open(endpoint.into_connection_info()?.set_redis_settings(session));
        let client = config.endpoint.map(open).transpose().map_err(|error| fail(error.to_string()))?;
        let root = config.root.unwrap_or_default();
        let parts: Vec<&str> = root.split('/').filter(|part| !part.is_empty()).collect();
        let prefix = parts.iter().map(|part| format!("{part}/")).collect();
        Ok(Self { shared, client, prefix })
    }

    async fn names(&self, client: &Client) -> RedisResult<Vec<Stored>> {
        let mut connection = client.get_multiplexed_async_connection().await?;
        // A name may come twice while Redis moves what it has.
        let mut all = BTreeMap::new();
        let mut cursor = 0u64;
        loop {
            let mut scan = cmd("SCAN");
            scan.arg(cursor).arg("MATCH").arg(format!("{}*", literal(&self.prefix))).arg("COUNT").arg(BATCH);
            let keys: Vec<Vec<u8>>;
            (cursor, keys) = scan.query_async(&mut connection).await?;
            for (key, size, used) in facts(&mut connection, keys).await? {
                let name = str::from_utf8(&key).ok().and_then(|key| key.strip_prefix(&self.prefix));
                if let Some(name) = name.map(ToOwned::to_owned) {
                    all.insert(name.clone(), Stored { name, size, used });
                }
            }
            if cursor == 0 {
                return Ok(all.into_values().collect());
            }
        }
    }
}

/// How much memory keys take, and when they were last used. Neither question counts as a use; asking for a length would.
async fn facts(
    connection: &mut MultiplexedConnection,
    keys: Vec<Vec<u8>>,
) -> RedisResult<Vec<(Vec<u8>, u64, SystemTime)>> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let (mut sizes, mut ages) = (pipe(), pipe());
    for key in &keys {
        sizes.cmd("MEMORY").arg("USAGE").arg(key);
        ages.cmd("OBJECT").arg("IDLETIME").arg(key);
    }
    let sizes: Vec<Option<u64>> = sizes.query_async(connection).await?;
    // A Redis that counts uses has no times.
    let ages: Vec<Option<u64>> =
        ages.query_async(connection).await.unwrap_or_else(|_| vec![Some(0); keys.len()]);
    let now = SystemTime::now();
    let facts = keys.into_iter().zip(sizes.into_iter().zip(ages)).filter_map(|(key, (size, age))| {
        // Others may remove it meanwhile.
        let used = now.checked_sub(Duration::from_secs(age?)).unwrap_or(SystemTime::UNIX_EPOCH);
        Some((key, size?, used))
    });
    Ok(facts.collect())
}

/// A text as a pattern that only it fits.
fn literal(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '*' | '?' | '[' | ']' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern
}

impl Store for Redis {
    fn get(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.shared.get(name)
    }

    fn put(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        self.shared.put(name, bytes)
    }

    fn remove(&self, name: &str) -> Result<(), StoreError> {
        self.shared.remove(name)
    }

    fn list(&self) -> Result<Vec<Stored>, StoreError> {
        let fail = |reason: String| StoreError { store: self.shared.name().to_owned(), reason };
        let client =
            self.client.as_ref().ok_or_else(|| fail("a cluster can't list what it holds".to_owned()))?;
        self.shared.wait(self.names(client)).map_err(|error| fail(error.to_string()))
    }
}
