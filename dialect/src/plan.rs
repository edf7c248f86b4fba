//! Planning: writes on every slot, record, load and address which strategy delivers it.
//!
//! Where the strategy's words have an order, it is that of the referents: the same whatever the session or the order
//! of the input. Of words that a loader hands over in a table planning makes a record, whose sites they are.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use mlir_sys::*;
use relo_engine::{RuleSet, SiteKind, StrategySpec};
use relo_referent::{Action, Referent};

use crate::attributes::{Site, referent_of, site_attribute, site_of};
use crate::error::DialectError;
use crate::handle::{named_attribute, operation, printed, string_attribute, string_ref, text};
use crate::module::Module;
use crate::symbols::{Symbols, top_level};

/// Chooses the strategy of each site by the target's table.
///
/// # Errors
/// When no line of the table fits a site, or the strategy that fits can't deliver it.
pub fn plan(module: &mut Module<'_>, rules: &RuleSet) -> Result<(), DialectError> {
    let mut planner = Planner { module, rules, chosen: HashMap::new() };
    let planned = planner
        .sites()
        .into_iter()
        .map(|found| planner.choose(&found).map(|strategy| (found, strategy)))
        .collect::<Result<Vec<_>, _>>()?;
    let orders = planner.orders(&planned);
    let mut tables = BTreeMap::new();
    for (strategy, order) in &orders {
        if strategy.action == Action::Table {
            tables.insert(strategy.name.as_str(), planner.table(strategy, order)?);
        }
    }
    for (found, strategy) in &planned {
        planner.site(found, strategy, orders.get(strategy), tables.get(strategy.name.as_str()));
    }
    planner.uses();
    Ok(())
}

/// A slot or record with its sites.
struct Found {
    op: MlirOperation,
    symbol: String,
    kind: SiteKind,
    sites: Vec<Site>,
}

/// What was chosen for a slot or record, for what refers to it.
struct Chosen {
    strategy: String,
    index: Option<u64>,
    table: Option<String>,
}

/// The referents that a strategy delivers in an order.
type Order = BTreeMap<Referent, u64>;

struct Planner<'a, 'c> {
    module: &'a mut Module<'c>,
    rules: &'a RuleSet,
    chosen: HashMap<String, Chosen>,
}

