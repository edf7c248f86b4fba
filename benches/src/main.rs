//! Measures relo on modules of growing size, beside `llc -O2` and a hand-written pass, in one run.
//!
//! `make bench` runs it and prints the tables of `benches/README.md`. A module has loads of a tenth as many words of a
//! runtime, in functions of a thousand loads each.
#![allow(unsafe_code)]

use std::fmt::Write as _;
use std::process::Command;
use std::time::{Duration, Instant};

use mlir_sys::MlirModule;
use relo_codegen::{Options, compile, shipped_packs};
use relo_dialect::{
    Context, Module, OdsSchema, Patterns, Surroundings, natives, plan, run, signatures, translate,
};
use relo_engine::normal::Phase;
use relo_engine::{Library, Request, RuleSet, Setting};
use relo_referent::SessionTable;

unsafe extern "C" {
    fn reloHandwritten(module: MlirModule);
}

/// Each time is the best of this many runs.
const RUNS: usize = 3;

fn main() {
    let rules = rules();
    println!(
        "| loads | whole compile | `llc -O2` alone | ratio | rewriting phases | hand-written pass | ratio |"
    );
    println!("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for loads in [1_000, 10_000, 100_000] {
        let text = module(loads);
        let whole = best(|| compile_whole(&text, &rules));
        let llc = best(|| run_llc(&text));
        let phases = best(|| rewrite(&text, &rules));
        let written = best(|| handwritten(&text));
        println!(
            "| {loads} | {} | {} | {:.2} | {} | {} | {:.2} |",
            milliseconds(whole),
            milliseconds(llc),
            whole.as_secs_f64() / llc.as_secs_f64(),
            milliseconds(phases),
            milliseconds(written),
            phases.as_secs_f64() / written.as_secs_f64(),
        );
    }
}

fn best(mut measured: impl FnMut() -> Duration) -> Duration {
    (0..RUNS).map(|_| measured()).min().unwrap_or_default()
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

fn module(loads: usize) -> String {
    let (words, per) = (loads / 10, 1000);
    let mut text = String::new();
    for word in 0..words {
        let _ = writeln!(text, "@rt_w{word} = external global i64");
    }
    for function in 0..loads / per {
        let _ = writeln!(text, "define i64 @f{function}(i64 %x) {{");
        let mut last = "%x".to_owned();
        for load in 0..per {
            let word = (function * per + load) * 7919 % words;
            let _ = writeln!(
                text,
                "  %l{load} = load i64, ptr @rt_w{word}\n  %a{load} = xor i64 {last}, %l{load}"
            );
            last = format!("%a{load}");
        }
        let _ = writeln!(text, "  ret i64 {last}\n}}");
    }
    text
}

fn rules() -> RuleSet {
    let (library, _) = Library::new(&shipped_packs());
    let (target, pack) =
        std::env::args().nth(1).zip(std::env::args().nth(2)).expect("arguments: TARGET PACK");
    let request = Request {
        target,
        settings: [(format!("{pack}.words"), Setting::Str("^rt_".into()))].into(),
        packs: vec![pack],
        ..Request::default()
    };
    RuleSet::new(&library, &request, &signatures(), &OdsSchema).expect("shipped rules are right").0
}

fn compile_whole(text: &str, rules: &RuleSet) -> Duration {
    let options = Options {
        input: text.as_bytes(),
        name: "bench.ll",
        session: &SessionTable::default(),
        rules,
        emit: "object".parse().expect("a kind"),
        level: 2,
        entries: &[],
        confine: false,
        resolve: &|_| None,
        natives,
        trace: false,
        interpret: false,
        progress: &|_| (),
    };
    let start = Instant::now();
    compile(&options, &mut |_| {}).expect("it compiles");
    start.elapsed()
}

fn run_llc(text: &str) -> Duration {
    let folder = std::env::temp_dir();
    let (input, output) = (folder.join("relo-bench.ll"), folder.join("relo-bench.o"));
    std::fs::write(&input, text).expect("written");
    let start = Instant::now();
    let status = Command::new("/usr/lib/llvm-22/bin/llc")
        .args(["-O2", "-filetype=obj", "-relocation-model=pic", "-mtriple=x86_64-unknown-linux-gnu", "-o"])
        .args([&output, &input])
        .status()
        .expect("llc runs");
    assert!(status.success());
    start.elapsed()
}

/// Imports the module, then measures what happens to it.
fn imported(text: &str, measured: impl FnOnce(&Context, Module<'_>) -> Duration) -> Duration {
    // SAFETY: the parser only reads the buffer; the import takes the module over; the context outlives both.
    unsafe {
        let llvm = llvm_sys::core::LLVMContextCreate();
        let buffer = llvm_sys::core::LLVMCreateMemoryBufferWithMemoryRangeCopy(
            text.as_ptr().cast(),
            text.len(),
            c"bench".as_ptr(),
        );
        let (mut module, mut message) = (std::ptr::null_mut(), std::ptr::null_mut());
        let failed =
            llvm_sys::ir_reader::LLVMParseIRInContext2(llvm, buffer, &raw mut module, &raw mut message);
        llvm_sys::core::LLVMDisposeMemoryBuffer(buffer);
        assert_eq!(failed, 0);
        let context = Context::new();
        let (seen, _) = translate::import(&context, module).expect("it is imported");
        let time = measured(&context, seen);
        drop(context);
        llvm_sys::core::LLVMContextDispose(llvm);
        time
    }
}

fn rewrite(text: &str, rules: &RuleSet) -> Duration {
    imported(text, |context, mut module| {
        let session = SessionTable::default();
        let surroundings = Surroundings { session: &session, word_width: 64, resolve: &|_| None, natives };
        let start = Instant::now();
        for phase in Phase::ALL {
            if phase == Phase::Lower {
                plan(&mut module, rules).expect("planned");
            }
            let patterns = Patterns::new(context, phase, rules.phase(phase)).expect("compiled");
            run(&mut module, &patterns, &surroundings, false).expect("applied");
        }
        start.elapsed()
    })
}

fn handwritten(text: &str) -> Duration {
    imported(text, |_, module| {
        let start = Instant::now();
        // SAFETY: the module is alive; relo's own rules verify what they made, so this does too.
        unsafe { reloHandwritten(module.to_raw()) };
        module.verify("after the hand-written pass").expect("it is valid");
        start.elapsed()
    })
}
