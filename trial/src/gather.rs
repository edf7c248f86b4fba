//! All tests of packs: the blocks in their rules, and the modules in their `tests/` folders.

use std::collections::BTreeMap;
use std::path::Path;

use relo_engine::{Finding, Library, Pack};
use relo_grammar::span::{Source, Span};
use relo_grammar::tree::{self, Expectation, Item};

use crate::head::{self, Setup};

/// A test.
#[derive(Clone, Debug)]
pub struct Test {
    /// The pack it belongs to.
    pub pack: String,
    /// The rule it is about, as `pack.rule` or `pack.strategy.rule`; the whole pack where absent.
    pub rule: Option<String>,
    /// Its name.
    pub name: String,
    /// What must come out.
    pub expectation: Expectation,
    /// The module.
    pub input: Source,
    /// Whether its rule runs alone: a near miss does, unless it says otherwise.
    pub alone: bool,
    /// The file it stands in.
    pub source: Source,
    /// Where its name stands there.
    pub span: Span,
    pub(crate) setup: usize,
}

impl Test {
    /// Pack, rule and name, for people.
    pub fn title(&self) -> String {
        format!("{} \"{}\"", self.rule.as_deref().unwrap_or(&self.pack), self.name)
    }

    /// The line of its name.
    pub fn line(&self) -> usize {
        1 + self.source.text[..self.span.start].matches('\n').count()
    }

    /// Whether the input is LLVM IR.
    pub(crate) fn is_llvm(&self) -> bool {
        self.input.name.ends_with(".ll")
    }
}

/// The tests of some packs.
#[derive(Clone, Debug, Default)]
pub struct Suite {
    /// The tests: by pack, rule and place.
    pub tests: Vec<Test>,
    /// What is wrong with how they are written. Such a test does not run.
    pub findings: Vec<Finding>,
    setups: Vec<Setup>,
    keys: BTreeMap<String, usize>,
    /// For each setup the first that asks for the same rules.
    requests: Vec<usize>,
}

