//! Planning: writes on every slot, record, load and address which strategy delivers it.

use std::collections::{BTreeMap, HashMap};

use mlir_sys::*;
use relo_engine::{PlanError, RuleSet, SiteKind};
use relo_referent::Referent;

use crate::attributes::{Site, referent_of, site_attribute, site_of};
use crate::error::DialectError;
use crate::handle::{named_attribute, string_attribute, string_ref, text};
use crate::module::Module;
use crate::symbols::top_level;

/// Chooses the strategy of each site by the target's table.
///
/// # Errors
/// When no line of the table fits a site, or the strategy that fits can't deliver it.
pub fn plan(module: &mut Module<'_>, rules: &RuleSet) -> Result<(), DialectError> {
    let mut planner = Planner { module, rules, chosen: HashMap::new() };
    let sites = planner.sites();
    let order = order(&sites);
    for (op, symbol, kind, list) in sites {
        planner.site(op, symbol, kind, &list, &order)?;
    }
    planner.uses();
    Ok(())
}

/// A slot or record with its sites.
type Planned = (MlirOperation, String, SiteKind, Vec<Site>);

struct Planner<'a, 'c> {
    module: &'a mut Module<'c>,
    rules: &'a RuleSet,
    chosen: HashMap<String, (String, Option<u64>)>,
}

/// The place of each referent in the order of all: the same whatever the session or the order of the input.
fn order(sites: &[Planned]) -> BTreeMap<Referent, u64> {
    let mut referents: Vec<&Referent> =
        sites.iter().flat_map(|(.., list)| list).map(|site| &site.referent).collect();
    referents.sort_unstable();
    referents.dedup();
    (0..).zip(referents).map(|(index, referent)| (referent.clone(), index)).collect()
}

impl Planner<'_, '_> {
    fn context(&self) -> MlirContext {
        self.module.context().raw()
    }

    fn sites(&self) -> Vec<Planned> {
        let mut sites = Vec::new();
        for op in top_level(self.module.raw()) {
            // SAFETY: the operation is alive, its name as long as the context.
            let name = unsafe { text(mlirIdentifierStr(mlirOperationGetName(op))) };
            let symbol = string_attribute(op, "sym_name").unwrap_or_default();
            if name == "reloc.slot"
                && let Some(referent) = named_attribute(op, "referent").and_then(referent_of)
            {
                let site = Site { offset: 0, width: 64, referent, strategy: None, index: None };
                sites.push((op, symbol, SiteKind::Slot, vec![site]));
            } else if name == "reloc.record"
                && let Some(array) = named_attribute(op, "sites")
            {
                // SAFETY: the verifier made sure that this is an array.
                let list = unsafe {
                    (0..mlirArrayAttrGetNumElements(array))
                        .filter_map(|index| site_of(mlirArrayAttrGetElement(array, index)))
                        .collect()
                };
                sites.push((op, symbol, SiteKind::Record, list));
            }
        }
        sites
    }

    fn site(
        &mut self,
        op: MlirOperation,
        symbol: String,
        kind: SiteKind,
        list: &[Site],
        order: &BTreeMap<Referent, u64>,
    ) -> Result<(), DialectError> {
        let mut strategy: Option<String> = None;
        let mut planned = Vec::new();
        for site in list {
            let refused = |reason: String| DialectError::Plan {
                symbol: symbol.clone(),
                referent: Box::new(site.referent.clone()),
                reason,
            };
            let chosen = self.rules.plan(&site.referent, kind).map_err(|error| match error {
                PlanError::NoChoice => refused("no line of the target's `strategies` fits".into()),
                PlanError::WrongSite { strategy } => {
                    refused(format!("strategy `{strategy}` does not deliver a {}", kind.name()))
                }
            })?;
            if strategy.as_ref().is_some_and(|first| *first != chosen.name) {
                return Err(refused(format!(
                    "the sites of one record go by one strategy, not by `{}` and `{}`",
                    strategy.unwrap_or_default(),
                    chosen.name
                )));
            }
            let index = chosen.action.is_ordered().then(|| order.get(&site.referent).copied()).flatten();
            strategy = Some(chosen.name.clone());
            planned.push(Site { strategy: strategy.clone(), index, ..site.clone() });
        }
        let Some(strategy) = strategy else { return Ok(()) };
        let index = planned.first().and_then(|site| site.index);
        self.mark(op, &strategy, index);
        if kind == SiteKind::Record {
            let made: Vec<MlirAttribute> =
                planned.iter().map(|site| site_attribute(self.context(), site)).collect();
            // SAFETY: operation and context are alive; MLIR copies the array.
            unsafe {
                let array = mlirArrayAttrGet(self.context(), made.len() as isize, made.as_ptr());
                mlirOperationSetAttributeByName(op, string_ref("sites"), array);
            }
        }
        self.chosen.insert(symbol, (strategy, index));
        Ok(())
    }

    fn mark(&self, op: MlirOperation, strategy: &str, index: Option<u64>) {
        // SAFETY: operation and context are alive; MLIR copies names and strings.
        unsafe {
            let text = mlirStringAttrGet(self.context(), string_ref(strategy));
            mlirOperationSetAttributeByName(op, string_ref("strategy"), text);
            if let Some(index) = index {
                let number = mlirIntegerAttrGet(mlirIntegerTypeGet(self.context(), 64), index.cast_signed());
                mlirOperationSetAttributeByName(op, string_ref("index"), number);
            }
        }
    }

    /// Marks what refers to a slot or record as its target is marked, in one walk.
    fn uses(&self) {
        unsafe extern "C" fn visit(op: MlirOperation, user: *mut std::ffi::c_void) -> MlirWalkResult {
            // SAFETY: `user` is the planner below; the operation is alive during the walk.
            unsafe {
                let planner = &*user.cast::<Planner<'_, '_>>();
                let attribute = match text(mlirIdentifierStr(mlirOperationGetName(op))) {
                    "reloc.load" => "slot",
                    "reloc.address" => "global",
                    _ => return MlirWalkResult_MlirWalkResultAdvance,
                };
                if let Some(target) = named_attribute(op, attribute)
                    && let Some((strategy, index)) =
                        planner.chosen.get(text(mlirFlatSymbolRefAttrGetValue(target)))
                {
                    planner.mark(op, strategy, *index);
                }
            }
            MlirWalkResult_MlirWalkResultAdvance
        }
        let user = (&raw const *self).cast_mut().cast();
        // SAFETY: the walk calls back before it returns, and marking adds no operations.
        unsafe {
            mlirOperationWalk(self.module.operation(), Some(visit), user, MlirWalkOrder_MlirWalkPreOrder);
        }
    }
}
