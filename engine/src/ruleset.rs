//! The rules of one compilation: normalised for its target, in their order, with the strategies they define.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use indexmap::IndexMap;
use relo_grammar::span::{Source, Span};
use relo_grammar::tree;
use relo_referent::{Action, Referent};

use crate::analyse::{Analysis, Cell, Demands, Facts, Laws, Overlap, analyse};
use crate::finding::{Finding, Severity, suggestion};
use crate::library::Library;
use crate::native::Signature;
use crate::normal::{Outcome, Phase, Rule};
use crate::normalise::{Context, Declared, Scope, rule};
use crate::pack::{Pack, TargetSpec};
use crate::plan::{self, Choice, PlanError, SiteKind};
use crate::precedence;
use crate::request::{Request, RuleSetError};
use crate::schema::Schema;
use crate::target::Target;

/// How a setting's name begins that is the target's property.
const PROPERTY: &str = "target.";

/// A strategy, as its block in a rule file declares it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StrategySpec {
    /// Its name.
    pub name: String,
    /// What the loader does at its sites.
    pub action: Action,
    /// The kinds of site that it can deliver.
    pub sites: Vec<SiteKind>,
    /// Whether the artifact is valid in another session.
    pub portable: bool,
}

/// Checked rules, ready to be compiled.
#[derive(Clone, Debug)]
pub struct RuleSet {
    /// What they are for.
    pub target: Target,
    /// Names and digests of the packs that take part.
    pub packs: Vec<(String, String)>,
    /// The strategies.
    pub strategies: Vec<StrategySpec>,
    /// Which strategy delivers which site; the first that fits.
    pub choices: Vec<Choice>,
    /// What becomes of each kind of site and referent under each strategy.
    pub cells: Vec<Cell>,
    /// Names of globals that hold a value of the session each: what the session table does not know is left over.
    pub values: Vec<regex::Regex>,
    /// Rules that seem to match the same operation, with nothing to say which of them wins: whoever can run rules finds
    /// out whether they do.
    pub overlaps: Vec<Overlap>,
    // These are shared: sets that differ in the strategy have the same.
    rules: Arc<[Rule]>,
    /// When each of the rules holds.
    pub(crate) demands: Arc<[Demands]>,
    pub(crate) facts: Arc<Facts>,
}

impl RuleSet {
    /// Normalises and checks the rules that a request needs; also gives the warnings.
    ///
    /// # Errors
    /// All mistakes at once, wherever they are.
    pub fn new(
        library: &Library,
        request: &Request,
        signatures: &IndexMap<&'static str, Signature>,
        schema: &dyn Schema,
    ) -> Result<(Self, Vec<Finding>), RuleSetError> {
        let (set, findings) = Self::draft(library, request, signatures, schema)?;
        set.unless_wrong(findings)
    }

    /// The rules with what was found about them, where those are warnings only.
    ///
    /// # Errors
    /// All that was found, where a mistake is among it.
    pub fn unless_wrong(self, findings: Vec<Finding>) -> Result<(Self, Vec<Finding>), RuleSetError> {
        if findings.iter().any(|finding| finding.severity == Severity::Error) {
            let (target, cells) = (self.target.spec.name, self.cells);
            return Err(RuleSetError::Findings { target, findings, cells });
        }
        Ok((self, findings))
    }

