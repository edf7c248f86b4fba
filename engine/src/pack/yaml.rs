//! From `pack.yaml` to [`Pack`]: the only place that knows YAML.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use relo_grammar::span::{Source, Span};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_yaml::Value;

use super::places::Places;
use super::{Activation, Pack, Setting, TargetSpec, TestSetup};
use crate::analyse::REFERENT_KINDS;
use crate::finding::{Finding, suggestion};
use crate::plan::{Choice, SiteKind};

/// `pack.yaml`, as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PackFile {
    pack: String,
    #[serde(default)]
    about: String,
    #[serde(default)]
    uses: Vec<String>,
    active: Option<Activation>,
    #[serde(default)]
    meaning: IndexMap<String, Vec<String>>,
    #[serde(default)]
    ends: IndexMap<String, String>,
    values: Option<String>,
    #[serde(default)]
    tests: TestSetup,
    /// Not typed further: each target's keys are read one by one, so that all mistakes are found at once.
    #[serde(default)]
    targets: IndexMap<String, IndexMap<String, Value>>,
}

/// An entry of `strategies`, as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChoiceEntry {
    referent: Option<String>,
    site: Option<SiteKind>,
    runtime: Option<String>,
    library: Option<String>,
    name: Option<String>,
    #[serde(rename = "use")]
    strategy: String,
}

/// One text, or several.
#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl From<OneOrMany> for Vec<String> {
    fn from(texts: OneOrMany) -> Self {
        match texts {
            OneOrMany::One(text) => vec![text],
            OneOrMany::Many(texts) => texts,
        }
    }
}

/// Reads `pack.yaml`; `None` where its outer form is wrong.
pub(super) fn read(source: &Source, findings: &mut Vec<Finding>) -> Option<Pack> {
    let places = Places::new(&source.text);
    let file: PackFile = match serde_yaml::from_str(&source.text) {
        Ok(file) => file,
        Err(error) => {
            let start = error.location().map_or(0, |location| location.index().min(source.text.len()));
            let end = source.text[start..].find('\n').map_or(source.text.len(), |length| start + length);
            let message = without_place(&error);
            findings.push(match unknown_key(&message) {
                Some((key, known)) => {
                    let message = format!("a pack has no `{key}`");
                    Finding::error("relo::pack::yaml", source, places.key(key), message)
                        .label("this key")
                        .help(suggestion(key, known))
                }
                None => Finding::error("relo::pack::yaml", source, Span::new(start, end), message)
                    .label("this does not fit")
                    .help(
                        "a pack.yaml has `pack`, `about`, `uses`, `active`, `meaning`, `ends`, `values`, `tests` and `targets`",
                    ),
            });
            return None;
        }
    };
    let reader = Reader { source, places: &places };
    reader.check_regex("values", file.values.as_deref(), findings);
    let mut targets = IndexMap::new();
    for (name, keys) in file.targets {
        if let Some(target) = reader.target(&name, keys, findings) {
            targets.insert(name, target);
        }
    }
    Some(Pack {
        name: file.pack,
        about: file.about,
        uses: file.uses,
        active: file.active,
        meaning: file.meaning,
        ends: file.ends,
        values: file.values,
        tests: file.tests,
        targets,
        files: Vec::new(),
        digest: String::new(),
        yaml: source.clone(),
        places,
    })
}

struct Reader<'a> {
    source: &'a Source,
    places: &'a Places,
}

