//! Every strategy on every target: what they make is taken by the target's own tools, and is what the manifest says; what
//! they can't is refused with the strategies that can. `docs/targets.md` is what this test saw.
//!
//! `RELO_MATRIX=all` tries every module at every level; otherwise it is a choice, always the same.

mod consumers;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use relo_codegen::shipped_packs;
use relo_engine::{Library, Setting as Value, TargetSpec};
use relo_testkit::{cases, root};

use crate::author::up_to_date;
use crate::generated::{Session, Setting, Words, each, programs};
use crate::support::{arg, corpus, folder, manifest, relo, sites_of};
use consumers::{Consumer, take_deferred};

const LEVELS: [&str; 2] = ["-O0", "-O2"];

/// A target: its words, and who takes its artifacts.
struct Target {
    name: &'static str,
    words: Words,
    consumer: Consumer,
    /// The module of the corpus that is written for it.
    corpus: Option<&'static str>,
}

const fn words(
    triple: &'static str,
    kernel: &'static str,
    function: &'static str,
    space: &'static str,
) -> Words {
    Words { triple, kernel, function, space }
}

const TARGETS: [Target; 7] = [
    Target {
        name: "x86_64-linux",
        words: words("x86_64-unknown-linux-gnu", "", "", ""),
        consumer: Consumer::Linker("cc"),
        corpus: Some("clang/host_runtime.ll"),
    },
    Target {
        name: "aarch64-linux",
        words: words("aarch64-unknown-linux-gnu", "", "", ""),
        consumer: Consumer::Linker("aarch64-linux-gnu-cc"),
        corpus: None,
    },
    Target {
        name: "riscv64-linux",
        words: words("riscv64-unknown-linux-gnu", "", "", ""),
        consumer: Consumer::Linker("riscv64-linux-gnu-cc"),
        corpus: None,
    },
    Target {
        name: "cuda",
        words: words("nvptx64-nvidia-cuda", "ptx_kernel", "", " addrspace(1)"),
        consumer: Consumer::Nvidia,
        corpus: Some("device/tag_kernel.nvptx64.ll"),
    },
    Target {
        name: "amdgpu",
        words: words("amdgcn-amd-amdhsa", "amdgpu_kernel", "", " addrspace(1)"),
        consumer: Consumer::Lld,
        corpus: Some("device/tag_kernel.amdgcn.ll"),
    },
    Target {
        name: "opencl",
        words: words("spirv64-unknown-unknown", "spir_kernel", "spir_func", " addrspace(1)"),
        consumer: Consumer::Validator("opencl2.2"),
        corpus: Some("device/tag_kernel.spirv64.ll"),
    },
    Target {
        name: "vulkan",
        words: words("spirv-unknown-vulkan1.3-compute", "", "", ""),
        consumer: Consumer::Validator("vulkan1.3"),
        corpus: None,
    },
];

/// A module to try, and what is told of it.
struct Module {
    /// What the page calls what it has; none for those that are not on it.
    shows: Option<String>,
    name: String,
    path: PathBuf,
    entries: Vec<&'static str>,
    options: Vec<String>,
}

/// What a compilation came to.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Outcome {
    /// What the loader does, and by which strategies where these are others.
    Made(BTreeSet<String>),
    /// Refused, with the strategies that would not be.
    Refused { code: String, would: BTreeSet<String> },
}

/// A module for a target, by a strategy.
struct Trial<'a> {
    target: &'a Target,
    module: &'a Module,
    strategy: &'a str,
    level: &'static str,
}

