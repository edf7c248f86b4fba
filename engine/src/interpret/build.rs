//! What a rewrite builds. Whoever runs a rule builds with this what he has no way of his own for.

use std::collections::BTreeMap;

use relo_referent::Referent;

use crate::datum::{Datum, as_word};
use crate::evaluate::{Bound, Terms};
use crate::host::{Attr, Op, Type, Value};
use crate::native::Natives;
use crate::normal::{BindingId, Construction, Initializer, Term};
use crate::rewriter::{Contents, NewGlobal, NewOperation, Rewriter};

/// Builds what a construction says, and binds its results; gives the operation, where it is one of the rule's own.
///
/// # Errors
/// What could not be built, as a sentence; the module is of no use then.
pub fn build<H: Rewriter>(
    construction: &Construction,
    bound: &mut Bound,
    host: &mut H,
    natives: &Natives<H>,
) -> Result<Option<Op>, String> {
    let mut building = Building { terms: Terms { host, natives }, bound };
    match construction {
        Construction::Operation { name, operands, attributes, spread, types, results, .. } => {
            let operands = operands
                .iter()
                .map(|term| building.operand(name, term))
                .collect::<Result<Vec<_>, _>>()?
                .concat();
            let types = types.iter().map(|term| building.ty(name, term)).collect::<Result<Vec<_>, _>>()?;
            let attributes = building.attributes(name, attributes, *spread, types.first().copied())?;
            let new = NewOperation { name: name.clone(), operands, attributes, types };
            let made = building.terms.host.build(&new)?;
            for (binding, value) in results.iter().zip(building.terms.host.results(made)) {
                building.bound[binding.0] = Some(Datum::Value(value));
            }
            Ok(Some(made))
        }
        Construction::Global { .. } => building.global(construction).map(|()| None),
        Construction::Builder { native, arguments, result, .. } => {
            let made = building.call(native, arguments)?;
            if let (Some(binding), Some(made)) = (result, made) {
                building.bound[binding.0] = Some(made);
            }
            Ok(None)
        }
    }
}

/// The values that a term stands for as an operand: one, or a list.
///
/// # Errors
/// When it has none.
pub fn operand<H: Rewriter>(
    operation: &str,
    term: &Term,
    bound: &mut Bound,
    host: &mut H,
    natives: &Natives<H>,
) -> Result<Vec<Value>, String> {
    Building { terms: Terms { host, natives }, bound }.operand(operation, term)
}

/// The type that a term stands for.
///
/// # Errors
/// When it is none.
pub fn ty<H: Rewriter>(
    operation: &str,
    term: &Term,
    bound: &mut Bound,
    host: &mut H,
    natives: &Natives<H>,
) -> Result<Type, String> {
    Building { terms: Terms { host, natives }, bound }.ty(operation, term)
}

/// The attribute that a term stands for; `None` where it is left out.
///
/// # Errors
/// When it does not fit.
pub fn attribute<H: Rewriter>(
    (operation, name): (&str, &str),
    term: &Term,
    result: Option<Type>,
    bound: &mut Bound,
    host: &mut H,
    natives: &Natives<H>,
) -> Result<Option<Attr>, String> {
    Building { terms: Terms { host, natives }, bound }.attribute(operation, name, term, result)
}

struct Building<'a, 'b, H> {
    terms: Terms<'a, H>,
    bound: &'b mut Bound,
}

impl<H: Rewriter> Building<'_, '_, H> {
    fn operand(&mut self, operation: &str, term: &Term) -> Result<Vec<Value>, String> {
        let missing = || format!("an operand of `{operation}` has no value");
        let value = |datum: &Datum| match datum {
            Datum::Value(value) => Ok(*value),
            _ => Err(missing()),
        };
        match self.terms.term(term, self.bound) {
            Some(Datum::List(members)) => members.iter().map(value).collect(),
            Some(datum) => Ok(vec![value(&datum)?]),
            None => Err(missing()),
        }
    }

    fn ty(&mut self, operation: &str, term: &Term) -> Result<Type, String> {
        match self.terms.plain(term, self.bound) {
            Some(Datum::Type(ty)) => Ok(ty),
            _ => Err(format!("a result of `{operation}` has no type")),
        }
    }

