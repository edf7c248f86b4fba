//! Marks of the source: what an annotation or a section says that a global stands for.

use std::collections::HashMap;

use mlir_sys::MlirOperation;
use relo_engine::{Datum, Kind, Native, Natives};

use super::sites::words;
use super::{name_of, one};
use crate::handle::string_attribute;
use crate::host::MlirHost;

/// Where LLVM keeps what sources annotate globals with: rows of global, text, file, line and arguments.
pub(crate) const ANNOTATIONS: &str = "llvm.global.annotations";

/// What an annotation of relo's begins with.
const ANNOTATION: &str = "reloc:";

/// What the section of a runtime's objects begins with.
const SECTION: &str = "reloc.";

pub(super) fn add<'a>(natives: &mut Natives<MlirHost<'a>>) {
    natives.add(Native::pure(
        "mark",
        &[("symbol", Kind::Symbol)],
        &[Kind::Str],
        "What the source says that a global stands for: the rest of an annotation that begins with `reloc:`; or, for a global \
         in the section `reloc.RUNTIME`, that it is the runtime's object of its name, `object:RUNTIME:NAME`.",
        |host: &mut MlirHost<'a>, arguments: &[Datum]| {
            let name = name_of(&arguments[0])?;
            let symbols = host.symbols.borrow();
            if let Some(mark) = symbols.annotation(name) {
                return one(Datum::Str(mark.to_owned()));
            }
            let section = string_attribute(symbols.get(name)?, "section")?;
            one(Datum::Str(format!("object:{}:{name}", section.strip_prefix(SECTION)?)))
        },
    ));
    natives.add(Native::pure(
        "spelled",
        &[("text", Kind::Str)],
        &[Kind::Referent],
        "The referent that a text spells: `object:RUNTIME:KEY`, `symbol:NAME@LIBRARY` or `word:NAME+OFFSET@LIBRARY`, where \
         library and offset may be left out.",
        |_: &mut MlirHost<'a>, arguments: &[Datum]| {
            one(Datum::Referent(name_of(&arguments[0])?.parse().ok()?))
        },
    ));
}

/// The marks in a module's annotations, by global; of several the first.
pub(crate) fn annotations(
    list: MlirOperation,
    get: impl Fn(&str) -> Option<MlirOperation>,
) -> HashMap<String, String> {
    let mut marks = HashMap::new();
    // In a row the text follows the global.
    for pair in words(list).windows(2) {
        let [Some(global), Some(text)] = [&pair[0].symbol, &pair[1].symbol] else { continue };
        let text = get(text).and_then(|text| string_attribute(text, "value")).unwrap_or_default();
        if let Some(mark) = text.trim_end_matches('\0').strip_prefix(ANNOTATION) {
            marks.entry(global.clone()).or_insert_with(|| mark.to_owned());
        }
    }
    marks
}
