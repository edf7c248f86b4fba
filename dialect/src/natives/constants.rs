//! Constants of a module's own, which stand for what a host has.

use mlir_sys::*;
use relo_engine::{Datum, Kind, Native, Natives, as_word};

use super::{name_of, one};
use crate::handle::{named_attribute, string_ref};
use crate::host::MlirHost;

pub(super) fn add<'a>(natives: &mut Natives<MlirHost<'a>>) {
    natives.add(
        Native::builder(
            "constant",
            &[("name", Kind::Str), ("words", Kind::List), ("alignment", Kind::Int), ("space", Kind::Int)],
            &[Kind::Symbol],
            "A private constant of this name that holds these words, aligned to so many bytes, in this address \
             space. It is made once.",
            |host: &mut MlirHost<'a>, arguments: &[Datum]| {
                let name = name_of(&arguments[0])?.to_owned();
                let Datum::List(words) = &arguments[1] else { return None };
                let words = words.iter().map(word).collect::<Option<Vec<u64>>>()?;
                let made = host.constant(&name, &words, word(&arguments[2])?, word(&arguments[3])?)?;
                let found = host.symbols.borrow().get(&name);
                if let Some(found) = found {
                    // SAFETY: both attributes are alive.
                    let has = |name: &str, made: MlirAttribute| unsafe {
                        named_attribute(found, name).is_some_and(|found| mlirAttributeEqual(found, made))
                    };
                    if !made.iter().all(|(name, made)| has(name, *made)) {
                        host.taken.insert(name.clone(), "a constant that a rule makes".to_owned());
                    }
                } else {
                    host.at_start_of_module(|host| host.create("llvm.mlir.global", &made, &[], &[], true))?;
                }
                one(Datum::Symbol(name))
            },
        )
        .builds(&["llvm.mlir.global"]),
    );
}

fn word(datum: &Datum) -> Option<u64> {
    if let Datum::Int(number) = datum { as_word(*number) } else { None }
}

impl MlirHost<'_> {
    /// The attributes of the global; `None` where MLIR refuses a number, or the type that comes of it.
    fn constant(
        &self,
        name: &str,
        words: &[u64],
        alignment: u64,
        space: u64,
    ) -> Option<[(&'static str, MlirAttribute); 7]> {
        let context = self.raw_context();
        // SAFETY: the context is alive; MLIR copies the texts.
        let (attribute, of, unit) = unsafe {
            let of = format!("!llvm.array<{} x i{}>", words.len(), self.surroundings.word_width);
            (
                |text: String| mlirAttributeParseGet(context, string_ref(&text)),
                mlirTypeParseGet(context, string_ref(&of)),
                mlirUnitAttrGet(context),
            )
        };
        let shape = format!("tensor<{}xi{}>", words.len(), self.surroundings.word_width);
        let made = [
            ("sym_name", self.string(name)),
            ("global_type", super::type_attribute(of)),
            ("linkage", attribute("#llvm.linkage<private>".into())),
            ("constant", unit),
            ("value", attribute(format!("dense<{words:?}> : {shape}"))),
            ("alignment", attribute(format!("{alignment} : i64"))),
            ("addr_space", attribute(format!("{space} : i32"))),
        ];
        made.iter().all(|(_, made)| !made.ptr.is_null()).then_some(made)
    }
}