    fn attribute(
        &mut self,
        operation: &str,
        name: &str,
        term: &Term,
        result: Option<Type>,
    ) -> Result<Option<Attr>, String> {
        match self.terms.term(term, self.bound) {
            Some(datum) => self.terms.host.encode(operation, name, &datum, result),
            None => Ok(None),
        }
    }

    /// The attributes of what is built: those spread, then those named, which win.
    fn attributes(
        &mut self,
        operation: &str,
        attributes: &[(String, Term)],
        spread: Option<BindingId>,
        result: Option<Type>,
    ) -> Result<Vec<(String, Attr)>, String> {
        let mut named = BTreeMap::new();
        match spread.and_then(|binding| self.terms.plain(&Term::Binding(binding), self.bound)) {
            None => {}
            Some(Datum::Dictionary(members)) => named.extend(members),
            Some(_) => return Err("what is spread is no dictionary".into()),
        }
        for (name, term) in attributes {
            match self.attribute(operation, name, term, result)? {
                Some(made) => named.insert(name.clone(), made),
                None => named.remove(name),
            };
        }
        Ok(named.into_iter().collect())
    }

    fn global(&mut self, construction: &Construction) -> Result<(), String> {
        let Construction::Global { name, symbol, ty, initializer, attributes, spread, sites, .. } =
            construction
        else {
            return Err("this is no global".into());
        };
        let symbol = match self.terms.plain(symbol, self.bound) {
            Some(Datum::Symbol(symbol) | Datum::Str(symbol)) => symbol,
            _ => return Err("a global has no name".into()),
        };
        let ty = self.ty(name, ty)?;
        let attributes = self.attributes(name, attributes, *spread, Some(ty))?;
        let sites = sites
            .iter()
            .map(|(offset, referent)| self.site(offset, referent))
            .collect::<Result<_, String>>()?;
        let contents = match initializer {
            None => Contents::Declared,
            Some(Initializer::Zero) => Contents::Zero,
            Some(Initializer::Contents) => Contents::Root,
            Some(Initializer::Word(word)) => match self.terms.plain(word, self.bound) {
                Some(Datum::Int(word)) => Contents::Word(as_word(word).ok_or("the word is too large")?),
                _ => return Err("the word is no number".into()),
            },
            Some(Initializer::Filled(words)) => {
                let words = self.terms.plain(words, self.bound);
                Contents::Filled(words.and_then(|words| filled(&words)).ok_or("the words are no words")?)
            }
        };
        self.terms.host.build_global(&NewGlobal {
            name: name.clone(),
            symbol,
            ty,
            attributes,
            contents,
            sites,
        })
    }

    fn site(&mut self, offset: &Term, referent: &Term) -> Result<(u64, Referent), String> {
        let offset = match self.terms.plain(offset, self.bound) {
            Some(Datum::Int(offset)) => {
                u64::try_from(offset).map_err(|_| "a site's offset is negative".to_owned())?
            }
            _ => return Err("a site's offset is no number".into()),
        };
        match self.terms.plain(referent, self.bound) {
            Some(Datum::Referent(referent)) => Ok((offset, referent)),
            _ => Err("a site's referent is none".into()),
        }
    }

    fn call(&mut self, name: &str, arguments: &[Term]) -> Result<Option<Datum>, String> {
        let native = self.terms.natives.get(name).ok_or_else(|| format!("there is no native `{name}`"))?;
        let arguments: Vec<Datum> = arguments
            .iter()
            .zip(&native.signature.parameters)
            .map(|(argument, (_, kind))| self.terms.argument(argument, *kind, self.bound))
            .collect::<Option<_>>()
            .ok_or_else(|| format!("an argument of `{name}` has no value"))?;
        let mut answer = self
            .terms
            .natives
            .call(native, self.terms.host, &arguments)
            .ok_or_else(|| format!("`{name}` did not build anything"))?;
        Ok(answer.pop())
    }
}

/// Offsets and words of a list that `filled` takes.
fn filled(words: &Datum) -> Option<Vec<(u64, u64)>> {
    let Datum::List(members) = words else { return None };
    members
        .iter()
        .map(|member| match member {
            Datum::List(parts) => match parts.as_slice() {
                [Datum::Int(offset), Datum::Int(word)] => {
                    Some((u64::try_from(*offset).ok()?, as_word(*word)?))
                }
                _ => None,
            },
            _ => None,
        })
        .collect()
}
