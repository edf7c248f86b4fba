//! What natives say of themselves is so: over generated modules and arguments those that look only change nothing and answer
//! alike when asked again, what implies another is never without it, and what is disjoint never holds together.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use proptest::prelude::any;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use relo_dialect::{AddNatives, Context, MlirHost, Module, Surroundings, interpret, natives};
use relo_engine::normal::Phase;
use relo_engine::{Datum, Effect, Host, Kind, Native, Natives, Op, Rewriter};
use relo_referent::{Referent, SessionTable};
use relo_testkit::render;

use crate::differential::choices::Choices;
use crate::how::rules;

/// Arguments that a native is asked with, of each module, at most.
const MOST: usize = 200;

/// A module of symbols of each kind, and a function that computes with them.
fn module(choices: &mut Choices<'_>) -> String {
    let mut text = String::new();
    let mut pointers = Vec::new();
    for index in 0..2 + choices.below(8) {
        let name = format!("{}{index}", choices.of(&["rt_", "g", "rt_true."]));
        let site = "[#reloc.site<0 : 64 -> #reloc.object<\"host\", \"box\">>]";
        let section = choices.of(&["", "", "section = \"reloc.host\", "]);
        let _ = match choices.below(9) {
            0 => writeln!(text, "llvm.mlir.global external @{name}() {{{section}alignment = 8 : i64}} : i64"),
            1 => {
                writeln!(text, "llvm.mlir.global internal @{name}(4096 : i64) {{test.kept = 1 : i64}} : i64")
            }
            2 => writeln!(
                text,
                "llvm.mlir.global internal @{name}(dense<[4096, 7]> : tensor<2xi64>) : !llvm.array<2 x i64>"
            ),
            3 => writeln!(text, "llvm.mlir.global external @{name}() {{reloc.sites = {site}}} : i64"),
            4 => writeln!(text, "reloc.slot @{name} : i64 -> #reloc.symbol<\"cos\", \"libm.so.6\">"),
            5 => writeln!(text, "reloc.record @{name} : i64 = 0 : i64 sites {site}"),
            6 => writeln!(text, "llvm.func @{name}(i64) -> i64"),
            7 if !pointers.is_empty() => {
                let other: &String = &pointers[choices.below(pointers.len())];
                writeln!(
                    text,
                    "llvm.mlir.global internal @{name}() : !llvm.ptr {{ %0 = llvm.mlir.addressof @{other} : !llvm.ptr llvm.return %0 : !llvm.ptr }}"
                )
            }
            _ => writeln!(text, "llvm.func @{name}(%a: i64) -> i64 {{ llvm.return %a : i64 }}"),
        };
        // `llvm.mlir.addressof` is of what LLVM knows.
        if !text.lines().last().unwrap_or_default().starts_with("reloc.") {
            pointers.push(name);
        }
    }
    let mut values = vec![("%p".to_owned(), true), ("%n".to_owned(), false)];
    let mut body = String::new();
    for index in 0..2 + choices.below(12) {
        let of = |pointer: bool, choices: &mut Choices<'_>| {
            let all: Vec<&String> =
                values.iter().filter(|(_, is)| *is == pointer).map(|(name, _)| name).collect();
            all[all.len() - 1 - choices.below(all.len().min(4))].clone()
        };
        let (p, n) = (of(true, choices), of(false, choices));
        let (made, pointer) = match choices.below(8) {
            0 | 1 if !pointers.is_empty() => (
                format!("llvm.mlir.addressof @{} : !llvm.ptr", pointers[choices.below(pointers.len())]),
                true,
            ),
            2 => (
                format!("llvm.getelementptr {p}[{}] : (!llvm.ptr) -> !llvm.ptr, i64", choices.below(3)),
                true,
            ),
            3 => (format!("llvm.getelementptr {p}[{n}] : (!llvm.ptr, i64) -> !llvm.ptr, i8"), true),
            4 => (format!("llvm.inttoptr {n} : i64 to !llvm.ptr"), true),
            5 => (format!("llvm.ptrtoint {p} : !llvm.ptr to i64"), false),
            6 => (format!("llvm.add {n}, {n} : i64"), false),
            _ => {
                (format!("llvm.mlir.constant({} : i64) : i64", choices.of(&["8", "0", "4096", "-1"])), false)
            }
        };
        let _ = writeln!(body, "  %v{index} = {made}");
        values.push((format!("%v{index}"), pointer));
    }
    let _ = writeln!(text, "llvm.func @f(%p: !llvm.ptr, %n: i64) {{\n{body}  llvm.return\n}}");
    text
}