    /// The same, whatever the findings: the rules that are right each by itself.
    ///
    /// # Errors
    /// When the request can't be met.
    pub fn draft(
        library: &Library,
        request: &Request,
        signatures: &IndexMap<&'static str, Signature>,
        schema: &dyn Schema,
    ) -> Result<(Self, Vec<Finding>), RuleSetError> {
        let Some((pack, spec)) = library.target(&request.target) else {
            let names = library.targets().map(|(_, target)| target.name.as_str());
            return Err(RuleSetError::UnknownTarget {
                name: request.target.clone(),
                help: suggestion(&request.target, names),
            });
        };
        if let Some(name) = request.packs.iter().find(|name| library.pack(name).is_none()) {
            let names = library.packs().map(|pack| pack.name.as_str());
            return Err(RuleSetError::UnknownPack { name: name.clone(), help: suggestion(name, names) });
        }
        let cpu = request.cpu.clone().unwrap_or_else(|| spec.cpu.clone());
        let mut properties = spec.properties.clone();
        properties.extend(
            request
                .settings
                .iter()
                .filter_map(|(name, value)| Some((name.strip_prefix(PROPERTY)?.to_owned(), value.clone()))),
        );
        let target = Target {
            spec: TargetSpec { cpu, properties, ..spec.clone() },
            pack: pack.name.clone(),
            emit: request.emit.clone().or_else(|| spec.emit.first().cloned()).unwrap_or_default(),
        };
        let packs = library.taking_part(request);
        let mut findings = Vec::new();
        let scope = Scope::new(library, &packs, &target, request, &mut findings);
        let known: Vec<String> = packs.iter().flat_map(|pack| parameters(pack)).collect();
        let unknown = |name: &&String| !known.contains(name) && !name.starts_with(PROPERTY);
        if let Some(name) = request.settings.keys().find(unknown) {
            let help = suggestion(name, known.iter().map(String::as_str));
            return Err(RuleSetError::UnknownParameter { name: name.clone(), help });
        }
        let context = Context { scope: &scope, target: &target, signatures, schema };
        let mut rules = Vec::new();
        let mut lost = Vec::new();
        for item in &scope.rules {
            let (normal, found) = rule(&context, item);
            if normal.is_none() && item.phase == Phase::Lower {
                lost.push(item.strategy.map(|strategy| strategy.name.item.as_str()));
            }
            rules.extend(normal);
            findings.extend(found);
        }
        let paths: Vec<String> = scope.rules.iter().map(|item| item.base_path().to_owned()).collect();
        let before = findings.len();
        let preferences = precedence::order(&mut rules, &paths, &scope, &mut findings);
        let ordered = findings.len() == before;
        let strategies: Vec<StrategySpec> =
            scope.strategies.iter().filter_map(|strategy| read_strategy(strategy, &mut findings)).collect();
        check_choices(pack, spec, &strategies, &scope, &mut findings);
        let facts = Facts::new(signatures, &scope.facts, &mut findings);
        // What a rule with mistakes would answer nobody knows.
        let is_known = |strategy: &&Declared<tree::Strategy>| {
            let name = strategy.item.name.item.as_str();
            scope.is_whole() && !lost.iter().any(|lost| lost.is_none_or(|lost| lost == name))
        };
        let laws = Laws {
            facts: &facts,
            signatures,
            schema,
            ordered,
            preferences: &preferences,
            visible: scope.seen().collect(),
            ends: ends(&packs, &paths, &scope, &mut findings),
            meaning: meaning(&packs, schema, &mut findings),
            strategy_places: scope.strategies.iter().filter(is_known).map(place_of_strategy).collect(),
        };
        let Analysis { findings: found, cells, overlaps, demands } =
            analyse(&rules, &strategies, &target.spec, &laws);
        findings.extend(found);
        let values =
            packs.iter().filter_map(|pack| crate::expression::regex(pack.values.as_deref()?).ok()).collect();
        let packs = packs.iter().map(|pack| (pack.name.clone(), pack.digest.clone())).collect();
        let choices = spec.strategies.clone();
        let (rules, demands, facts) = (rules.into(), demands.into(), Arc::new(facts));
        let set = Self { target, packs, strategies, choices, cells, values, overlaps, rules, demands, facts };
        let set = match &request.strategy {
            Some(name) => set.with_strategy(name)?,
            None => set,
        };
        Ok((set, findings))
    }

    /// The same rules, with a strategy that comes before the choices.
    ///
    /// # Errors
    /// When there is no such strategy.
    pub fn with_strategy(mut self, name: &str) -> Result<Self, RuleSetError> {
        if self.strategy(name).is_none() {
            let names = self.strategies.iter().map(|strategy| strategy.name.as_str());
            return Err(RuleSetError::UnknownStrategy {
                name: name.to_owned(),
                help: suggestion(name, names),
            });
        }
        self.choices.insert(0, Choice::always(name));
        Ok(self)
    }

