//! Rules at work, step by step: what each rewrite changes of the module's text, and what came of the rules at a place.
//!
//! The reference interpreter runs the rules. A step's changes are seen at the next rule that is tried: what only a replaced
//! operation used, and what initialisers say of it, go with the step.

mod at;
mod names;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use mlir_sys::*;
use relo_engine::interpret::Event;
use relo_engine::normal::{Phase, Rule};
use relo_engine::{Host, Op, Rewriter};

use crate::error::DialectError;
use crate::handle::{op_handle, operation, string_attribute, text};
use crate::host::{MlirHost, Surroundings};
use crate::interpreter;
use crate::module::Module;
use crate::record::{Fired, Outcome};
use crate::symbols::top_level;
use names::{Names, name_of, print};

pub use at::{Asked, At, Fate};

/// What changed the module.
#[derive(Clone, Copy, Debug)]
pub enum Cause<'a> {
    /// Nothing: this is what there is when the first phase begins.
    Input,
    /// A rule.
    Rule(&'a Fired),
    /// The rule that was told of last: this goes with what it did.
    Rest,
    /// The choice of strategies.
    Plan,
}

/// What became of a part of the module: a symbol's definition, or what has no name.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    /// Its name.
    pub part: &'a str,
    /// The part before it.
    pub behind: Option<&'a str>,
    /// Its text, where it was there.
    pub before: Option<&'a str>,
    /// Its text, where it is there now.
    pub after: Option<&'a str>,
}

/// Who is told of each step.
pub type Watcher<'a> = dyn FnMut(Cause<'_>, &[Change<'_>]) + 'a;

/// What happened since the last step; the watch writes it down where somebody listens.
#[derive(Default)]
pub(crate) struct Log {
    pub(crate) listens: bool,
    /// What was inserted and is still there.
    pub(crate) inserted: Vec<Op>,
    pub(crate) erased: Vec<Op>,
    /// The parts of the module in which something changed.
    pub(crate) parts: BTreeSet<usize>,
}

/// Follows a module through the phases.
pub struct Tracer<'a> {
    watcher: &'a mut Watcher<'a>,
    inquiry: Option<at::Inquiry>,
    names: Names,
    /// The names of the module's parts, and their texts as last told.
    parts: HashMap<Op, String>,
    unnamed: usize,
    texts: BTreeMap<String, String>,
    /// The rewrite whose changes are not told yet.
    open: Option<Fired>,
    /// What takes over the name of a root: an operation that used it, as which operand, and the name.
    heir: Option<(Op, isize, String)>,
}

impl<'a> Tracer<'a> {
    /// Tells `watcher` of each step, and keeps what came of the rules at a place.
    pub fn new(watcher: &'a mut Watcher<'a>, at: Option<At>) -> Self {
        Self {
            watcher,
            inquiry: at.map(at::Inquiry::new),
            names: Names::default(),
            parts: HashMap::new(),
            unnamed: 0,
            texts: BTreeMap::new(),
            open: None,
            heir: None,
        }
    }

    /// What came of the rules at the place, by operation.
    pub fn asked(&self) -> &[Asked] {
        self.inquiry.as_ref().map_or(&[], |inquiry| &inquiry.asked)
    }

    /// Takes in the module as it is.
    pub fn begin(&mut self, module: &Module<'_>) {
        self.names.give(module.operation(), None);
        self.reread(module, Cause::Input);
    }

    /// The module has its strategies.
    pub fn planned(&mut self, module: &Module<'_>) {
        self.reread(module, Cause::Plan);
    }

    /// Does what [`crate::interpret`] does.
    ///
    /// # Errors
    /// As [`crate::interpret`]; the steps until then have been told.
    pub fn run(
        &mut self,
        module: &mut Module<'_>,
        phase: Phase,
        rules: &[Rule],
        surroundings: &Surroundings<'_>,
    ) -> Result<Outcome, DialectError> {
        if let Some(inquiry) = &mut self.inquiry {
            let host = MlirHost::new(module.context(), module.raw(), surroundings);
            inquiry.begin(&module.operations(), phase, rules, &host);
        }
        let mut last: Option<Rc<RefCell<Log>>> = None;
        let outcome = interpreter::interpret(module, phase, rules, surroundings, true, &mut |host, event| {
            last = Some(host.log.clone());
            self.settle(host);
            if let Some(inquiry) = &mut self.inquiry {
                inquiry.event(event, phase, rules, host);
            }
            if let Event::Fired { rule, root } = event {
                self.open = Some(Fired {
                    rule: rules[*rule].path.clone(),
                    digest: rules[*rule].digest.clone(),
                    phase,
                    operation: host.operation_name(*root),
                    place: host.location(*root),
                });
                self.heir = heir(*root, host);
            }
        });
        // What came after the last rule that was tried, and what the end of a phase does to initialisers.
        let erased = last.map(|log| std::mem::take(&mut log.borrow_mut().erased)).unwrap_or_default();
        if let Some((user, index, name)) = self.heir.take()
            && !erased.contains(&user)
            && let Some(heir) = definition(user, index)
            && !names::is_named(operation(heir))
        {
            self.names.give(operation(heir), Some(&name));
        }
        self.names.give(module.operation(), None);
        match self.open.take() {
            Some(fired) => self.reread(module, Cause::Rule(&fired)),
            None => self.reread(module, Cause::Rest),
        }
        outcome
    }