impl Suite {
    /// Gathers the tests of packs. A pack's folder is the one that its `pack.yaml` was read from.
    pub fn gather<'a>(library: &Library, packs: impl IntoIterator<Item = &'a Pack>) -> Self {
        let mut suite = Self::default();
        for pack in packs {
            for (source, file) in &pack.files {
                suite.items(library, pack, source, &file.items, None);
            }
            suite.folder(library, pack);
        }
        suite
    }

    /// How a test is compiled.
    pub fn setup(&self, test: &Test) -> &Setup {
        &self.setups[test.setup]
    }

    pub(crate) fn setups(&self) -> &[Setup] {
        &self.setups
    }

    /// What tells a setup from others, in this suite and in others.
    pub(crate) fn key(&self, setup: usize) -> Option<&str> {
        self.keys.iter().find(|(_, index)| **index == setup).map(|(key, _)| key.as_str())
    }

    pub(crate) fn requests(&self) -> &[usize] {
        &self.requests
    }

    /// Keeps the tests that a predicate wants.
    pub fn retain(&mut self, wanted: impl FnMut(&Test) -> bool) {
        self.tests.retain(wanted);
    }

    fn items(
        &mut self,
        library: &Library,
        pack: &Pack,
        source: &Source,
        items: &[Item],
        strategy: Option<&str>,
    ) {
        for item in items {
            match item {
                Item::Rule(rule) => {
                    let path = rule_path(&pack.name, strategy, &rule.name.item);
                    self.blocks(library, pack, source, &path, strategy, &rule.tests);
                }
                Item::Override(item) => {
                    let names: Vec<&str> = item.target.item.iter().map(|name| name.item.as_str()).collect();
                    let strategy = if let [_, strategy, _] = names[..] { Some(strategy) } else { None };
                    self.blocks(library, pack, source, &names.join("."), strategy, &item.tests);
                }
                Item::Strategy(inner) => {
                    self.items(library, pack, source, &inner.items, Some(&inner.name.item));
                }
                Item::Family(family) => self.items(library, pack, source, &family.items, strategy),
                _ => {}
            }
        }
    }

    fn blocks(
        &mut self,
        library: &Library,
        pack: &Pack,
        source: &Source,
        path: &str,
        strategy: Option<&str>,
        tests: &[tree::Test],
    ) {
        for (index, test) in tests.iter().enumerate() {
            let twice = |other: &&tree::Test| file_stem(&other.name.item) == file_stem(&test.name.item);
            if let Some(first) = tests[..index].iter().find(twice) {
                self.findings.push(
                    Finding::error(
                        "relo::test::duplicate_name",
                        source,
                        test.name.span,
                        format!("rule `{path}` has two tests of this name"),
                    )
                    .also(source, first.name.span, "the first")
                    .help("a test's name is its snapshot's: give one of them another"),
                );
                continue;
            }
            match head::read(library, pack, strategy, &test.input.item, source, test.input.span) {
                Ok(head) => {
                    let near_miss = test.expectation == Expectation::Unchanged;
                    let setup = self.intern(head.key, head.setup);
                    self.tests.push(Test {
                        pack: pack.name.clone(),
                        rule: Some(path.to_owned()),
                        name: test.name.item.clone(),
                        expectation: test.expectation.clone(),
                        input: Source::new(test.name.item.as_str(), test.input.item.as_str()),
                        alone: head.alone.unwrap_or(near_miss),
                        source: source.clone(),
                        span: test.name.span,
                        setup,
                    });
                }
                Err(finding) => self.findings.push(finding),
            }
        }
    }

    /// The modules in `tests/`: each goes through all phases.
    fn folder(&mut self, library: &Library, pack: &Pack) {
        let folder = Path::new(&*pack.yaml.name).with_file_name("tests");
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            let extension = path.extension().unwrap_or_default();
            if extension != "mlir" && extension != "ll" {
                continue;
            }
            let name = path.display().to_string();
            let (text, error) = match std::fs::read_to_string(&path) {
                Ok(text) => (text, None),
                Err(error) => (String::new(), Some(error)),
            };
            let source = Source::new(name, text);
            if let Some(error) = error {
                let message = format!("can't read this test: {error}");
                self.findings.push(Finding::error("relo::test::read", &source, Span::default(), message));
                continue;
            }
            let span = Span::new(0, 0);
            match head::read(library, pack, None, &source.text, &source, span) {
                Ok(head) => {
                    let setup = self.intern(head.key, head.setup);
                    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                    let input = format!("{stem}.{}", extension.to_string_lossy());
                    self.tests.push(Test {
                        pack: pack.name.clone(),
                        rule: None,
                        name: stem,
                        expectation: Expectation::Snapshot,
                        input: Source::new(input, source.text.clone()),
                        alone: false,
                        source,
                        span,
                        setup,
                    });
                }
                Err(finding) => self.findings.push(finding),
            }
        }
    }

    fn intern(&mut self, key: String, setup: Setup) -> usize {
        *self.keys.entry(key).or_insert_with(|| {
            let request = format!("{:?}", setup.request);
            let same = self.setups.iter().position(|other| format!("{:?}", other.request) == request);
            self.requests.push(same.unwrap_or(self.setups.len()));
            self.setups.push(setup);
            self.setups.len() - 1
        })
    }
}

/// `pack.rule`, or `pack.strategy.rule`.
pub(crate) fn rule_path(pack: &str, strategy: Option<&str>, rule: &str) -> String {
    match strategy {
        Some(strategy) => format!("{pack}.{strategy}.{rule}"),
        None => format!("{pack}.{rule}"),
    }
}

/// A test's name as a file's: letters and digits of it, joined by `_`.
pub(crate) fn file_stem(name: &str) -> String {
    let words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("_").to_lowercase()
}