    /// The rules of a phase, in the order in which they are tried.
    pub fn phase(&self, phase: Phase) -> &[Rule] {
        let start = self.rules.partition_point(|rule| rule.phase < phase);
        let end = self.rules.partition_point(|rule| rule.phase <= phase);
        &self.rules[start..end]
    }

    /// All rules.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// A strategy by name.
    pub fn strategy(&self, name: &str) -> Option<&StrategySpec> {
        self.strategies.iter().find(|strategy| strategy.name == name)
    }

    /// The strategies that lower what a rule refuses which stands in another's block.
    pub fn instead(&self, rule: &str) -> Vec<&str> {
        let rule = self.rules.iter().find(|one| one.path == rule);
        let Some((rule, own)) = rule.and_then(|rule| Some((rule, self.strategy(rule.strategy.as_deref()?)?)))
        else {
            return Vec::new();
        };
        let operation = &rule.root().name;
        let delivers = |strategy: &&StrategySpec| {
            own.sites.iter().all(|site| self.lowers(&strategy.name, *site, operation))
        };
        self.strategies.iter().filter(delivers).map(|strategy| strategy.name.as_str()).collect()
    }

    /// Whether a strategy delivers such a site for the target, and has a rule that lowers the operation.
    pub fn lowers(&self, strategy: &str, site: SiteKind, operation: &str) -> bool {
        let delivers =
            |strategy: &StrategySpec| strategy.sites.contains(&site) && self.target.spec.can(strategy.action);
        let lowers = |rule: &Rule| {
            rule.strategy.as_deref() == Some(strategy)
                && rule.root().name == operation
                && matches!(rule.outcome, Outcome::Rewrite { .. })
        };
        self.strategy(strategy).is_some_and(delivers) && self.phase(Phase::Lower).iter().any(lowers)
    }

    /// The strategy of a site.
    ///
    /// # Errors
    /// When no choice fits, or the target's loaders can't do what the strategy asks for.
    pub fn plan(&self, referent: &Referent, site: SiteKind) -> Result<&StrategySpec, PlanError> {
        plan::strategy(&self.choices, &self.strategies, &self.target.spec, referent, site)
    }
}

fn parameters(pack: &Pack) -> impl Iterator<Item = String> {
    pack.files.iter().flat_map(|(_, file)| &file.items).filter_map(|item| match item {
        tree::Item::Param(param) => Some(format!("{}.{}", pack.name, param.name.item)),
        _ => None,
    })
}

fn place_of_strategy(declared: &Declared<tree::Strategy>) -> (String, (Source, Span)) {
    (declared.item.name.item.clone(), (declared.source.clone(), declared.item.name.span))
}

/// The rules whose author says that they come to an end, from all packs.
fn ends(
    packs: &[&Pack],
    paths: &[String],
    scope: &Scope<'_>,
    findings: &mut Vec<Finding>,
) -> BTreeSet<String> {
    let mut ends = BTreeSet::new();
    for pack in packs {
        for rule in pack.ends.keys() {
            if paths.contains(rule) {
                ends.insert(rule.clone());
                continue;
            }
            if scope.is_unread(rule) {
                continue;
            }
            let place = pack.key_place(&format!("ends/{rule}"));
            findings.push(
                Finding::error("relo::pack::ends", &pack.yaml, place, format!("there is no rule `{rule}`"))
                    .help(suggestion(rule, paths.iter().map(String::as_str))),
            );
        }
    }
    ends
}

