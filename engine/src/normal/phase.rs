//! The steps of the pipeline.

use std::fmt;

/// A step of the rewriting pipeline, in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// Host references become `reloc` operations.
    Lift,
    /// Symbolic simplification.
    Fold,
    /// `reloc` operations become the LLVM dialect.
    Lower,
    /// The target's last words.
    Finish,
}

impl Phase {
    /// All of them, in order.
    pub const ALL: [Self; 4] = [Self::Lift, Self::Fold, Self::Lower, Self::Finish];

    /// By the name that rule files use.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|phase| phase.name() == name)
    }

    /// The name that rule files use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lift => "lift",
            Self::Fold => "fold",
            Self::Lower => "lower",
            Self::Finish => "finish",
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
