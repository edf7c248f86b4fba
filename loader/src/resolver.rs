//! The loader's half of the host: from a referent to this session's word.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use relo_referent::Referent;

use crate::error::quoted;
use crate::image::{Library, read_word, symbol_size};

/// What keeps a resolved object alive; an image holds it as long as it lives.
pub type Root = Arc<dyn Any + Send + Sync>;

/// A referent's word in this session.
#[derive(Clone)]
pub struct Resolved {
    /// The word; of an object or symbol without its addend, which the loader adds.
    pub word: u64,
    /// What keeps it valid.
    pub root: Option<Root>,
}

/// Gives the words of referents. Addends are the loader's business: a resolver is asked about objects and symbols
/// as such.
pub trait Resolver {
    /// The word of a referent, or why there is none.
    ///
    /// # Errors
    /// A reason, as a sentence without a full stop.
    fn resolve(&self, referent: &Referent) -> Result<Resolved, String>;
}

impl<R: Resolver + ?Sized> Resolver for &R {
    fn resolve(&self, referent: &Referent) -> Result<Resolved, String> {
        (**self).resolve(referent)
    }
}

/// The referent without its addend, and the addend.
pub(crate) fn split(referent: &Referent) -> (Referent, i64) {
    let mut base = referent.clone();
    let addend = match &mut base {
        Referent::Object { addend, .. } | Referent::Symbol { addend, .. } => std::mem::take(addend),
        Referent::Word { .. } => 0,
    };
    (base, addend)
}

/// A referent's word, its addend added as addresses wrap. Null is no object's and no symbol's address.
///
/// # Errors
/// The resolver's reason.
pub fn apply_addend(resolver: &dyn Resolver, referent: &Referent) -> Result<Resolved, String> {
    let (base, addend) = split(referent);
    let mut resolved = resolver.resolve(&base)?;
    if resolved.word == 0 && !matches!(base, Referent::Word { .. }) {
        return Err("the resolver answers null, which is no address".to_owned());
    }
    resolved.word = resolved.word.wrapping_add_signed(addend);
    Ok(resolved)
}

/// Which libraries a manifest may make the process open.
#[derive(Clone, Debug, Default)]
pub enum Policy {
    /// None: only libraries that are loaded already are looked into.
    #[default]
    Loaded,
    /// These besides, by the name that a referent gives or as a path.
    Allow(BTreeSet<String>),
}

/// Symbols and words of this process and its libraries.
#[derive(Clone, Debug, Default)]
pub struct Process {
    /// What may be opened.
    pub policy: Policy,
}

impl Resolver for Process {
    fn resolve(&self, referent: &Referent) -> Result<Resolved, String> {
        let (name, library, offset) = match referent {
            Referent::Symbol { name, library, .. } => (name, library, None),
            Referent::Word { symbol, library, offset } => (symbol, library, Some(*offset)),
            Referent::Object { runtime, .. } => {
                return Err(format!("no host of runtime {} is here", quoted(runtime)));
            }
        };
        let opened = match library {
            None => Library::process(),
            Some(library) => match &self.policy {
                Policy::Allow(allowed) if allowed.contains(library) => Library::open(library)?,
                // Looking a path up opens the file, whatever it is.
                _ if library.contains('/') => {
                    return Err(format!("{} is a path that the policy does not allow", quoted(library)));
                }
                _ => Library::loaded(library).ok_or_else(|| {
                    format!("{} is not loaded, and the policy does not allow to load it", quoted(library))
                })?,
            },
        };
        let address = opened.address(name)?;
        let word = match offset {
            None => address,
            Some(offset) => stored(name, address, offset)?,
        };
        Ok(Resolved { word, root: Some(Arc::new(opened)) })
    }
}

/// The word stored at a symbol plus bytes.
pub(crate) fn stored(name: &str, address: u64, offset: u64) -> Result<u64, String> {
    let name = quoted(name);
    let (at, end) = address
        .checked_add(offset)
        .zip(offset.checked_add(8))
        .ok_or_else(|| format!("{name} + {offset} is no address"))?;
    if let Some(size) = symbol_size(address).filter(|size| end > *size) {
        return Err(format!("{name} has {size} bytes, and the word is at byte {offset}"));
    }
    if at % 8 != 0 {
        return Err(format!("the word at {name} + {offset} is not aligned"));
    }
    read_word(at)
}

/// A function of the host.
pub struct Callback<F>(pub F);

impl<F: Fn(&Referent) -> Result<Resolved, String>> Resolver for Callback<F> {
    fn resolve(&self, referent: &Referent) -> Result<Resolved, String> {
        self.0(referent)
    }
}

/// Words that are known beforehand.
#[derive(Clone, Debug, Default)]
pub struct Fixed(pub BTreeMap<Referent, u64>);

impl Resolver for Fixed {
    fn resolve(&self, referent: &Referent) -> Result<Resolved, String> {
        let word = self.0.get(referent).copied().ok_or("it is not in the table")?;
        Ok(Resolved { word, root: None })
    }
}

/// Several resolvers: the first that knows a referent answers.
#[derive(Default)]
pub struct Chain<'a>(pub Vec<Box<dyn Resolver + 'a>>);

impl Resolver for Chain<'_> {
    fn resolve(&self, referent: &Referent) -> Result<Resolved, String> {
        let mut reasons: Vec<String> = Vec::new();
        for resolver in &self.0 {
            match resolver.resolve(referent) {
                Ok(resolved) => return Ok(resolved),
                Err(reason) if !reasons.contains(&reason) => reasons.push(reason),
                Err(_) => {}
            }
        }
        Err(if reasons.is_empty() { "there is no resolver".to_owned() } else { reasons.join("; ") })
    }
}