impl<'a> Planner<'a, '_> {
    fn context(&self) -> MlirContext {
        self.module.context().raw()
    }

    fn sites(&self) -> Vec<Found> {
        let mut found = Vec::new();
        for op in top_level(self.module.raw()) {
            // SAFETY: the operation is alive, its name as long as the context.
            let name = unsafe { text(mlirIdentifierStr(mlirOperationGetName(op))) };
            let symbol = string_attribute(op, "sym_name").unwrap_or_default();
            if name == "reloc.slot"
                && let Some(referent) = named_attribute(op, "referent").and_then(referent_of)
            {
                let site = Site { offset: 0, width: 64, referent, strategy: None, index: None };
                found.push(Found { op, symbol, kind: SiteKind::Slot, sites: vec![site] });
            } else if name == "reloc.record"
                && let Some(array) = named_attribute(op, "sites")
            {
                // SAFETY: the verifier made sure that this is an array.
                let sites = unsafe {
                    (0..mlirArrayAttrGetNumElements(array))
                        .filter_map(|index| site_of(mlirArrayAttrGetElement(array, index)))
                        .collect()
                };
                found.push(Found { op, symbol, kind: SiteKind::Record, sites });
            }
        }
        found
    }

    /// The one strategy of a slot's or record's sites.
    fn choose(&self, found: &Found) -> Result<&'a StrategySpec, DialectError> {
        let mut strategy: Option<&StrategySpec> = None;
        for site in &found.sites {
            let refused = |reason: String, help: String| DialectError::Plan {
                symbol: found.symbol.clone(),
                referent: Box::new(site.referent.clone()),
                reason,
                help,
            };
            let chosen = self.rules.plan(&site.referent, found.kind).map_err(|error| {
                let uses = self.uses_of(&found.symbol);
                let lowers =
                    |name: &&String| uses.iter().all(|used| self.rules.lowers(name, found.kind, used));
                let would = error.would.iter().filter(lowers).map(|name| format!("`{name}`"));
                let would = would.collect::<Vec<_>>().join(", ");
                refused(error.reason, format!("these would, for this target: {would}"))
            })?;
            if let Some(first) = strategy.filter(|first| first.name != chosen.name) {
                return Err(refused(
                    format!(
                        "the sites of one record go by one strategy, not by `{}` and `{}`",
                        first.name, chosen.name
                    ),
                    "say `site: record` in a line of the target's `strategies`, before those that disagree"
                        .into(),
                ));
            }
            strategy = Some(chosen);
        }
        Ok(strategy.expect("records without sites do not verify"))
    }

    /// For each strategy whose words have an order, the place of each referent that is used.
    fn orders(&self, planned: &[(Found, &'a StrategySpec)]) -> BTreeMap<&'a StrategySpec, Order> {
        let symbols = Symbols::new(self.module.raw());
        let mut orders: BTreeMap<&StrategySpec, BTreeSet<&Referent>> = BTreeMap::new();
        for (found, strategy) in planned {
            if strategy.action.is_ordered() && symbols.is_used(&found.symbol) {
                orders.entry(strategy).or_default().extend(found.sites.iter().map(|site| &site.referent));
            }
        }
        let number = |referents: BTreeSet<&Referent>| referents.into_iter().cloned().zip(0..).collect();
        orders.into_iter().map(|(strategy, referents)| (strategy, number(referents))).collect()
    }

    /// The record of a table's words, named after all of them: whoever has the same words has the same table.
    fn table(&self, strategy: &StrategySpec, order: &Order) -> Result<String, DialectError> {
        let mut hasher = blake3::Hasher::new();
        for referent in order.keys() {
            hasher.update(referent.to_string().as_bytes());
            hasher.update(b"\n");
        }
        let name = format!("relo_words_{}", &hasher.finalize().to_hex()[..16]);
        if Symbols::new(self.module.raw()).get(&name).is_some() {
            let what = "the table of the words of this module".to_owned();
            return Err(DialectError::Taken { symbol: name, what });
        }
        let width = self.rules.target.word_width();
        let sites = order.iter().map(|(referent, index)| Site {
            offset: index * u64::from(width / 8),
            width,
            referent: referent.clone(),
            strategy: Some(strategy.name.clone()),
            index: Some(*index),
        });
        let sites = self.array(sites);
        // SAFETY: the attribute is alive; the printer calls back before it returns.
        let sites = printed(|append, user| unsafe { mlirAttributePrint(sites, Some(append), user) });
        let ty = format!("!llvm.array<{} x i{width}>", order.len());
        let text = format!(
            "reloc.record @{name} : {ty} sites {sites} attributes {{strategy = {:?}}} \
             init {{ %0 = llvm.mlir.zero : {ty} llvm.return %0 : {ty} }}",
            strategy.name
        );
        // SAFETY: the context is alive and MLIR copies the text; the new operation goes into the module's body.
        unsafe {
            let made =
                mlirOperationCreateParse(self.context(), string_ref(&text), string_ref("a table of words"));
            assert!(!made.ptr.is_null(), "planning writes valid MLIR: {text}");
            mlirBlockAppendOwnedOperation(mlirModuleGetBody(self.module.raw()), made);
        }
        Ok(name)
    }

    fn array(&self, sites: impl Iterator<Item = Site>) -> MlirAttribute {
        let made: Vec<MlirAttribute> = sites.map(|site| site_attribute(self.context(), &site)).collect();
        // SAFETY: the context is alive; MLIR copies the array.
        unsafe { mlirArrayAttrGet(self.context(), made.len() as isize, made.as_ptr()) }
    }

    /// Writes on a slot or record what was chosen for it.
    fn site(
        &mut self,
        found: &Found,
        strategy: &StrategySpec,
        order: Option<&Order>,
        table: Option<&String>,
    ) {
        let index = |site: &Site| order.and_then(|order| order.get(&site.referent).copied());
        let chosen = Chosen {
            strategy: strategy.name.clone(),
            index: found.sites.first().and_then(index),
            table: table.cloned(),
        };
        self.mark(found.op, &chosen, false);
        if found.kind == SiteKind::Record {
            let planned = found.sites.iter().map(|site| Site {
                strategy: Some(strategy.name.clone()),
                index: index(site),
                ..site.clone()
            });
            let array = self.array(planned);
            // SAFETY: the operation is alive.
            unsafe { mlirOperationSetAttributeByName(found.op, string_ref("sites"), array) };
        }
        self.chosen.insert(found.symbol.clone(), chosen);
    }

    fn mark(&self, op: MlirOperation, chosen: &Chosen, is_load: bool) {
        // SAFETY: operation and context are alive; MLIR copies names and strings.
        unsafe {
            let text = mlirStringAttrGet(self.context(), string_ref(&chosen.strategy));
            mlirOperationSetAttributeByName(op, string_ref("strategy"), text);
            if let Some(index) = chosen.index {
                let number = mlirIntegerAttrGet(mlirIntegerTypeGet(self.context(), 64), index.cast_signed());
                mlirOperationSetAttributeByName(op, string_ref("index"), number);
            }
            if let Some(table) = chosen.table.as_deref().filter(|_| is_load) {
                let symbol = mlirFlatSymbolRefAttrGet(self.context(), string_ref(table));
                mlirOperationSetAttributeByName(op, string_ref("table"), symbol);
            }
        }
    }

    /// How code refers to a slot or record: by which operations.
    fn uses_of(&self, symbol: &str) -> BTreeSet<&'static str> {
        let operations = self.module.operations().into_iter().map(operation);
        operations.filter_map(referred).filter(|(_, used)| used == symbol).map(|(name, _)| name).collect()
    }

    /// Marks what refers to a slot or record as its target is marked, in one walk.
    fn uses(&self) {
        unsafe extern "C" fn visit(op: MlirOperation, user: *mut std::ffi::c_void) -> MlirWalkResult {
            // SAFETY: `user` is the planner below; the operation is alive during the walk.
            unsafe {
                let planner = &*user.cast::<Planner<'_, '_>>();
                if let Some((name, symbol)) = referred(op)
                    && let Some(chosen) = planner.chosen.get(&symbol)
                {
                    planner.mark(op, chosen, name == LOAD);
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

const LOAD: &str = "reloc.load";

/// The slot or record that an operation refers to, and which of the two operations that do it is.
fn referred(op: MlirOperation) -> Option<(&'static str, String)> {
    // SAFETY: the operation is alive, its name as long as the context.
    let (name, attribute) = match unsafe { text(mlirIdentifierStr(mlirOperationGetName(op))) } {
        LOAD => (LOAD, "slot"),
        "reloc.address" => ("reloc.address", "global"),
        _ => return None,
    };
    let target = named_attribute(op, attribute)?;
    // SAFETY: the verifier made sure that this is a symbol.
    let symbol = unsafe { text(mlirFlatSymbolRefAttrGetValue(target)) }.to_owned();
    Some((name, symbol))
}
