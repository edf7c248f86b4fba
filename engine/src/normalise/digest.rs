//! What a rule means, as a digest.

use std::fmt::Write as _;
use std::sync::LazyLock;

use regex::Regex;

use crate::datum::Kind;
use crate::normal::{Binding, Construction, Outcome, Rule};

/// Places, and the numbers of bindings.
static NOISE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"Span \{ start: [0-9]+, end: [0-9]+ \}|BindingId\([0-9]+\)").expect("a constant pattern")
});

/// BLAKE3 of what a rule means, and of when it holds: places, names of captures and the order of an operation's attributes are
/// left out, so that format, comments and other rules don't count either.
pub(super) fn digests(rule: &Rule) -> (String, String) {
    let mut operations = rule.operations.clone();
    operations.iter_mut().for_each(|operation| operation.attributes.sort_by(|a, b| a.name.cmp(&b.name)));
    let mut outcome = rule.outcome.clone();
    if let Outcome::Rewrite { constructions, .. } = &mut outcome {
        for construction in constructions {
            if let Construction::Operation { attributes, .. } | Construction::Global { attributes, .. } =
                construction
            {
                attributes.sort_by(|a, b| a.0.cmp(&b.0));
            }
        }
    }
    let mut meaning = Meaning { bindings: &rule.bindings, ..Meaning::default() };
    let Rule { path, phase, strategy, conditions, .. } = rule;
    meaning.add(&format!("{path} {phase} {strategy:?} {operations:?} {conditions:?} "));
    let mut matching = meaning.clone();
    matching.add(&format!("{:?}", Outcome::Reject { message: Vec::new() }));
    meaning.add(&format!("{outcome:?}"));
    (meaning.digest(rule.carry_attributes), matching.digest(rule.carry_attributes))
}

/// Text in which bindings are numbered by where they first stand in it.
#[derive(Clone, Default)]
struct Meaning<'a> {
    bindings: &'a [Binding],
    order: Vec<usize>,
    text: String,
}

impl Meaning<'_> {
    fn add(&mut self, part: &str) {
        let mut end = 0;
        for found in NOISE.find_iter(part) {
            self.text.push_str(&part[end..found.start()]);
            end = found.end();
            if let Some(number) = binding(found.as_str()) {
                let index = self.order.iter().position(|known| *known == number).unwrap_or_else(|| {
                    self.order.push(number);
                    self.order.len() - 1
                });
                let _ = write!(self.text, "%{index}");
            }
        }
        self.text.push_str(&part[end..]);
    }

    /// The bindings are of a kind each.
    fn digest(mut self, carry_attributes: bool) -> String {
        let kinds: Vec<Kind> = self.order.iter().map(|number| self.bindings[*number].kind).collect();
        let _ = write!(self.text, " {carry_attributes} {kinds:?}");
        blake3::hash(self.text.as_bytes()).to_hex().to_string()
    }
}

/// The number in a binding's text.
fn binding(text: &str) -> Option<usize> {
    text.strip_prefix("BindingId(")?.strip_suffix(')')?.parse().ok()
}
