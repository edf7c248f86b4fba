//! Generated device code: whatever delivers its words, it computes the same.
//!
//! A program is a tree that is written as LLVM IR for any target, and interpreted here. `RELO_MODULES` sets how many are
//! tried.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::opencl::{Argument, Job, run_kernels};
use crate::support::{Site, arg, elf_symbols, folder, manifest, relo_ok, run, sites_of, tool};

const DATA: usize = 4;
const TABLE: usize = 8;

/// What a program computes: a number.
#[derive(Clone, Debug)]
enum Expr {
    Number(u64),
    Parameter(bool),
    /// The word of a datum.
    Word(usize),
    /// A word inside a datum.
    Inside(usize),
    /// A datum's address.
    Address(usize),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    /// Whether two numbers are the same.
    Equal(Box<Expr>, Box<Expr>),
    /// One of two, by control flow.
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Up to three rounds, each of what the one before gave and of its count.
    Loop(Box<Expr>, Box<Expr>),
    /// A function that comes before.
    Call(usize, Box<Expr>, Box<Expr>),
}

/// Functions, each of which may call those before; the kernel is the last, and writes every expression's value.
#[derive(Clone, Debug)]
struct Program {
    functions: Vec<(Expr, bool)>,
    kernel: Vec<Expr>,
}

fn expr() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![
        any::<u64>().prop_map(Expr::Number),
        any::<bool>().prop_map(Expr::Parameter),
        (0..DATA).prop_map(Expr::Word),
        (0..TABLE).prop_map(Expr::Inside),
        (0..DATA).prop_map(Expr::Address),
    ];
    leaf.prop_recursive(4, 16, 3, |inner| {
        let sub = inner.prop_map(Box::new).boxed();
        let operation = prop::sample::select(vec!["add", "sub", "mul", "xor", "and", "or"]);
        prop_oneof![
            (operation, sub.clone(), sub.clone()).prop_map(|(name, a, b)| Expr::Binary(name, a, b)),
            (sub.clone(), sub.clone()).prop_map(|(a, b)| Expr::Equal(a, b)),
            (sub.clone(), sub.clone(), sub.clone()).prop_map(|(c, a, b)| Expr::If(c, a, b)),
            (sub.clone(), sub.clone()).prop_map(|(count, body)| Expr::Loop(count, body)),
            (0..3usize, sub.clone(), sub).prop_map(|(callee, a, b)| Expr::Call(callee, a, b)),
        ]
    })
}

fn program() -> impl Strategy<Value = Program> {
    let functions = prop::collection::vec((expr(), any::<bool>()), 0..3);
    (functions, prop::collection::vec(expr(), 1..4))
        .prop_map(|(functions, kernel)| Program { functions, kernel })
}

/// The words of a session: data, words inside, addresses.
struct Session {
    words: [u64; DATA],
    inside: [u64; TABLE],
    addresses: [u64; DATA],
}

impl Session {
    fn new() -> Self {
        let mix = |seed: u64| seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Self {
            words: std::array::from_fn(|index| mix(index as u64)),
            inside: std::array::from_fn(|index| mix(100 + index as u64)),
            // As far as a linker's absolute symbols go.
            addresses: std::array::from_fn(|index| 0x1234_5000 + 16 * index as u64),
        }
    }

    /// A library that has the data, for words that are resolved when compiling.
    fn library(&self, folder: &Path) -> PathBuf {
        let mut text = String::new();
        for (index, word) in self.words.iter().enumerate() {
            let _ = writeln!(text, "unsigned long rt_w{index} = {word:#x};");
        }
        let inside = self.inside.map(|word| format!("{word:#x}")).join(", ");
        let _ = writeln!(text, "unsigned long rt_table[] = {{ {inside} }};");
        let (source, library) = (folder.join("session.c"), folder.join("libsession.so"));
        std::fs::write(&source, text).expect("written");
        let mut command = Command::new("cc");
        command.args(["-shared", "-fPIC", arg(&source), "-o", arg(&library)]);
        for (index, address) in self.addresses.iter().enumerate() {
            command.arg(format!("-Wl,--defsym=rt_a{index}={address:#x}"));
        }
        run(&mut command);
        library
    }

    /// The word of a site.
    fn word(&self, site: &Site) -> u64 {
        let referent: serde_json::Value = serde_json::from_str(&site.referent).expect("JSON");
        let name =
            referent["word"]["symbol"].as_str().or(referent["symbol"]["name"].as_str()).expect("a name");
        let number = name.trim_start_matches(|c: char| !c.is_ascii_digit()).parse::<usize>();
        match (name.as_bytes()[3], number) {
            (b'w', Ok(index)) => self.words[index],
            (b'a', Ok(index)) => self.addresses[index],
            _ => self.inside[referent["word"]["offset"].as_u64().unwrap_or(0) as usize / 8],
        }
    }
}