/// What of each kind there is to ask about.
fn pool(host: &mut MlirHost<'_>) -> BTreeMap<Kind, Vec<Datum>> {
    let mut pool: BTreeMap<Kind, Vec<Datum>> = BTreeMap::new();
    let symbols = host.symbols();
    let bodies: Vec<Op> = symbols.iter().flat_map(|op| host.body(*op)).collect();
    for op in &symbols {
        if let Some(Datum::Str(name)) = host.field(*op, "sym_name") {
            pool.entry(Kind::Symbol).or_default().push(Datum::Symbol(name));
        }
    }
    pool.entry(Kind::Symbol).or_default().push(Datum::Symbol("nobody".into()));
    for op in symbols.iter().chain(&bodies) {
        let values = host.results(*op).into_iter().chain(host.operands(*op));
        pool.entry(Kind::Value).or_default().extend(values.map(Datum::Value));
        let attributes = host.attributes(*op);
        let plain = attributes.iter().map(|(_, attribute)| Datum::Attr(*attribute));
        pool.entry(Kind::Attribute).or_default().extend(plain);
        pool.entry(Kind::Dictionary).or_default().push(Datum::Dictionary(attributes));
    }
    let types = ["i64", "i32", "!llvm.ptr", "!llvm.struct<(i64, ptr)>"].map(|text| host.parse_type(text));
    pool.insert(Kind::Type, types.into_iter().flatten().map(Datum::Type).collect());
    pool.insert(Kind::Int, [0, 1, 8, -8, 4096, 1 << 70].map(Datum::Int).to_vec());
    pool.insert(Kind::Bool, [true, false].map(Datum::Bool).to_vec());
    let texts = ["", "rt_1", "patch", "alignment", "object:host:key", "symbol:cos", "word:jl_true+8"];
    pool.insert(Kind::Str, texts.map(|text| Datum::Str(text.into())).to_vec());
    pool.insert(Kind::Regex, ["^rt_", "(", ""].map(|text| Datum::Str(text.into())).to_vec());
    let referents: Vec<Referent> =
        ["object:host:key", "object:host:box", "symbol:cos@libm.so.6", "word:jl_true+8"]
            .iter()
            .filter_map(|text| text.parse().ok())
            .collect();
    let site = |offset, referent: &Referent| {
        Datum::List(vec![Datum::Int(offset), Datum::Int(64), Datum::Referent(referent.clone())])
    };
    let one = vec![site(0, &referents[0])];
    let two = vec![site(0, &referents[0]), site(8, &referents[1])];
    pool.insert(Kind::List, [Vec::new(), one, two, vec![Datum::Int(8)]].map(Datum::List).to_vec());
    pool.insert(Kind::Referent, referents.into_iter().map(Datum::Referent).collect());
    let all = pool.values().flat_map(|data| data.iter().take(20)).cloned().collect();
    pool.insert(Kind::Any, all);
    pool
}