impl Trial<'_> {
    fn told(&self) -> String {
        format!("{} {} {} {}", self.module.name, self.target.name, self.strategy, self.level)
    }

    fn command(&self, input: &Path, strategy: &str, kind: Option<&str>, out: &Path) -> Vec<String> {
        let mut arguments = ["--format", "json", "compile", arg(input), "--target", self.target.name]
            .map(str::to_owned)
            .to_vec();
        let emit = kind.map(|kind| vec!["--emit", kind]).unwrap_or_default();
        let fixed = ["--strategy", strategy, self.level, "-o", arg(out)];
        arguments.extend(fixed.into_iter().chain(emit).map(str::to_owned));
        arguments
            .extend(self.module.entries.iter().flat_map(|entry| ["--entry".into(), (*entry).to_owned()]));
        arguments.extend(self.module.options.iter().cloned());
        arguments
    }

    /// Compiles it, and has the target's own tools take it.
    fn run(&self, folder: &Path) -> Outcome {
        let out = folder.join(format!("{}.out", self.told().replace(['/', ' '], "_")));
        let compile = |input: &Path, strategy: &str, kind: Option<&str>, out: &Path| {
            let arguments = self.command(input, strategy, kind, out);
            relo(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
        };
        let must = |input: &Path, strategy: &str, kind: Option<&str>, out: &Path| {
            let output = compile(input, strategy, kind, out);
            assert!(output.status.success(), "{}: {}", self.told(), String::from_utf8_lossy(&output.stderr));
        };
        let deferred = self.strategy == "defer";
        let kind = deferred.then_some("llvm");
        let output = compile(&self.module.path, self.strategy, kind, &out);
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.code() == Some(1) && !out.exists(), "{}: {said}", self.told());
            return refused(&said);
        }
        if deferred && self.module.shows.is_some() {
            take_deferred(&out, |input, out| must(input, "bake", None, out));
        } else if deferred {
            // What only the loader knows can't be baked, but anything else can be.
            take_deferred(&out, |input, out| {
                let output = compile(input, "bake", None, out);
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                assert!(
                    output.status.success() || said.contains("relo::rule::unresolved"),
                    "{}: {said}",
                    self.told()
                );
            });
        } else {
            self.target.consumer.take(&out, |kind, out| {
                must(&self.module.path, self.strategy, Some(kind), out);
            });
        }
        let manifest = manifest(&out);
        let strategies = manifest["sites"].as_array().expect("sites").iter().map(|site| &site["strategy"]);
        let done = sites_of(&manifest).into_iter().zip(strategies).map(|(site, strategy)| {
            if strategy == self.strategy {
                site.action
            } else {
                format!("{} by `{}`", site.action, strategy.as_str().expect("a name"))
            }
        });
        Outcome::Made(done.collect())
    }
}

fn refused(said: &str) -> Outcome {
    let last: serde_json::Value = said
        .lines()
        .last()
        .and_then(|line| serde_json::from_str(line).ok())
        .unwrap_or_else(|| panic!("{said}"));
    let code = last["code"].as_str().expect("a code").to_owned();
    let text = format!("{}\n{}", last["message"].as_str().unwrap_or(""), last["help"].as_str().unwrap_or(""));
    let lists = text.split("these would, for this target: ").skip(1);
    let names = lists.flat_map(|list| list.lines().next().unwrap_or_default().split(", "));
    let would = names.map(|name| name.trim_matches('`').to_owned()).collect();
    Outcome::Refused { code, would }
}

/// The hand-written modules, in a target's own words.
fn written(target: &Target, setting: &Setting, folder: &Path) -> Vec<Module> {
    let session = Session::new(0);
    let all = cases(&root().join("cli/tests/data/matrix"), "ll");
    let own = |name: &str| name.split_once('.').map(|(_, target)| target.to_owned());
    let has_own = all.iter().any(|case| own(&case.name).as_deref() == Some(target.name));
    let mine = all.iter().filter(|case| match own(&case.name) {
        Some(name) => name == target.name,
        None => !has_own,
    });
    mine.map(|case| {
        let Words { triple, kernel, function, space } = target.words;
        let mut text = case.text.replace("TRIPLE", triple).replace("SPACE", space);
        text = text.replace("KERNEL", kernel).replace("FUNCTION", function);
        for (index, address) in session.objects.iter().enumerate() {
            text = text.replace(&format!("OBJECT{index}"), &address.to_string());
        }
        let path = folder.join(format!("{}.{}.ll", case.name, target.name));
        std::fs::write(&path, text).expect("written");
        Module {
            shows: Some(case.get("shows").expect("it says what it has").to_owned()),
            name: case.name.clone(),
            path,
            entries: vec!["k", "plain"],
            options: setting.options().into_iter().map(str::to_owned).collect(),
        }
    })
    .collect()
}