/// The fields that mean something, from all packs.
fn meaning(
    packs: &[&Pack],
    schema: &dyn Schema,
    findings: &mut Vec<Finding>,
) -> BTreeMap<String, Vec<String>> {
    let mut meaning: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for pack in packs {
        for (operation, fields) in &pack.meaning {
            let path = format!("meaning/{operation}");
            let Some(facts) = schema.operation(operation) else {
                let names = schema.names();
                let message = format!("there is no operation `{operation}`");
                findings.push(
                    Finding::error("relo::pack::meaning", &pack.yaml, pack.key_place(&path), message)
                        .help(suggestion(operation, names.iter().map(String::as_str))),
                );
                continue;
            };
            for (index, field) in fields.iter().enumerate() {
                if facts.attribute(field).is_some() {
                    meaning.entry(operation.clone()).or_default().push(field.clone());
                    continue;
                }
                let place = pack.place(&format!("{path}/{index}"));
                let names = facts.attributes.iter().map(|attribute| attribute.name.as_str());
                findings.push(
                    Finding::error(
                        "relo::pack::meaning",
                        &pack.yaml,
                        place,
                        format!("`{operation}` has no attribute `{field}`"),
                    )
                    .help(suggestion(field, names)),
                );
            }
        }
    }
    meaning
}

fn read_strategy(declared: &Declared<tree::Strategy>, findings: &mut Vec<Finding>) -> Option<StrategySpec> {
    let strategy = declared.item;
    let Some(loader) = &strategy.loader else {
        findings.push(
            Finding::error(
                "relo::check::no_loader",
                declared.source,
                strategy.name.span,
                format!("strategy `{}` does not say what the loader does", strategy.name.item),
            )
            .help("write `loader write`, or another loader action"),
        );
        return None;
    };
    let action = Action::by_name(&loader.item);
    if action.is_none() {
        findings.push(
            Finding::error(
                "relo::check::unknown_action",
                declared.source,
                loader.span,
                format!("there is no loader action `{}`", loader.item),
            )
            .help(suggestion(&loader.item, Action::ALL.map(|(name, _)| name))),
        );
    }
    let kinds = [SiteKind::Slot, SiteKind::Record];
    let mut sites = Vec::new();
    for site in &strategy.sites {
        match kinds.into_iter().find(|kind| kind.name() == site.item) {
            Some(kind) => sites.push(kind),
            None => findings.push(
                Finding::error(
                    "relo::check::unknown_site",
                    declared.source,
                    site.span,
                    format!("there is no kind of site `{}`", site.item),
                )
                .help(suggestion(&site.item, kinds.map(SiteKind::name))),
            ),
        }
    }
    Some(StrategySpec {
        name: strategy.name.item.clone(),
        action: action?,
        sites,
        portable: strategy.portable.is_some(),
    })
}

/// Each line of a target names a strategy that there is, and that the target's loaders can do.
fn check_choices(
    pack: &Pack,
    spec: &TargetSpec,
    strategies: &[StrategySpec],
    scope: &Scope<'_>,
    findings: &mut Vec<Finding>,
) {
    for (index, choice) in spec.strategies.iter().enumerate() {
        let place = pack.place(&format!("targets/{}/strategies/{index}/use", spec.name));
        let (code, message, help) = match strategies.iter().find(|one| one.name == choice.strategy) {
            Some(strategy) if spec.can(strategy.action) => continue,
            None if scope.declares_strategy(&choice.strategy) => continue,
            Some(StrategySpec { name, action, .. }) => (
                "relo::pack::no_loader",
                format!(
                    "`{name}` asks the loader to {}, which those of `{}` can't",
                    action.name(),
                    spec.name
                ),
                able(strategies, spec),
            ),
            None => (
                "relo::pack::unknown_strategy",
                format!("there is no strategy `{}`", choice.strategy),
                suggestion(&choice.strategy, strategies.iter().map(|strategy| strategy.name.as_str())),
            ),
        };
        findings.push(Finding::error(code, &pack.yaml, place, message).label("this value").help(help));
    }
}

/// The strategies that a target's loaders can do.
fn able(strategies: &[StrategySpec], spec: &TargetSpec) -> String {
    let able = strategies.iter().filter(|strategy| spec.can(strategy.action));
    let names = able.map(|strategy| format!("`{}`", strategy.name)).collect::<Vec<_>>().join(", ");
    if names.is_empty() {
        return "add the action to the target's `loader`".to_owned();
    }
    format!("they can do {names}; or add the action to the target's `loader`")
}
