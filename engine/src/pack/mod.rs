//! A pack: its `pack.yaml` and the trees of its rule files.

mod places;
mod yaml;

use std::collections::BTreeMap;

use indexmap::IndexMap;
use relo_grammar::span::{Source, Span};
use relo_grammar::tree;
use relo_referent::Action;

use crate::finding::Finding;
use crate::library::PackSource;
use crate::plan::Choice;
use places::Places;

/// A pack as written, its form checked.
#[derive(Clone, Debug)]
pub struct Pack {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub about: String,
    /// The packs it builds on.
    pub uses: Vec<String>,
    /// When its rules take part without being used by the target's pack.
    pub active: Option<Activation>,
    /// The fields of operations that mean something: a rule that replaces the operation has to mention them.
    pub meaning: IndexMap<String, Vec<String>>,
    /// Rules that take what they make, with the reason why that comes to an end.
    pub ends: IndexMap<String, String>,
    /// A regular expression for the names of globals that hold a value of the session each, which its table has to know.
    pub values: Option<String>,
    /// How its tests are compiled where they don't say.
    pub tests: TestSetup,
    /// The targets it defines.
    pub targets: IndexMap<String, TargetSpec>,
    /// Its rule files, by name.
    pub files: Vec<(Source, tree::File)>,
    /// BLAKE3 of `pack.yaml` and all rule files, in hex.
    pub digest: String,
    /// Its `pack.yaml`.
    pub yaml: Source,
    places: Places,
}

/// When a front end's pack takes part in a compilation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Activation {
    /// Whenever there is a session table: its rules act on that only.
    Session,
    /// When the user asks for it by name.
    Request,
}

/// How a pack's tests are compiled where they don't say.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TestSetup {
    /// The target; the pack's first where absent.
    pub target: Option<String>,
    /// A session table, in the pack's folder.
    pub session: Option<String>,
    /// Packs to use besides.
    #[serde(rename = "use")]
    pub packs: Vec<String>,
    /// Values of parameters, as `pack.parameter`.
    pub set: BTreeMap<String, Setting>,
}

/// A target, as its pack defines it.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetSpec {
    /// Its name.
    pub name: String,
    /// LLVM's triple.
    pub triple: String,
    /// LLVM's name of the processor.
    pub cpu: String,
    /// LLVM's feature string.
    pub features: String,
    /// The kinds of artifact that it emits besides LLVM IR, the default first.
    pub emit: Vec<String>,
    /// The optimisation level where the user does not say, 0 to 3.
    pub optimise: u8,
    /// A regular expression that every symbol of the artifact must match as a whole.
    pub names: Option<String>,
    /// Arguments for the linker of a shared object.
    pub link: Vec<String>,
    /// Which strategy delivers which site; the first that fits.
    pub strategies: Vec<Choice>,
    /// What the target's loaders can do; everything where the pack does not say.
    pub loader: Option<Vec<Action>>,
    /// Everything else: what rules read as `target.x`.
    pub properties: BTreeMap<String, Setting>,
    /// Values for parameters of packs, as `pack.parameter`.
    pub parameters: BTreeMap<String, Setting>,
}

/// A value in YAML that rules can use.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(untagged)]
pub enum Setting {
    /// A truth value.
    Bool(bool),
    /// A number.
    Int(i64),
    /// Text.
    Str(String),
    /// Several texts.
    List(Vec<String>),
}

impl TargetSpec {
    /// Whether the target's loaders can do what a strategy asks for.
    pub fn can(&self, action: Action) -> bool {
        self.loader.as_ref().is_none_or(|actions| actions.contains(&action))
    }
}

impl Pack {
    /// Reads a pack. A pack whose YAML can't be read at all is `None`.
    pub(crate) fn read(source: &PackSource) -> (Option<Self>, Vec<Finding>) {
        let mut findings = Vec::new();
        let pack = yaml::read(&source.yaml, &mut findings);
        let files = source.files.iter().map(|file| (file.clone(), parsed(file, &mut findings))).collect();
        let pack = pack.map(|pack| Self { files, ..pack }.with_digest());
        (pack, findings)
    }

    /// The pack with another text of one of its files.
    pub(crate) fn with_file(&self, file: &Source) -> (Self, Vec<Finding>) {
        let mut findings = Vec::new();
        let mut pack = self.clone();
        for (source, tree) in &mut pack.files {
            if source.name == file.name {
                *tree = parsed(file, &mut findings);
                *source = file.clone();
            }
        }
        (pack.with_digest(), findings)
    }

    fn with_digest(self) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.yaml.text.as_bytes());
        for (file, _) in &self.files {
            hasher.update(&(file.text.len() as u64).to_le_bytes());
            hasher.update(file.text.as_bytes());
        }
        Self { digest: hasher.finalize().to_hex().to_string(), ..self }
    }

    /// What items of its rule files declare that could not be read.
    pub(crate) fn unread(&self) -> impl Iterator<Item = &str> {
        self.files.iter().flat_map(|(_, file)| &file.unread).map(String::as_str)
    }

    /// Where a value stands in `pack.yaml`.
    pub(crate) fn place(&self, path: &str) -> Span {
        self.places.value(path)
    }

    /// Where a key stands in `pack.yaml`.
    pub(crate) fn key_place(&self, path: &str) -> Span {
        self.places.key(path)
    }
}

fn parsed(file: &Source, findings: &mut Vec<Finding>) -> tree::File {
    let (tree, errors) = relo_grammar::parse(file);
    findings.extend(errors.into_iter().map(|error| syntax_finding(file, &error)));
    tree
}

fn syntax_finding(source: &Source, error: &relo_grammar::SyntaxError) -> Finding {
    let mut finding = Finding::error(error.code, source, error.span, error.message.clone());
    finding.labels.clear();
    finding.labels.extend(
        error.labels.iter().map(|(span, text)| crate::finding::Label { span: *span, text: text.clone() }),
    );
    finding.help.clone_from(&error.help);
    finding
}
