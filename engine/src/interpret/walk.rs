//! The walk over a module. Its laws, by number, are in `docs/language.md`, "The walk".

use std::collections::{HashMap, HashSet};

use super::build::build;
use super::{Ended, Event, shape};
use crate::datum::Datum;
use crate::evaluate::{Bound, evaluate, message};
use crate::host::{Op, Value};
use crate::native::Natives;
use crate::normal::{Construction, Outcome, RootFate, Rule};
use crate::rewriter::Rewriter;

pub(super) struct Walk<'a, H> {
    pub(super) rules: &'a [Rule],
    pub(super) host: &'a mut H,
    pub(super) natives: &'a Natives<H>,
    pub(super) observe: &'a mut dyn FnMut(&mut H, &Event),
    /// Rules by their root's name, the first to be tried first.
    by_root: HashMap<&'a str, Vec<usize>>,
    /// Operations directly in the module in which something changed in this round.
    touched: HashSet<Op>,
    /// Whether one appeared or went away.
    module_changed: bool,
    changed: bool,
    /// What erased operations used, in the order of erasure.
    orphans: Vec<Op>,
    /// Erased while the body is walked: a new operation may have got the same handle, and waits for the next round.
    erased: HashSet<Op>,
}

/// A rule that could not build what it says.
pub(super) struct Broken {
    pub(super) rule: usize,
    pub(super) message: String,
}

impl<'a, H: Rewriter> Walk<'a, H> {
    pub(super) fn new(
        rules: &'a [Rule],
        host: &'a mut H,
        natives: &'a Natives<H>,
        observe: &'a mut dyn FnMut(&mut H, &Event),
    ) -> Self {
        let mut by_root: HashMap<&str, Vec<usize>> = HashMap::new();
        for (index, rule) in rules.iter().enumerate() {
            by_root.entry(&rule.root().name).or_default().push(index);
        }
        Self {
            rules,
            host,
            natives,
            observe,
            by_root,
            touched: HashSet::new(),
            module_changed: true,
            changed: false,
            orphans: Vec::new(),
            erased: HashSet::new(),
        }
    }

    pub(super) fn run(&mut self, rounds: u32) -> Result<Ended, Broken> {
        for _ in 0..rounds {
            let everywhere = std::mem::take(&mut self.module_changed);
            let dirty = std::mem::take(&mut self.touched);
            self.changed = false;
            let symbols = self.host.symbols();
            for function in symbols.iter().filter(|op| everywhere || dirty.contains(op)) {
                self.body(*function)?;
            }
            self.erase_dead();
            // Visited each time: whether a symbol is still used changes with any function.
            for symbol in symbols {
                self.visit(symbol)?;
            }
            self.erase_dead();
            if !self.changed {
                return Ok(Ended::Done);
            }
        }
        Ok(Ended::Exhausted)
    }

    fn body(&mut self, function: Op) -> Result<(), Broken> {
        // Uses before definitions: what a rule replaces, its operands' rules see already.
        for op in self.host.body(function).into_iter().rev() {
            if !self.erased.contains(&op) {
                self.visit(op)?;
            }
        }
        self.erased.clear();
        Ok(())
    }

    fn visit(&mut self, op: Op) -> Result<(), Broken> {
        if self.orphans.contains(&op) && self.host.is_dead(op) {
            self.erase(op);
            return Ok(());
        }
        let name = self.host.operation_name(op);
        for rule in self.by_root.get(name.as_str()).cloned().unwrap_or_default() {
            let tried = shape(&self.rules[rule], op, self.host)
                .and_then(|ops| evaluate(&self.rules[rule], &ops, self.host, self.natives));
            match tried {
                Ok(bound) => {
                    return self.apply(rule, op, bound).map_err(|message| Broken { rule, message });
                }
                Err(failure) => (self.observe)(self.host, &Event::Missed { rule, root: op, failure }),
            }
        }
        Ok(())
    }

    fn apply(&mut self, rule: usize, root: Op, mut bound: Bound) -> Result<(), String> {
        let normal = &self.rules[rule];
        let (constructions, fate) = match &normal.outcome {
            Outcome::Rewrite { constructions, root } => (constructions, root),
            Outcome::Reject { message: parts } => {
                let message = message(parts, &bound, self.host);
                (self.observe)(self.host, &Event::Rejected { rule, root, message });
                return Ok(());
            }
        };
        (self.observe)(self.host, &Event::Fired { rule, root });
        self.host.begin(normal, root);
        let mut made = Vec::new();
        for construction in constructions {
            let built = build(construction, &mut bound, self.host, self.natives)?;
            if let (Some(op), Construction::Operation { results, .. }) = (built, construction)
                && results.iter().any(|result| fate.replacements().contains(result))
            {
                made.push(op);
            }
        }
        match fate {
            RootFate::Erased => {
                self.note_inserted();
                self.erase(root);
            }
            RootFate::Replaced(bindings) => {
                let values: Vec<Value> = bindings
                    .iter()
                    .map(|binding| match bound[binding.0] {
                        Some(Datum::Value(value)) => Ok(value),
                        _ => Err(format!("what replaces `{}` has no value", normal.root().name)),
                    })
                    .collect::<Result<_, _>>()?;
                if normal.carry_attributes {
                    made.into_iter().for_each(|op| self.host.carry(root, op));
                }
                self.note_inserted();
                self.replace(root, &values);
            }
        }
        Ok(())
    }

    fn note_inserted(&mut self) {
        for op in self.host.inserted() {
            self.note(op);
        }
    }

    fn note(&mut self, op: Op) {
        self.changed = true;
        match self.host.top_level(op) {
            Some(top) if top != op => {
                self.touched.insert(top);
            }
            _ => self.module_changed = true,
        }
    }

    fn replace(&mut self, op: Op, values: &[Value]) {
        for result in self.host.results(op) {
            for user in self.host.users(result) {
                self.note(user);
            }
        }
        self.note_erased(op);
        self.host.replace(op, values);
    }

    fn erase(&mut self, op: Op) {
        self.note_erased(op);
        self.host.erase(op);
    }

    fn note_erased(&mut self, op: Op) {
        self.note(op);
        self.touched.remove(&op);
        self.erased.insert(op);
        self.orphans.retain(|orphan| *orphan != op);
        for operand in self.host.operands(op) {
            if let Some(definition) = self.host.definition(operand)
                && !self.orphans.contains(&definition)
            {
                self.orphans.push(definition);
            }
        }
    }

    /// What only a replaced root used goes away with it; code that was dead before stays.
    fn erase_dead(&mut self) {
        while let Some(op) = self.orphans.pop() {
            if self.host.is_dead(op) {
                self.erase(op);
            }
        }
        self.erased.clear();
    }
}
