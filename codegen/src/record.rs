//! The manifest of an artifact.

use std::collections::{BTreeMap, BTreeSet};

use llvm_sys::core::*;
use llvm_sys::{LLVMLinkage, LLVMVisibility};
use object::{Object as _, ObjectSymbol as _};
use relo_engine::RuleSet;
use relo_loader::{ArtifactRecord, Manifest, PackRecord, RuleRecord, SiteRecord, TargetRecord, VERSION};
use relo_referent::{Action, Referent};

use crate::emit::Emit;
use crate::error::CodegenError;
use crate::llvm::{Module, name_of};
use crate::sites::LiveSite;

/// Writes down what a loader has to know of an artifact.
///
/// # Errors
/// When a site is not in the artifact, which would be a mistake of relo's.
pub(crate) fn record(
    rules: &RuleSet,
    fired: &BTreeMap<String, String>,
    entries: Vec<String>,
    sites: &[LiveSite],
    artifact: &[u8],
    kind: Emit,
    portable: bool,
) -> Result<Manifest, CodegenError> {
    let referents: BTreeSet<&Referent> = sites.iter().map(|site| &site.referent).collect();
    let referents: Vec<Referent> = referents.into_iter().cloned().collect();
    let addresses = if kind == Emit::SharedObject { addresses(artifact)? } else { BTreeMap::new() };
    let sites = sites
        .iter()
        .map(|site| {
            let action = rules.strategy(&site.strategy).map_or(Action::Apply, |strategy| strategy.action);
            let at = addresses.get(&site.symbol).map(|address| address + site.offset);
            if kind == Emit::SharedObject && action == Action::Write && at.is_none() {
                return Err(CodegenError::Site { symbol: site.symbol.clone(), offset: site.offset });
            }
            Ok(SiteRecord {
                symbol: site.symbol.clone(),
                offset: site.offset,
                width: site.width,
                referent: referents.binary_search(&site.referent).unwrap_or_default(),
                action,
                strategy: site.strategy.clone(),
                index: site.index,
                at,
            })
        })
        .collect::<Result<_, CodegenError>>()?;
    let spec = &rules.target.spec;
    Ok(Manifest {
        relo: VERSION,
        target: TargetRecord {
            name: spec.name.clone(),
            triple: spec.triple.clone(),
            cpu: spec.cpu.clone(),
            features: spec.features.clone(),
        },
        artifact: ArtifactRecord {
            kind: kind.to_string(),
            size: artifact.len() as u64,
            blake3: blake3::hash(artifact).to_hex().to_string(),
        },
        entries,
        arguments: Vec::new(),
        packs: rules
            .packs
            .iter()
            .map(|(name, digest)| PackRecord { name: name.clone(), digest: digest.clone() })
            .collect(),
        rules: fired
            .iter()
            .map(|(rule, digest)| RuleRecord { rule: rule.clone(), digest: digest.clone() })
            .collect(),
        referents,
        sites,
        portable,
    })
}

/// Where the symbols of a shared object are.
fn addresses(artifact: &[u8]) -> Result<BTreeMap<String, u64>, CodegenError> {
    let file = object::File::parse(artifact).map_err(|error| CodegenError::Llvm {
        step: "read what it linked".into(),
        message: error.to_string(),
    })?;
    let symbols = file.symbols().chain(file.dynamic_symbols()).filter(|symbol| symbol.is_definition());
    Ok(symbols.filter_map(|symbol| Some((symbol.name().ok()?.to_owned(), symbol.address()))).collect())
}

/// The functions that a module offers, by name.
pub(crate) fn entries(module: &Module) -> Vec<String> {
    let offered = module.functions().into_iter().filter(|function| {
        // SAFETY: the function is alive.
        unsafe {
            LLVMCountBasicBlocks(*function) > 0
                && !matches!(
                    LLVMGetLinkage(*function),
                    LLVMLinkage::LLVMInternalLinkage
                        | LLVMLinkage::LLVMPrivateLinkage
                        | LLVMLinkage::LLVMAvailableExternallyLinkage
                )
                && LLVMGetVisibility(*function) != LLVMVisibility::LLVMHiddenVisibility
        }
    });
    let mut names: Vec<String> = offered.map(name_of).collect();
    names.sort_unstable();
    names
}