impl Program {
    /// What the kernel writes.
    fn results(&self, session: &Session, parameters: [u64; 2]) -> Vec<u64> {
        let count = self.functions.len();
        self.kernel.iter().map(|expr| self.value(expr, session, parameters, count)).collect()
    }

    fn value(&self, expr: &Expr, session: &Session, [a, b]: [u64; 2], callees: usize) -> u64 {
        let of = |expr: &Expr| self.value(expr, session, [a, b], callees);
        match expr {
            Expr::Number(number) => *number,
            Expr::Parameter(second) => [a, b][usize::from(*second)],
            Expr::Word(index) => session.words[*index],
            Expr::Inside(index) => session.inside[*index],
            Expr::Address(index) => session.addresses[*index],
            Expr::Binary(name, x, y) => {
                let (x, y) = (of(x), of(y));
                match *name {
                    "add" => x.wrapping_add(y),
                    "sub" => x.wrapping_sub(y),
                    "mul" => x.wrapping_mul(y),
                    "xor" => x ^ y,
                    "and" => x & y,
                    _ => x | y,
                }
            }
            Expr::Equal(x, y) => u64::from(of(x) == of(y)),
            Expr::If(condition, x, y) => {
                if of(condition) & 1 == 1 {
                    of(x)
                } else {
                    of(y)
                }
            }
            Expr::Loop(count, body) => {
                (0..of(count) & 3).fold(0, |sum, round| self.value(body, session, [sum, round], callees))
            }
            Expr::Call(callee, x, y) => {
                let parameters = [of(x), of(y)];
                match callees {
                    0 => parameters[0].wrapping_add(parameters[1]),
                    _ => {
                        let callee = callee % callees;
                        self.value(&self.functions[callee].0, session, parameters, callee)
                    }
                }
            }
        }
    }

    /// LLVM IR in a target's own words.
    fn llvm(&self, triple: &str, kernel: &str, function: &str) -> String {
        let mut text = format!("target triple = \"{triple}\"\n");
        for index in 0..DATA {
            let _ = writeln!(text, "@rt_w{index} = external addrspace(1) global i64, align 8");
            let _ = writeln!(text, "@rt_a{index} = external addrspace(1) global i8");
        }
        let _ = writeln!(text, "@rt_table = external addrspace(1) global [{TABLE} x i64], align 8");
        for (index, (expr, inlined)) in self.functions.iter().enumerate() {
            let inlined = if *inlined { "" } else { "noinline " };
            let mut body = Body::new(function, index);
            let value = body.value(expr, ["%a", "%b"]);
            let _ = writeln!(
                text,
                "define internal {function} i64 @f{index}(i64 %a, i64 %b) {inlined}{{\nentry:\n{}  ret i64 {value}\n}}",
                body.text
            );
        }
        let mut body = Body::new(function, self.functions.len());
        for (index, expr) in self.kernel.iter().enumerate() {
            let value = body.value(expr, ["%a", "%b"]);
            let place = body.line(&format!("getelementptr i64, ptr addrspace(1) %out, i64 {index}"));
            let _ = writeln!(body.text, "  store i64 {value}, ptr addrspace(1) {place}, align 8");
        }
        let _ = writeln!(
            text,
            "define {kernel} void @k(ptr addrspace(1) %out, i64 %a, i64 %b) {{\nentry:\n{}  ret void\n}}",
            body.text
        );
        text
    }
}

/// The body of a function, as it is written.
struct Body<'a> {
    text: String,
    values: usize,
    block: String,
    convention: &'a str,
    callees: usize,
}

impl<'a> Body<'a> {
    fn new(convention: &'a str, callees: usize) -> Self {
        Self { text: String::new(), values: 0, block: "entry".into(), convention, callees }
    }

    fn line(&mut self, operation: &str) -> String {
        self.values += 1;
        let name = format!("%v{}", self.values);
        let _ = writeln!(self.text, "  {name} = {operation}");
        name
    }

    fn begin(&mut self, block: &str) {
        let _ = writeln!(self.text, "{block}:");
        self.block = block.to_owned();
    }