/// What front ends wrote, and what a generator writes.
fn others(target: &Target, setting: &Setting, folder: &Path) -> Vec<Module> {
    let mut modules = Vec::new();
    let mut add = |name: &str, path: PathBuf, options: &[&str]| {
        let options = options.iter().map(|&option| option.to_owned()).collect();
        modules.push(Module { shows: None, name: name.to_owned(), path, entries: Vec::new(), options });
    };
    let library = arg(&setting.library);
    if let Some(name) = target.corpus {
        add(name, corpus(name), &["--use", "clang", "--set", "clang.words=^rt_", "--load", library]);
    }
    if target.name == "x86_64-linux" {
        for table in
            cases(&corpus("numba/session-a"), "json").iter().chain(&cases(&corpus("julia/image"), "json"))
        {
            let place = table.path.parent().expect("a folder");
            let name = table.name.trim_end_matches(".session");
            let is_julia = place.ends_with("image");
            let input = place.join(format!("{name}.{}", if is_julia { "bc" } else { "ll" }));
            let front_end: &[&str] = if is_julia { &["--use", "julia"] } else { &[] };
            let options = [&["--session", arg(&table.path), "--load", "libm.so.6"], front_end].concat();
            add(name, input, &options);
        }
    }
    if target.name != "vulkan" {
        for (number, program) in programs(3).iter().enumerate() {
            let path = folder.join(format!("generated{number}.{}.ll", target.name));
            std::fs::write(&path, program.llvm(&target.words)).expect("written");
            add(&format!("generated {number}"), path, &[&setting.options()[..], &["--entry", "k"]].concat());
        }
    }
    modules
}