    /// Tells what the last rewrite changed.
    fn settle(&mut self, host: &MlirHost<'_>) {
        let log = std::mem::take(&mut *host.log.borrow_mut());
        host.log.borrow_mut().listens = true;
        for op in &log.erased {
            if let Some(inquiry) = &mut self.inquiry {
                inquiry.erased(*op);
            }
        }
        let fired = self.open.take();
        let heir = self.heir.take().filter(|(user, ..)| !log.erased.contains(user));
        let heir = heir.and_then(|(user, index, name)| Some((definition(user, index)?, name)));
        for op in &log.inserted {
            let own = heir.as_ref().filter(|(heir, _)| heir == op).map(|(_, name)| name.as_str());
            self.names.give(operation(*op), own);
        }
        let mut changed: BTreeMap<String, Option<Op>> = BTreeMap::new();
        for op in &log.erased {
            if let Some(part) = self.parts.remove(op) {
                changed.insert(part, None);
            }
        }
        let mut behind: HashMap<String, String> = HashMap::new();
        if log.parts.iter().any(|part| !self.parts.contains_key(&Op(*part))) {
            let mut before: Option<String> = None;
            for op in top_level(host.module) {
                let part = self.part(op);
                if let Some(before) = before.replace(part.clone()) {
                    behind.insert(part, before);
                }
            }
        }
        for op in log.parts.iter().map(|part| Op(*part)) {
            if let Some(part) = self.parts.get(&op) {
                changed.insert(part.clone(), Some(op));
            }
        }
        let now = changed.into_iter().map(|(part, op)| (part, op.map(|op| print(operation(op))))).collect();
        self.tell(fired.as_ref().map_or(Cause::Rest, Cause::Rule), now, &behind);
    }

    /// The name of a part of the module.
    fn part(&mut self, op: MlirOperation) -> String {
        if let Some(part) = self.parts.get(&op_handle(op)) {
            return part.clone();
        }
        let part = match string_attribute(op, "sym_name") {
            Some(name) => format!("@{name}"),
            None => {
                // SAFETY: the operation is alive; its name lives as long as the context.
                let name = unsafe { text(mlirIdentifierStr(mlirOperationGetName(op))) };
                self.unnamed += 1;
                format!("{name} {}", self.unnamed)
            }
        };
        self.parts.insert(op_handle(op), part.clone());
        part
    }

    /// Reads the whole module.
    fn reread(&mut self, module: &Module<'_>, cause: Cause<'_>) {
        let operations = top_level(module.raw());
        let alive: BTreeSet<Op> = operations.iter().map(|op| op_handle(*op)).collect();
        self.parts.retain(|op, _| alive.contains(op));
        let mut now: BTreeMap<String, Option<String>> =
            self.texts.keys().map(|part| (part.clone(), None)).collect();
        let mut order: Vec<String> = Vec::new();
        let mut behind: HashMap<String, String> = HashMap::new();
        let mut before: Option<String> = None;
        for op in operations {
            let part = self.part(op);
            if let Some(before) = before.replace(part.clone()) {
                behind.insert(part.clone(), before);
            }
            now.insert(part.clone(), Some(print(op)));
            order.push(part);
        }
        // In the module's order: a reader of the input builds it up from that.
        let place: HashMap<&String, usize> =
            order.iter().enumerate().map(|(index, part)| (part, index)).collect();
        let mut now: Vec<(String, Option<String>)> = now.into_iter().collect();
        now.sort_by_key(|(part, _)| place.get(part).copied());
        self.tell(cause, now, &behind);
    }

    fn tell(
        &mut self,
        cause: Cause<'_>,
        now: Vec<(String, Option<String>)>,
        behind: &HashMap<String, String>,
    ) {
        let mut changes: Vec<Change<'_>> = Vec::new();
        for (part, after) in &now {
            let before = self.texts.get(part).map(String::as_str);
            if before != after.as_deref() {
                let behind = behind.get(part).map(String::as_str);
                changes.push(Change { part, behind, before, after: after.as_deref() });
            }
        }
        if !changes.is_empty() || !matches!(cause, Cause::Rest) {
            (self.watcher)(cause, &changes);
        }
        for (part, after) in now {
            match after {
                Some(text) => self.texts.insert(part, text),
                None => self.texts.remove(&part),
            };
        }
    }
}

/// What will take over the name of what a root makes: the definition of the first operand that it is.
fn heir(root: Op, host: &MlirHost<'_>) -> Option<(Op, isize, String)> {
    let name = name_of(operation(root))?;
    let result = *host.results(root).first()?;
    let user = *host.users(result).first()?;
    let index = host.operands(user).iter().position(|operand| *operand == result)?;
    Some((user, isize::try_from(index).ok()?, name))
}

fn definition(user: Op, operand: isize) -> Option<Op> {
    // SAFETY: the user is alive, and has this operand.
    unsafe {
        let value = mlirOperationGetOperand(operation(user), operand);
        mlirValueIsAOpResult(value).then(|| op_handle(mlirOpResultGetOwner(value)))
    }
}