    fn value(&mut self, expr: &Expr, parameters: [&str; 2]) -> String {
        let base = "ptr addrspace(1)";
        match expr {
            Expr::Number(number) => number.cast_signed().to_string(),
            Expr::Parameter(second) => parameters[usize::from(*second)].to_owned(),
            Expr::Word(index) => self.line(&format!("load i64, {base} @rt_w{index}, align 8")),
            Expr::Inside(index) => {
                let address = self.line(&format!("getelementptr i64, {base} @rt_table, i64 {index}"));
                self.line(&format!("load i64, {base} {address}, align 8"))
            }
            Expr::Address(index) => self.line(&format!("ptrtoint {base} @rt_a{index} to i64")),
            Expr::Binary(name, x, y) => {
                let (x, y) = (self.value(x, parameters), self.value(y, parameters));
                self.line(&format!("{name} i64 {x}, {y}"))
            }
            Expr::Equal(x, y) => {
                let (x, y) = (self.value(x, parameters), self.value(y, parameters));
                let equal = self.line(&format!("icmp eq i64 {x}, {y}"));
                self.line(&format!("zext i1 {equal} to i64"))
            }
            Expr::If(condition, x, y) => {
                let condition = self.value(condition, parameters);
                let condition = self.line(&format!("trunc i64 {condition} to i1"));
                let number = self.values;
                let _ = writeln!(self.text, "  br i1 {condition}, label %then{number}, label %else{number}");
                let mut branch = |name: &str, expr: &Expr| {
                    self.begin(&format!("{name}{number}"));
                    let value = self.value(expr, parameters);
                    let _ = writeln!(self.text, "  br label %join{number}");
                    format!("[ {value}, %{} ]", self.block)
                };
                let (x, y) = (branch("then", x), branch("else", y));
                self.begin(&format!("join{number}"));
                self.line(&format!("phi i64 {x}, {y}"))
            }
            Expr::Loop(count, body) => {
                let count = self.value(count, parameters);
                let count = self.line(&format!("and i64 {count}, 3"));
                self.values += 1;
                let number = self.values;
                let before = self.block.clone();
                let _ = writeln!(self.text, "  br label %head{number}");
                // What the rounds give is known only after the body is written.
                let head = self.text.len();
                let (sum, round) = (format!("%sum{number}"), format!("%round{number}"));
                self.begin(&format!("body{number}"));
                let value = self.value(body, [&sum, &round]);
                let next = self.line(&format!("add i64 {round}, 1"));
                let _ = writeln!(self.text, "  br label %head{number}");
                let last = self.block.clone();
                let text = format!(
                    "head{number}:\n  {sum} = phi i64 [ 0, %{before} ], [ {value}, %{last} ]\n  \
                     {round} = phi i64 [ 0, %{before} ], [ {next}, %{last} ]\n  \
                     %more{number} = icmp ult i64 {round}, {count}\n  \
                     br i1 %more{number}, label %body{number}, label %done{number}\n"
                );
                self.text.insert_str(head, &text);
                self.begin(&format!("done{number}"));
                sum
            }
            Expr::Call(callee, x, y) => {
                let (x, y) = (self.value(x, parameters), self.value(y, parameters));
                match self.callees {
                    0 => self.line(&format!("add i64 {x}, {y}")),
                    count => {
                        let callee = callee % count;
                        self.line(&format!("call {} i64 @f{callee}(i64 {x}, i64 {y})", self.convention))
                    }
                }
            }
        }
    }
}

/// Programs, the same ones each time.
fn programs(default: usize) -> Vec<Program> {
    let count = std::env::var("RELO_MODULES").map_or(default, |count| count.parse().expect("a number"));
    let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), random);
    (0..count).map(|_| program().new_tree(&mut runner).expect("a program").current()).collect()
}

const WORDS: [&str; 4] = ["--use", "clang", "--set", "clang.words=^rt_"];

