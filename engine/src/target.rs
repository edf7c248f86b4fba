//! The target that a rule set is compiled for.

use crate::normal::Term;
use crate::pack::{Setting, TargetSpec};

/// A target with what the user chose for this compilation.
#[derive(Clone, Debug)]
pub struct Target {
    /// As its pack defines it.
    pub spec: TargetSpec,
    /// The pack that defines it.
    pub pack: String,
    /// What is emitted: an artifact kind's name.
    pub emit: String,
}

impl Target {
    /// The width of a word in bits.
    pub fn word_width(&self) -> u32 {
        match self.spec.properties.get("word") {
            Some(Setting::Int(width)) => u32::try_from(*width).unwrap_or(64),
            _ => 64,
        }
    }

    /// The type of a word, as MLIR text.
    pub fn word_type(&self) -> String {
        format!("i{}", self.word_width())
    }

    /// `target.name`, where the target has it.
    pub fn property(&self, name: &str) -> Option<Term> {
        let text = |text: &str| Some(Term::Str(text.to_owned()));
        match name {
            "name" => text(&self.spec.name),
            "triple" => text(&self.spec.triple),
            "cpu" => text(&self.spec.cpu),
            "emit" => text(&self.emit),
            "word" => Some(Term::Type(self.word_type())),
            _ => self.spec.properties.get(name).map(setting_term),
        }
    }
}

/// A setting as a term; text that is an MLIR type (`!…`) is that type.
pub(crate) fn setting_term(setting: &Setting) -> Term {
    match setting {
        Setting::Bool(value) => Term::Bool(*value),
        Setting::Int(value) => Term::Int(i128::from(*value)),
        Setting::Str(text) if text.starts_with('!') => Term::Type(text.clone()),
        Setting::Str(text) => Term::Str(text.clone()),
        Setting::List(items) => Term::List(items.iter().cloned().map(Term::Str).collect()),
    }
}
