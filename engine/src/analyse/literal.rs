//! Literals: what holds, or does not, of a place of the matched operations.
//!
//! A place says how to come from the root to what is meant: `root`, its first operand `root.0`, the attribute
//! `root.0!value`, the type of a result `root#0:`. A native's answer is its name with the places of its arguments.
//! Natives are pure, so that equal texts mean equal data.

use std::collections::BTreeSet;
use std::fmt;

use crate::normal::Term;

/// A constant that something is compared with.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Constant {
    Bool(bool),
    Int(i128),
    Text(String),
    Type(String),
}

/// Something that holds or does not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Atom {
    /// The value is a result of such an operation.
    Operation { place: String, name: String },
    /// The operation has exactly so many operands.
    Operands { place: String, count: usize },
    /// The operation has at least so many operands.
    AtLeast { place: String, count: usize },
    /// The attribute is there.
    Has { place: String },
    /// It is this, or it is absent and this is what absence means.
    Is { place: String, value: Constant },
    /// Both are the same.
    Same { first: String, second: String },
    /// It is a number below the bound.
    Below { place: String, bound: i128 },
    /// It is text that begins with, ends with or contains other text.
    Text { place: String, how: Part, text: String },
    /// It is text that the regular expression matches.
    Matches { place: String, pattern: String },
    /// The native has an answer other than `false`.
    Holds { native: String, arguments: Vec<String> },
}

impl Atom {
    /// That two places are the same, in either order.
    pub(super) fn same(left: String, right: String) -> Self {
        let (first, second) = if left <= right { (left, right) } else { (right, left) };
        Self::Same { first, second }
    }
}

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    Start,
    End,
    Anywhere,
}

/// An atom, or its opposite.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Literal {
    pub(super) holds: bool,
    pub(super) atom: Atom,
}

/// What must hold together.
pub(super) type Conjunction = BTreeSet<Literal>;

/// The member of a list that a rule chooses: another rule may choose another.
pub(super) const MEMBER: &str = "member of ";

impl Literal {
    pub(super) fn new(holds: bool, atom: Atom) -> Self {
        Self { holds, atom }
    }

    /// Whether it is about a choice that the rule makes for itself.
    pub(super) fn is_own_choice(&self) -> bool {
        let chosen = |place: &String| place.contains(MEMBER);
        match &self.atom {
            Atom::Operation { place, .. }
            | Atom::Operands { place, .. }
            | Atom::AtLeast { place, .. }
            | Atom::Has { place }
            | Atom::Is { place, .. }
            | Atom::Below { place, .. }
            | Atom::Text { place, .. }
            | Atom::Matches { place, .. } => chosen(place),
            Atom::Same { first, second } => chosen(first) || chosen(second),
            Atom::Holds { arguments, .. } => arguments.iter().any(chosen),
        }
    }
}

/// A term as a constant.
pub(super) fn constant(term: &Term) -> Option<Constant> {
    Some(match term {
        Term::Bool(value) => Constant::Bool(*value),
        Term::Int(number) => Constant::Int(*number),
        Term::Str(text) => Constant::Text(text.clone()),
        Term::Type(text) => Constant::Type(text.clone()),
        _ => return None,
    })
}

/// For messages, in the words of the rules: `not used(sym_name)`.
impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short =
            |place: &str| place.replace("root!", "").replace("root.", "operand ").replace("root", "it");
        let not = if self.holds { "" } else { "not " };
        match &self.atom {
            Atom::Operation { place, name } => write!(f, "{not}{} is `{name}`", short(place)),
            Atom::Operands { count, .. } => write!(f, "{not}{count} operands"),
            Atom::AtLeast { count, .. } => write!(f, "{not}at least {count} operands"),
            Atom::Has { place } => write!(f, "{not}has {}", short(place)),
            Atom::Is { place, value } => {
                let value = match value {
                    Constant::Bool(value) => value.to_string(),
                    Constant::Int(number) => number.to_string(),
                    Constant::Text(text) => format!("\"{text}\""),
                    Constant::Type(text) => text.clone(),
                };
                write!(f, "{} {} {value}", short(place), if self.holds { "==" } else { "!=" })
            }
            Atom::Same { first, second } => {
                let equal = if self.holds { "==" } else { "!=" };
                write!(f, "{} {equal} {}", short(first), short(second))
            }
            Atom::Below { place, bound } => {
                write!(f, "{} {} {bound}", short(place), if self.holds { "<" } else { ">=" })
            }
            Atom::Text { place, how, text } => {
                let how = match how {
                    Part::Start => "starts_with",
                    Part::End => "ends_with",
                    Part::Anywhere => "contains",
                };
                write!(f, "{not}{} {how} \"{text}\"", short(place))
            }
            Atom::Matches { place, pattern } => write!(f, "{not}{} matches /{pattern}/", short(place)),
            Atom::Holds { native, arguments } => {
                let arguments: Vec<String> = arguments.iter().map(|place| short(place)).collect();
                write!(f, "{not}{native}({})", arguments.join(", "))
            }
        }
    }
}
