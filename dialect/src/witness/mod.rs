//! Witnesses of an overlap: a small module in which two rules fire on the same operation, each run by itself.
//!
//! [`merge`] makes one pattern of both; [`scene`] writes it down as MLIR. Then the rules are tried: what the first clause that
//! does not hold asks for, [`mend`] changes, until both hold or nothing is left to be tried. The module is a valid one. Two
//! rules that none is found for are taken not to overlap.

mod conditions;
mod known;
mod mend;
mod merge;
mod recipes;
mod sample;
mod scene;
mod types;
mod writing;

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::fmt::Write as _;

use relo_engine::evaluate::attempt;
use relo_engine::interpret::{Event, shape};
use relo_engine::normal::Rule;
use relo_engine::{Finding, Host, Library, Op, Overlap, Request, RuleSet, RuleSetError, Witness};
use relo_referent::SessionTable;

use crate::context::Context;
use crate::handle::op_handle;
use crate::host::{AddNatives, MlirHost, Surroundings};
use crate::interpreter::interpret;
use crate::module::Module;
use crate::natives::{made, natives};
use crate::schema::OdsSchema;
use crate::symbols::top_level;
use known::Known;
use mend::Mend;
use merge::Places;
use scene::{FUNCTION, Scene};
use types::Taken;

/// So many modules are tried for two rules.
const MOST_TRIES: usize = 64;

/// Checks rules with all that there is: what can be told of them as they are, and what comes of running them. What it finds
/// out about two rules it keeps, so that it is quick to check the same rules for another target.
pub struct Checker {
    natives: AddNatives,
    known: Known,
}

impl Default for Checker {
    fn default() -> Self {
        Self::new(natives)
    }
}

impl Checker {
    /// A checker of rules that call these natives.
    pub fn new(natives: AddNatives) -> Self {
        Self { natives, known: Known::default() }
    }

    /// The rules of a request, with the warnings.
    ///
    /// # Errors
    /// As [`RuleSet::new`], with the overlaps that have a witness among the findings.
    pub fn rules(
        &self,
        library: &Library,
        request: &Request,
    ) -> Result<(RuleSet, Vec<Finding>), RuleSetError> {
        let (rules, findings) = self.draft(library, request)?;
        rules.unless_wrong(findings)
    }

    /// The same, whatever the findings: the rules that are right each by itself.
    ///
    /// # Errors
    /// When the request can't be met.
    pub fn draft(
        &self,
        library: &Library,
        request: &Request,
    ) -> Result<(RuleSet, Vec<Finding>), RuleSetError> {
        let signatures = made(self.natives).signatures();
        let (rules, mut findings) = RuleSet::draft(library, request, &signatures, &OdsSchema)?;
        findings.extend(self.overlaps(&rules.overlaps, rules.target.word_width()));
        Ok((rules, findings))
    }

    /// A finding for each overlap that has a witness.
    fn overlaps(&self, overlaps: &[Overlap], word_width: u32) -> Vec<Finding> {
        // It is made when the first search begins: mostly there is none.
        let (context, taken) = (OnceCell::new(), Taken::default());
        let pair =
            |overlap: &Overlap| (overlap.first.digest.clone(), overlap.second.digest.clone(), word_width);
        let found = self.known.all(overlaps.iter().map(pair), |index| {
            let context = context.get_or_init(Context::new);
            let rules = [&overlaps[index].first, &overlaps[index].second];
            Search { context, taken: &taken, rules, word_width, natives: self.natives }.run()
        });
        let told = |(overlap, witness): (&Overlap, Option<Witness>)| witness.map(|one| overlap.finding(&one));
        overlaps.iter().zip(found).filter_map(told).collect()
    }
}

/// The search for a module in which two rules fire.
struct Search<'a> {
    context: &'a Context,
    taken: &'a Taken,
    /// The one that is tried first before the other.
    rules: [&'a Rule; 2],
    word_width: u32,
    natives: AddNatives,
}

/// What came of trying both rules on a module.
enum Tried {
    /// Both hold.
    Both,
    /// One does not, and this might mend it.
    Mended(Vec<Scene>),
}