#[test]
fn all_strategies_compute_the_same() {
    const PARAMETERS: [u64; 2] = [3, 0x8000_0000_0000_0001];
    let folder = folder();
    let session = Session::new();
    let library = session.library(folder.path());
    let (mut jobs, mut wanted, mut told) = (Vec::new(), Vec::new(), Vec::new());
    for (number, program) in programs(4).iter().enumerate() {
        let input = folder.path().join(format!("{number}.ll"));
        let text = program.llvm("spirv64-unknown-unknown", "spir_kernel", "spir_func");
        std::fs::write(&input, &text).expect("written");
        let results = program.results(&session, PARAMETERS);
        for strategy in ["specialize", "table", "bake", "import"] {
            for level in ["-O0", "-O2"] {
                let out = folder.path().join(format!("{number}{strategy}{level}.spv"));
                let mut arguments = vec!["compile", arg(&input), "--target", "opencl", "-o", arg(&out)];
                arguments.extend(["--strategy", strategy, level, "--load", arg(&library)]);
                arguments.extend(WORDS);
                relo_ok(&arguments);
                let manifest = manifest(&out);
                let sites = sites_of(&manifest);
                let mut arguments = vec![Argument::Results];
                arguments.extend(PARAMETERS.map(Argument::Number));
                let mut constants = BTreeMap::new();
                let mut table =
                    vec![0; sites.iter().filter_map(|site| site.index).max().unwrap_or(0) as usize + 1];
                for site in &sites {
                    match (site.action.as_str(), site.index) {
                        ("specialize", Some(index)) => {
                            constants.insert(index as u32, session.word(site));
                        }
                        ("table", Some(index)) => table[index as usize] = session.word(site),
                        ("define", None) => {}
                        other => panic!("{strategy} gives {other:?}"),
                    }
                }
                if let Some(argument) = manifest["arguments"].as_array().and_then(|all| all.first()) {
                    arguments.insert(
                        argument["argument"].as_u64().expect("a place") as usize,
                        Argument::Words(table),
                    );
                }
                let spirv = if strategy == "import" && !sites.is_empty() {
                    link_cells(&out, &sites, &session)
                } else {
                    out
                };
                run(Command::new("spirv-val").args(["--target-env", "opencl2.2", arg(&spirv)]));
                jobs.push(Job { spirv, kernel: "k".into(), constants, arguments, words: results.len() });
                wanted.push(results.clone());
                told.push(format!("{strategy} {level}\n{text}"));
            }
        }
    }
    for ((got, wanted), told) in run_kernels(&jobs).into_iter().zip(wanted).zip(told) {
        assert_eq!(got.as_ref(), Ok(&wanted), "{told}");
    }
}

/// Links a module with one that defines its words.
fn link_cells(module: &Path, sites: &[Site], session: &Session) -> PathBuf {
    let (source, cells, linked) =
        (module.with_extension("cells.ll"), module.with_extension("cells"), module.with_extension("linked"));
    let mut text = String::from("target triple = \"spirv64-unknown-unknown\"\n");
    for site in sites {
        let word = session.word(site).cast_signed();
        let _ = writeln!(text, "@{} = addrspace(1) global i64 {word}, align 8", site.symbol);
    }
    // LLVM writes the variables of a module only when it has a function.
    text.push_str("define spir_func void @cells() {\n  ret void\n}\n");
    std::fs::write(&source, text).expect("written");
    relo_ok(&["compile", arg(&source), "--target", "opencl", "-o", arg(&cells)]);
    let mut link = Command::new("spirv-link");
    run(link.args([arg(module), arg(&cells), "--target-env", "opencl2.2", "-o", arg(&linked)]));
    linked
}

/// What no device is here to run, the real tools take: every site is where the manifest says.
#[test]
fn every_strategy_is_accepted_on_every_gpu() {
    let folder = folder();
    let session = Session::new();
    let library = session.library(folder.path());
    for (number, program) in programs(2).iter().enumerate() {
        for (target, triple, kernel) in
            [("cuda", "nvptx64-nvidia-cuda", "ptx_kernel"), ("amdgpu", "amdgcn-amd-amdhsa", "amdgpu_kernel")]
        {
            let input = folder.path().join(format!("{number}{target}.ll"));
            let text = program.llvm(triple, kernel, "");
            std::fs::write(&input, &text).expect("written");
            for strategy in ["patch", "table", "bake", "import"] {
                for level in ["-O0", "-O2"] {
                    let out = folder.path().join("out");
                    let mut arguments = vec!["compile", arg(&input), "--target", target, "-o", arg(&out)];
                    arguments.extend(["--strategy", strategy, level, "--load", arg(&library)]);
                    arguments.extend(WORDS);
                    relo_ok(&arguments);
                    let sites = sites_of(&manifest(&out));
                    let object = if target == "cuda" {
                        let object = folder.path().join("out.o");
                        let mut ptxas = Command::new(tool("ptxas"));
                        run(ptxas.args(["-c", "-Werror", "-arch=sm_80", arg(&out), "-o", arg(&object)]));
                        object
                    } else {
                        out
                    };
                    let symbols = elf_symbols(&std::fs::read(object).expect("written"), target != "cuda");
                    let told = format!("{target} {strategy} {level}\n{text}");
                    for site in &sites {
                        let symbol = symbols.get(&site.symbol).unwrap_or_else(|| panic!("{site:?}: {told}"));
                        let is_defined = !symbol.section.is_empty();
                        assert_eq!(is_defined, strategy != "import", "{site:?}: {told}");
                        assert!(!is_defined || site.offset + 8 <= symbol.size, "{site:?}: {told}");
                    }
                    for name in symbols.keys().filter(|name| name.starts_with("relo_")) {
                        assert!(sites.iter().any(|site| site.symbol == *name), "{name}: {told}");
                    }
                }
            }
        }
    }
}
