//! Where a rule stops holding.

/// The first thing of a rule that does not hold at an operation. It is made at each failed match, so that it only says
/// which; [`crate::why_not`] tells what was wanted and what was there. Ordered by how far the rule got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Failure {
    /// No such operation is where the pattern has one.
    Operation {
        /// How many operations of the pattern had been found, root first.
        found: usize,
        /// The one that was not: index into [`crate::normal::Rule::operations`].
        operation: usize,
        /// The operation of the pattern and its operand that should lead there; none for the root.
        through: Option<(usize, usize)>,
    },
    /// The root does not carry the strategy that the rule lowers.
    Strategy,
    /// Something about an operation.
    Part {
        /// Index into [`crate::normal::Rule::operations`].
        operation: usize,
        /// What of it.
        part: Part,
    },
    /// A clause of `where`: index into [`crate::normal::Rule::conditions`]. With `$x in …`, the clause of the member
    /// that got furthest.
    Condition(usize),
}

/// A part of an operation's pattern, in the order in which they are decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// A result that it does not have, or that is bound to another value.
    Result(usize),
    /// The number of its operands.
    OperandCount,
    /// An operand.
    Operand(usize),
    /// What follows the operands that are written out.
    OtherOperands,
    /// A result's type.
    Type(usize),
    /// An attribute: index into [`crate::normal::OperationPattern::attributes`].
    Attribute(usize),
    /// The attributes not named.
    OtherAttributes,
}