impl Search<'_> {
    fn run(&self) -> Option<Witness> {
        let (mut scene, places) = merge::merge(self.rules[0], self.rules[1])?;
        scene.complete(self.context)?;
        let start = types::settle(scene, self.context, &self.word(), self.taken)?;
        let (mut open, mut seen, mut tries) = (vec![start], BTreeSet::new(), 0);
        while let Some(scene) = open.pop() {
            let session = scene.session();
            let Some(text) = scene.text(self.context, &self.word()) else { continue };
            if !seen.insert((text.clone(), session)) {
                continue;
            }
            tries += 1;
            if tries > MOST_TRIES {
                return None;
            }
            match self.attempt(&scene, &text, &places) {
                Some(Tried::Both) => {
                    if let Some(witness) = self.witness(&scene, &text) {
                        return Some(witness);
                    }
                }
                // What is likeliest comes first, and is tried before anything else.
                Some(Tried::Mended(scenes)) => open.extend(scenes.into_iter().rev()),
                None => {}
            }
        }
        None
    }

    fn word(&self) -> String {
        format!("i{}", self.word_width)
    }

    fn attempt(&self, scene: &Scene, text: &str, places: &[Places; 2]) -> Option<Tried> {
        let module = Module::parse_as_is(self.context, text)?;
        let session = session(scene);
        let surroundings = surroundings(&session, self.word_width, self.natives);
        let mut host = MlirHost::new(self.context, module.raw(), &surroundings);
        let root = root(scene, &module, &host)?;
        let natives = made(self.natives);
        for (rule, places) in self.rules.into_iter().zip(places) {
            let ops = shape(rule, root, &host).ok()?;
            if let Err((failure, bound)) = attempt(rule, &ops, &mut host, &natives) {
                let mend = Mend {
                    scene,
                    rule,
                    places,
                    bound: &bound,
                    context: self.context,
                    word: self.word(),
                    host: &mut host,
                    natives: &natives,
                };
                return Some(Tried::Mended(mend.failure(failure)));
            }
        }
        Some(Tried::Both)
    }

    /// Runs each rule alone.
    fn witness(&self, scene: &Scene, text: &str) -> Option<Witness> {
        let shown = Module::parse_as_is(self.context, text)?;
        shown.verify("").ok()?;
        let mut module = body(&shown.text());
        if let Some(table) = scene.session() {
            let table: serde_json::Value = serde_json::from_str(&table).ok()?;
            let mut entries = String::new();
            for entry in table["entries"].as_array().into_iter().flatten() {
                let _ = writeln!(entries, "// session: {entry}");
            }
            module.insert_str(0, &entries);
        }
        let outcomes = [self.outcome(scene, text, self.rules[0])?, self.outcome(scene, text, self.rules[1])?];
        Some(Witness { module, outcomes })
    }

    /// What a rule makes of the module; `None` where it does not fire on the root after all.
    fn outcome(&self, scene: &Scene, text: &str, rule: &Rule) -> Option<String> {
        let mut module = Module::parse_as_is(self.context, text)?;
        let session = session(scene);
        let surroundings = surroundings(&session, self.word_width, self.natives);
        let name = &rule.root().name;
        let (mut fires, mut rejects) = (false, None);
        let mut observe = |host: &mut MlirHost<'_>, event: &Event| match event {
            Event::Fired { root, .. } => fires |= host.operation_name(*root) == *name,
            Event::Rejected { message, .. } => rejects = rejects.take().or(Some(message.clone())),
            Event::Missed { .. } => {}
        };
        let rules = std::slice::from_ref(rule);
        let ended = interpret(&mut module, rule.phase, rules, &surroundings, false, &mut observe);
        match (rejects, ended) {
            (Some(message), _) => Some(format!("rejects, \"{message}\"")),
            (None, Ok(_)) if fires => Some(body(&module.text())),
            (None, Err(error)) if fires => Some(error.to_string()),
            _ => None,
        }
    }
}

fn session(scene: &Scene) -> SessionTable {
    scene.session().and_then(|text| SessionTable::parse(&text, "witness").ok()).unwrap_or_default()
}

fn surroundings(session: &SessionTable, word_width: u32, natives: AddNatives) -> Surroundings<'_> {
    Surroundings { session, word_width, resolve: &|_| Some(0x7f00_0000_1000), natives }
}

/// The operation that both rules have as their root.
fn root(scene: &Scene, module: &Module<'_>, host: &MlirHost<'_>) -> Option<Op> {
    let root = scene.operations.last()?;
    if let Some(symbol) = root.defines {
        // Symbols are written first, in their order.
        return top_level(module.raw()).get(symbol).copied().map(op_handle);
    }
    let inside = |op: &Op| host.location(*op).symbol.as_deref() == Some(FUNCTION);
    module.operations().into_iter().rfind(|op| host.operation_name(*op) == root.name && inside(op))
}

/// What stands in a module, without the module itself.
fn body(text: &str) -> String {
    let inner = text.trim().strip_prefix("module {").and_then(|rest| rest.strip_suffix('}'));
    let Some(inner) = inner else { return text.to_owned() };
    inner
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| format!("{}\n", line.strip_prefix("  ").unwrap_or(line)))
        .collect()
}