impl Reader<'_> {
    fn target(
        &self,
        name: &str,
        mut keys: IndexMap<String, Value>,
        findings: &mut Vec<Finding>,
    ) -> Option<TargetSpec> {
        let path = format!("targets/{name}");
        let before = findings.len();
        let triple: Option<String> = self.take(&path, &mut keys, "triple", findings);
        let emit: Option<OneOrMany> = self.take(&path, &mut keys, "emit", findings);
        let strategies: Option<Vec<Value>> = self.take(&path, &mut keys, "strategies", findings);
        for (key, present) in
            [("triple", triple.is_some()), ("emit", emit.is_some()), ("strategies", strategies.is_some())]
        {
            if !present && findings.len() == before {
                findings.push(
                    Finding::error(
                        "relo::pack::missing_key",
                        self.source,
                        self.places.key(&path),
                        format!("target `{name}` has no `{key}`"),
                    )
                    .label("this target")
                    .help(format!("add `{key}: …`")),
                );
            }
        }
        let optimise: Option<String> = self.take(&path, &mut keys, "optimise", findings);
        let optimise = optimise.map_or(Some(2), |level| self.level(&path, &level, findings));
        let strategies = strategies?
            .into_iter()
            .enumerate()
            .filter_map(|(index, entry)| self.choice(&format!("{path}/strategies/{index}"), entry, findings))
            .collect();
        let names: Option<String> = self.take(&path, &mut keys, "names", findings);
        self.check_regex(&format!("{path}/names"), names.as_deref(), findings);
        Some(TargetSpec {
            name: name.to_owned(),
            triple: triple?,
            cpu: self.take(&path, &mut keys, "cpu", findings).unwrap_or_default(),
            features: self.take(&path, &mut keys, "features", findings).unwrap_or_default(),
            emit: emit?.into(),
            optimise: optimise?,
            names,
            link: self.take(&path, &mut keys, "link", findings).unwrap_or_default(),
            strategies,
            loader: self.take(&path, &mut keys, "loader", findings),
            parameters: self.take(&path, &mut keys, "parameters", findings).unwrap_or_default(),
            properties: self.properties(&path, keys, findings),
        })
    }

    fn level(&self, path: &str, level: &str, findings: &mut Vec<Finding>) -> Option<u8> {
        let number = level.strip_prefix('O').and_then(|digit| digit.parse().ok()).filter(|n| *n <= 3);
        if number.is_none() {
            let place = self.places.value(&format!("{path}/optimise"));
            findings.push(
                Finding::error("relo::pack::level", self.source, place, format!("no such level: `{level}`"))
                    .label("this value")
                    .help("write O0, O1, O2 or O3"),
            );
        }
        number
    }

    fn choice(&self, path: &str, entry: Value, findings: &mut Vec<Finding>) -> Option<Choice> {
        let entry: ChoiceEntry = self.decode(path, entry, findings)?;
        if let Some(kind) = entry.referent.as_deref().filter(|kind| !REFERENT_KINDS.contains(kind)) {
            findings.push(
                Finding::error(
                    "relo::pack::referent_kind",
                    self.source,
                    self.places.value(&format!("{path}/referent")),
                    format!("there is no kind of referent `{kind}`"),
                )
                .label("this value")
                .help(suggestion(kind, REFERENT_KINDS)),
            );
        }
        for (key, pattern) in
            [("runtime", &entry.runtime), ("library", &entry.library), ("name", &entry.name)]
        {
            self.check_regex(&format!("{path}/{key}"), pattern.as_deref(), findings);
        }
        let regex = |pattern: Option<String>| pattern.and_then(|pattern| regex::Regex::new(&pattern).ok());
        Some(Choice {
            referent: entry.referent,
            site: entry.site,
            runtime: regex(entry.runtime),
            library: regex(entry.library),
            name: regex(entry.name),
            strategy: entry.strategy,
        })
    }

    fn check_regex(&self, path: &str, pattern: Option<&str>, findings: &mut Vec<Finding>) {
        let Some(pattern) = pattern else { return };
        if let Err(error) = regex::Regex::new(pattern) {
            let reason = error.to_string().lines().last().unwrap_or_default().to_owned();
            findings.push(
                Finding::error(
                    "relo::pack::regex",
                    self.source,
                    self.places.value(path),
                    format!("not a regular expression: {reason}"),
                )
                .label("this value")
                .help("a backslash takes a sign as it is: `\\(`; there is no look-around"),
            );
        }
    }

    fn properties(
        &self,
        path: &str,
        keys: IndexMap<String, Value>,
        findings: &mut Vec<Finding>,
    ) -> BTreeMap<String, Setting> {
        keys.into_iter()
            .filter_map(|(key, value)| {
                let setting = self.decode(&format!("{path}/{key}"), value, findings)?;
                Some((key, setting))
            })
            .collect()
    }

    fn take<T: DeserializeOwned>(
        &self,
        path: &str,
        keys: &mut IndexMap<String, Value>,
        key: &str,
        findings: &mut Vec<Finding>,
    ) -> Option<T> {
        let value = keys.shift_remove(key)?;
        self.decode(&format!("{path}/{key}"), value, findings)
    }

    fn decode<T: DeserializeOwned>(
        &self,
        path: &str,
        value: Value,
        findings: &mut Vec<Finding>,
    ) -> Option<T> {
        serde_yaml::from_value(value)
            .map_err(|error| {
                let message = without_place(&error);
                findings.push(match unknown_key(&message) {
                    Some((key, known)) => {
                        let place = self.places.key(&format!("{path}/{key}"));
                        Finding::error(
                            "relo::pack::value",
                            self.source,
                            place,
                            format!("there is no key `{key}` here"),
                        )
                        .label("this key")
                        .help(suggestion(key, known))
                    }
                    None => {
                        let wanted = message.rsplit_once(", expected ").map(|(_, wanted)| wanted);
                        let help = wanted.map(|wanted| format!("write {wanted}; ")).unwrap_or_default()
                            + "docs/write-a-pack.md says what each key holds";
                        Finding::error("relo::pack::value", self.source, self.places.value(path), message)
                            .label("this value")
                            .help(help)
                    }
                });
            })
            .ok()
    }
}

/// The key that the library does not know, and those that it does.
fn unknown_key(message: &str) -> Option<(&str, Vec<&str>)> {
    let mut quoted = message.strip_prefix("unknown field `")?.split('`');
    let key = quoted.next()?;
    Some((key, quoted.skip(1).step_by(2).collect()))
}

/// The library's message without its own "at line 3 column 4": the label says that.
fn without_place(error: &serde_yaml::Error) -> String {
    let message = error.to_string();
    message.find(" at line ").map_or(message.clone(), |end| message[..end].to_owned())
}