/// Every combination of what the parameters may be, up to so many.
fn combinations(parameters: &[(&'static str, Kind)], pool: &BTreeMap<Kind, Vec<Datum>>) -> Vec<Vec<Datum>> {
    let mut all = vec![Vec::new()];
    for (_, kind) in parameters {
        let data = pool.get(kind).map(Vec::as_slice).unwrap_or_default();
        all = all
            .into_iter()
            .flat_map(|before: Vec<Datum>| {
                data.iter().map(move |datum| before.iter().cloned().chain([datum.clone()]).collect())
            })
            .take(MOST)
            .collect();
    }
    all
}

/// How often each native had an answer.
type Answered = BTreeMap<&'static str, usize>;

/// Asks every native that looks only whatever there is to ask; what one says of itself and does not keep is an error.
fn ask(host: &mut MlirHost<'_>, add: AddNatives, answered: &mut Answered) -> Result<(), String> {
    let mut natives = Natives::default();
    add(&mut natives);
    let pool = pool(host);
    let signatures = natives.signatures();
    for signature in signatures.values().filter(|signature| signature.effect == Effect::Pure) {
        let native = natives.get(signature.name).expect("it has a signature");
        let name = signature.name;
        for arguments in combinations(&signature.parameters, &pool) {
            let answer = natives.call(native, host, &arguments);
            let told = || arguments.iter().map(|one| format!("{one:?}")).collect::<Vec<_>>().join(", ");
            let again = natives.call(native, host, &arguments);
            if answer != again {
                return Err(format!("{name}({}) is {answer:?}, then {again:?}", told()));
            }
            if !host.inserted().is_empty() {
                return Err(format!("{name}({}) builds something", told()));
            }
            if answer.is_none() {
                continue;
            }
            *answered.entry(name).or_default() += 1;
            for (others, wanted) in [(&signature.implies, true), (&signature.disjoint, false)] {
                for other in others {
                    let native = natives.get(other).expect("it is said of a native");
                    if natives.call(native, host, &arguments).is_some() != wanted {
                        let says = if wanted { "implies" } else { "is disjoint with" };
                        return Err(format!("{name} {says} {other}, and not of ({})", told()));
                    }
                }
            }
        }
    }
    Ok(())
}

/// Natives over generated modules.
fn check(add: AddNatives, cases: u32) -> Result<Answered, String> {
    // Whatever there is in every module: one rule that is tried, and never fires.
    let file = "pack t\nphase lift\nrule any { match { llvm.return } where { 1 == 2 } reject \"never\" }\n";
    let rules = rules(file).unwrap_or_else(|error| panic!("{}", render(&error)));
    let table = "{\"entries\": [{\"address\": \"0x1000\", \"target\": {\"object\": {\"runtime\": \"host\", \"key\": \"k\"}}},\
                 {\"global\": \"g0\", \"target\": {\"symbol\": {\"name\": \"cos\"}}}]}";
    let session = SessionTable::parse(table, "table").expect("it is right");
    let answered: RefCell<Answered> = RefCell::default();
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[5; 32]);
    let run = |numbers: Vec<u16>| {
        let text = module(&mut Choices::new(&numbers));
        let context = Context::new();
        let surroundings =
            Surroundings { session: &session, word_width: 64, resolve: &|_| Some(4096), natives: add };
        let mut module =
            Module::parse(&context, text.as_bytes(), "module").map_err(|error| render(&error))?;
        let before = module.text();
        let mut found = None;
        let outcome = interpret(
            &mut module,
            Phase::Lift,
            rules.phase(Phase::Lift),
            &surroundings,
            false,
            &mut |host, _| {
                found.get_or_insert_with(|| ask(host, add, &mut answered.borrow_mut()));
            },
        );
        found.unwrap_or(Ok(())).map_err(|error| format!("{error}\n{text}"))?;
        outcome.map_err(|error| render(&error))?;
        if module.text() == before { Ok(()) } else { Err(format!("a native changes\n{text}")) }
    };
    TestRunner::new_with_rng(config, rng)
        .run(&proptest::collection::vec(any::<u16>(), 20..80), |numbers| {
            run(numbers).map_err(TestCaseError::fail)
        })
        .map_err(|error| error.to_string())?;
    Ok(answered.into_inner())
}

#[test]
fn natives_are_what_they_say() {
    let answered = check(natives, 24).unwrap_or_else(|error| panic!("{error}"));
    // Of what never has an answer nothing would be found.
    let silent: BTreeSet<&str> = relo_dialect::signatures()
        .values()
        .filter(|signature| signature.effect == Effect::Pure && !answered.contains_key(signature.name))
        .map(|signature| signature.name)
        .collect();
    assert!(silent.is_empty(), "no answer from {silent:?}: {answered:?}");
}

/// Adds a native of a symbol that answers as `run` does.
fn with<'h>(
    all: &mut Natives<MlirHost<'h>>,
    shape: impl FnOnce(Native<MlirHost<'h>>) -> Native<MlirHost<'h>>,
    run: impl Fn(&mut MlirHost<'h>, &str) -> bool + 'static,
) {
    natives(all);
    let native = Native::pure(
        "mine",
        &[("symbol", Kind::Symbol)],
        &[],
        "Of a test.",
        move |host: &mut MlirHost<'h>, arguments: &[Datum]| match &arguments[0] {
            Datum::Symbol(name) => run(host, name).then(Vec::new),
            _ => None,
        },
    );
    all.add(shape(native));
}

thread_local! {
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

#[test]
fn what_is_not_so_is_found() {
    let found = |add: AddNatives, what: &str| {
        let error = check(add, 24).expect_err(what);
        assert!(error.contains(what), "{error}");
    };
    found(
        |all| with(all, |mine| mine.implies(&["is_data"]), |_, name| name.starts_with("rt_")),
        "mine implies is_data",
    );
    found(
        |all| with(all, |mine| mine.disjoint(&["is_slot"]), |_, name| name.starts_with("rt_")),
        "mine is disjoint with is_slot",
    );
    found(|all| with(all, |mine| mine, |_, _| ASKED.replace(ASKED.get() + 1).is_multiple_of(2)), "mine(");
    found(
        |all| {
            with(
                all,
                |mine| mine,
                |host, _| {
                    let symbols = host.symbols();
                    symbols.windows(2).for_each(|pair| host.carry(pair[0], pair[1]));
                    true
                },
            );
        },
        "a native changes",
    );
}
