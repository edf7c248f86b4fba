//! Which sites an artifact really holds. A back end leaves out what it sees no use for, after everything else is done:
//! a constant whose value goes nowhere, a declaration whose load is dead.

use std::collections::BTreeSet;

use object::{Object as _, ObjectSymbol as _};
use relo_engine::RuleSet;
use relo_loader::ArgumentRecord;
use relo_referent::Action;

use crate::emit::Emit;
use crate::error::CodegenError;
use crate::sites::LiveSite;
use crate::spirv::Shown;

/// The sites of a module that its artifact holds.
///
/// # Errors
/// When one is missing that is no one's to leave out, or a number stands for two things.
pub(crate) fn held(
    sites: Vec<LiveSite>,
    artifact: &[u8],
    kind: Emit,
    rules: &RuleSet,
    arguments: &[ArgumentRecord],
) -> Result<Vec<LiveSite>, CodegenError> {
    let action = |site: &LiveSite| rules.strategy(&site.strategy).map(|strategy| strategy.action);
    let is_argument = |site: &LiveSite| arguments.iter().any(|argument| argument.table == site.symbol);
    let mut held = Vec::new();
    match kind {
        Emit::SpirV => {
            let shown = Shown::new(artifact);
            for site in sites {
                match (action(&site), site.index) {
                    (Some(Action::Specialize), Some(number)) => match shown.constants.get(&number) {
                        Some(constants) if constants.len() > 1 => {
                            return Err(CodegenError::Number { symbol: site.symbol, number });
                        }
                        Some(_) => held.push(site),
                        None => {}
                    },
                    _ if is_argument(&site) || shown.names.contains(&site.symbol) => held.push(site),
                    _ => return Err(CodegenError::LeftOut { symbol: site.symbol }),
                }
            }
        }
        Emit::Object | Emit::SharedObject => {
            let file = object::File::parse(artifact).map_err(|error| CodegenError::Llvm {
                step: "read what it made".into(),
                message: error.to_string(),
            })?;
            let symbols = file.symbols().chain(file.dynamic_symbols());
            let names: BTreeSet<String> =
                symbols.filter_map(|symbol| symbol.name().ok().map(ToOwned::to_owned)).collect();
            for site in sites {
                let may_go = matches!(action(&site), Some(Action::Define | Action::Table));
                if is_argument(&site) || names.contains(&site.symbol) {
                    held.push(site);
                } else if !may_go {
                    return Err(CodegenError::LeftOut { symbol: site.symbol });
                }
            }
        }
        Emit::Llvm | Emit::Bitcode | Emit::Assembly | Emit::Ptx => held = sites,
    }
    Ok(held)
}