#[test]
fn every_strategy_on_every_target() {
    let folder = folder();
    let setting = Setting::new(folder.path());
    let all = std::env::var("RELO_MATRIX").is_ok_and(|wanted| wanted == "all");
    let (library, _) = Library::new(&shipped_packs());
    let strategies = strategies(&library);
    let tried: BTreeSet<&str> = TARGETS.iter().map(|target| target.name).collect();
    assert_eq!(tried, library.targets().map(|(_, target)| target.name.as_str()).collect());

    let modules: Vec<(&Target, Vec<Module>)> = TARGETS
        .iter()
        .map(|target| {
            let mut modules = written(target, &setting, folder.path());
            modules.extend(others(target, &setting, folder.path()));
            (target, modules)
        })
        .collect();
    let mut trials = Vec::new();
    let mut count = 0;
    for (target, modules) in &modules {
        for module in modules {
            for strategy in &strategies {
                count += 1;
                // A number that has nothing to do with how many strategies or modules there are.
                let chosen = module.shows.is_some() || count % 13 == 0;
                let levels = if all { &LEVELS[..] } else { &LEVELS[count % 2..=count % 2] };
                if all || chosen {
                    trials.extend(levels.iter().map(|level| Trial { target, module, strategy, level }));
                }
            }
        }
    }
    let outcomes = each(&trials, |_, trial| {
        // All that fail are told, each by its own words and then by name.
        catch_unwind(AssertUnwindSafe(|| trial.run(folder.path()))).map_err(|_| trial.told())
    });
    let (outcomes, failed): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(Result::is_ok);
    let failed: Vec<String> = failed.into_iter().filter_map(Result::err).collect();
    assert!(failed.is_empty(), "{failed:#?}");
    let outcomes: Vec<Outcome> = outcomes.into_iter().flatten().collect();
    let seen: Vec<(&Trial<'_>, &Outcome)> = trials.iter().zip(&outcomes).collect();
    up_to_date("docs/targets.md", &page(&library, &strategies, &seen));
    let mistaken = refusals_name_what_works(&seen);
    assert!(mistaken.is_empty(), "{mistaken:#?}");
}

/// The names of the strategies that targets have, in the order of their names.
fn strategies(library: &Library) -> Vec<&str> {
    let files = library.packs().flat_map(|pack| &pack.files);
    let items = files.flat_map(|(_, file)| &file.items);
    let mut names: Vec<&str> = items
        .filter_map(|item| match item {
            relo_grammar::tree::Item::Strategy(strategy) => Some(strategy.name.item.as_str()),
            _ => None,
        })
        .collect();
    names.sort_unstable();
    names
}

/// A refusal names the strategies that would not be refused: all of them, and no other. Those that don't.
fn refusals_name_what_works(seen: &[(&Trial<'_>, &Outcome)]) -> Vec<String> {
    let mut mistaken = Vec::new();
    for (trial, outcome) in seen {
        let Outcome::Refused { code, would } = outcome else { continue };
        if trial.module.shows.is_none() {
            let expected = ["plan::no_strategy", "rule::reject", "rule::unresolved", "codegen::argument"];
            if !expected.iter().any(|known| code.ends_with(known)) {
                mistaken.push(format!("{}: {code}", trial.told()));
            }
            continue;
        }
        let same = seen.iter().filter(|(other, outcome)| {
            std::ptr::eq(other.module, trial.module) && matches!(outcome, Outcome::Made(_))
        });
        let works: BTreeSet<String> = same.map(|(other, _)| other.strategy.to_owned()).collect();
        if *would != works {
            mistaken.push(format!("{}: {code} names {would:?}, and {works:?} work", trial.told()));
        }
    }
    mistaken
}

/// `docs/targets.md`.
fn page(library: &Library, strategies: &[&str], seen: &[(&Trial<'_>, &Outcome)]) -> String {
    let mut text = "# Targets\n\n\
        What becomes of a host reference, by target and strategy: what the loader does at its site. *Nothing* means that \
        the word is in the artifact. Every cell was compiled, taken by the tools that are named, and compared with its \
        manifest; what is refused is refused with the strategies that would do. Written by \
        `INSTA_UPDATE=always cargo test -p relo --test it matrix`.\n"
        .to_owned();
    for target in &TARGETS {
        let (_, spec) = library.target(target.name).expect("it is shipped");
        let _ = write!(text, "\n## `{}`\n\n{}\n\n", target.name, facts(spec, target.consumer));
        let shown: Vec<_> = seen
            .iter()
            .filter(|(trial, _)| trial.target.name == target.name && trial.module.shows.is_some())
            .collect();
        let mut rows: Vec<&str> = Vec::new();
        for (trial, _) in &shown {
            let row = trial.module.shows.as_deref().expect("they were chosen so");
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
        let _ = writeln!(
            text,
            "| | {} |",
            strategies.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" | ")
        );
        let _ = writeln!(text, "| --- |{}", " --- |".repeat(strategies.len()));
        for row in rows {
            let cell = |strategy: &&str| {
                let of = |(trial, _): &&&(&Trial<'_>, &Outcome)| {
                    trial.module.shows.as_deref() == Some(row) && trial.strategy == *strategy
                };
                let mut outcomes = shown.iter().filter(of).map(|(_, outcome)| *outcome);
                let first = outcomes.next().expect("every cell is tried");
                assert!(outcomes.all(|other| other == first), "{row}, {strategy}: the levels differ");
                match first {
                    Outcome::Made(done) if done.is_empty() => "nothing".to_owned(),
                    Outcome::Made(done) => done.iter().cloned().collect::<Vec<_>>().join(", "),
                    Outcome::Refused { code, .. } => {
                        format!("refused: `{}`", code.trim_start_matches("relo::"))
                    }
                }
            };
            let cells: Vec<String> = strategies.iter().map(cell).collect();
            let _ = writeln!(text, "| {row} | {} |", cells.join(" | "));
        }
    }
    text
}

/// A target in a sentence or two.
fn facts(spec: &TargetSpec, consumer: Consumer) -> String {
    let default: Vec<String> =
        spec.strategies.iter().map(|choice| format!("`{}`", choice.strategy)).collect();
    let mut text = format!(
        "`{}`, emits {}; by itself it uses {}. Taken by {}.",
        spec.triple,
        spec.emit.join(", "),
        default.join(", "),
        consumer.name()
    );
    if let Some(Value::Int(words)) = spec.properties.get("table_words") {
        let _ = write!(text, " A table has at most {words} words.");
    }
    text
}
