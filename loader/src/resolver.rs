//! The loader's half of the host: from a referent to this session's word.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use relo_referent::Referent;

use crate::error::quoted;
use crate::shared_object::{Library, read_word, symbol_size};

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

    /// The answers for several referents, in their order. A resolver that is quicker about many at once says how; loading
    /// asks for all in one call, sorted.
    fn resolve_all(&self, referents: &[&Referent]) -> Vec<Result<Resolved, String>> {
        referents.iter().map(|referent| self.resolve(referent)).collect()
    }
}

impl<R: Resolver + ?Sized> Resolver for &R {
    fn resolve(&self, referent: &Referent) -> Result<Resolved, String> {
        (**self).resolve(referent)
    }

    fn resolve_all(&self, referents: &[&Referent]) -> Vec<Result<Resolved, String>> {
        (**self).resolve_all(referents)
    }
}

/// What is added to a referent's address.
fn addend(referent: &Referent) -> i64 {
    match referent {
        Referent::Object { addend, .. } | Referent::Symbol { addend, .. } => *addend,
        Referent::Word { .. } => 0,
    }
}

/// The referent without its addend, where it has one.
fn base(referent: &Referent) -> Option<Referent> {
    let mut base = (addend(referent) != 0).then(|| referent.clone())?;
    if let Referent::Object { addend, .. } | Referent::Symbol { addend, .. } = &mut base {
        *addend = 0;
    }
    Some(base)
}

/// An answer with the addend, added as addresses wrap. Null is no object's and no symbol's address.
fn complete(referent: &Referent, mut resolved: Resolved) -> Result<Resolved, String> {
    if resolved.word == 0 && !matches!(referent, Referent::Word { .. }) {
        return Err("the resolver answers null, which is no address".to_owned());
    }
    resolved.word = resolved.word.wrapping_add_signed(addend(referent));
    Ok(resolved)
}

/// A referent's word, its addend added.
///
/// # Errors
/// The resolver's reason.
pub fn apply_addend(resolver: &dyn Resolver, referent: &Referent) -> Result<Resolved, String> {
    let resolved = resolver.resolve(base(referent).as_ref().unwrap_or(referent))?;
    complete(referent, resolved)
}

/// The answers for several referents, their addends added.
pub(crate) fn apply_addends<'r>(
    resolver: &dyn Resolver,
    referents: &'r [&Referent],
) -> impl Iterator<Item = Result<Resolved, String>> + use<'r> {
    let stripped: Vec<Referent> = referents.iter().filter_map(|referent| base(referent)).collect();
    let mut bases = stripped.iter();
    let asked: Vec<&Referent> = referents
        .iter()
        .map(|referent| if addend(referent) == 0 { *referent } else { bases.next().unwrap_or(referent) })
        .collect();
    let mut answers = resolver.resolve_all(&asked);
    // One answer each, whoever wrote the resolver.
    answers.resize_with(asked.len(), || Err("the resolver does not answer".to_owned()));
    referents.iter().zip(answers).map(|(referent, answer)| complete(referent, answer?))
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

    fn resolve_all(&self, referents: &[&Referent]) -> Vec<Result<Resolved, String>> {
        // Both are sorted: mostly the next answer lies behind the last one.
        let mut ahead = self.0.range::<Referent, _>(..);
        let answer = |referent: &&Referent| {
            let mut next = ahead.next();
            if next.is_none_or(|(key, _)| key != *referent) {
                ahead = self.0.range::<Referent, _>(*referent..);
                next = ahead.next();
            }
            match next {
                Some((key, word)) if key == *referent => Ok(Resolved { word: *word, root: None }),
                _ => Err("it is not in the table".to_owned()),
            }
        };
        referents.iter().map(answer).collect()
    }
}

/// Several resolvers: the first that knows a referent answers.
#[derive(Default)]
pub struct Chain<'a>(pub Vec<Box<dyn Resolver + 'a>>);

impl Resolver for Chain<'_> {
    fn resolve(&self, referent: &Referent) -> Result<Resolved, String> {
        self.resolve_all(&[referent]).pop().unwrap_or_else(|| Err("there is no resolver".to_owned()))
    }

    fn resolve_all(&self, referents: &[&Referent]) -> Vec<Result<Resolved, String>> {
        let mut answers: Vec<Option<Resolved>> = vec![None; referents.len()];
        let mut reasons: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        let mut open: Vec<usize> = (0..referents.len()).collect();
        for resolver in &self.0 {
            let asked: Vec<&Referent> = open.iter().map(|index| referents[*index]).collect();
            let mut answered = resolver.resolve_all(&asked).into_iter();
            open.retain(|index| match answered.next() {
                Some(Ok(resolved)) => {
                    answers[*index] = Some(resolved);
                    false
                }
                Some(Err(reason)) => {
                    let reasons = reasons.entry(*index).or_default();
                    if !reasons.contains(&reason) {
                        reasons.push(reason);
                    }
                    true
                }
                None => true,
            });
        }
        let reason = |index: usize| match reasons.get(&index) {
            Some(reasons) => reasons.join("; "),
            None => "there is no resolver".to_owned(),
        };
        answers.into_iter().enumerate().map(|(index, answer)| answer.ok_or_else(|| reason(index))).collect()
    }
}
