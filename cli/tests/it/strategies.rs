//! What each strategy promises, held against who takes its artifacts. What the words come to is `generated`'s, which tools
//! take them `matrix`'s.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::generated::{Session, Setting};
use crate::support::{Site, arg, folder, llvm, manifest, relo, relo_ok, run, sites_of};

/// A module that adds three words up, two of them the same.
const SUM: &str = "@rt_w0 = external global i64\n@rt_w1 = external global i64\n\
    define i64 @sum() {\n  %a = load i64, ptr @rt_w0\n  %b = load i64, ptr @rt_w1\n  %c = load i64, ptr @rt_w0\n  \
    %d = add i64 %a, %b\n  %e = add i64 %d, %c\n  ret i64 %e\n}\n";

struct Compiler {
    folder: tempfile::TempDir,
    setting: Setting,
}

impl Compiler {
    fn new() -> Self {
        let folder = folder();
        let setting = Setting::new(folder.path());
        Self { folder, setting }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn arguments<'a>(&'a self, input: &'a Path, out: &'a Path, options: &[&'a str]) -> Vec<&'a str> {
        let mut arguments = vec!["compile", arg(input), "-o", arg(out)];
        arguments.extend(options);
        arguments.extend(self.setting.options());
        arguments
    }

    fn compile(&self, text: &str, options: &[&str], out: &str) -> PathBuf {
        let (input, out) = (self.path("in.ll"), self.path(out));
        std::fs::write(&input, text).expect("written");
        relo_ok(&self.arguments(&input, &out, options));
        out
    }

    /// What is said of what is refused.
    fn refused(&self, text: &str, options: &[&str]) -> String {
        let (input, out) = (self.path("in.ll"), self.path("refused"));
        std::fs::write(&input, text).expect("written");
        let output = relo(&self.arguments(&input, &out, options));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(1) && !out.exists(), "{said}");
        said
    }

    fn llvm(&self, text: &str, strategy: &str) -> String {
        let options = ["--target", "x86_64-linux", "--strategy", strategy, "-O3", "--emit", "llvm"];
        std::fs::read_to_string(self.compile(text, &options, "out.ll")).expect("written")
    }
}

#[test]
fn baked_words_are_folded() {
    let compiler = Compiler::new();
    let [a, b, ..] = Session::new(0).words;
    let sum = a.wrapping_mul(2).wrapping_add(b).cast_signed();
    let text = compiler.llvm(SUM, "bake");
    assert!(text.contains(&format!("ret i64 {sum}")) && !text.contains("relo_"), "{text}");
}

#[test]
fn a_baked_word_with_a_place_is_a_private_constant() {
    let compiler = Compiler::new();
    let place = "@held0 = external global i64\ndefine ptr @place() {\n  ret ptr @held0\n}\n";
    let text = compiler.llvm(place, "bake");
    let word = Session::new(0).objects[0];
    let constant = text.lines().find(|line| line.starts_with("@relo_")).expect("a global");
    assert!(constant.contains("private") && constant.contains(&format!("constant i64 {word}")), "{constant}");
}

#[test]
fn patched_words_are_kept_and_loaded_once() {
    let compiler = Compiler::new();
    let text = compiler.llvm(SUM, "patch");
    let slots: Vec<&str> = text.lines().filter(|line| line.starts_with("@relo_")).collect();
    assert_eq!(slots.len(), 2, "{text}");
    for word in ["weak_odr", "protected", "externally_initialized", "global i64 0"] {
        assert!(slots.iter().all(|slot| slot.contains(word)), "{word}: {slots:?}");
    }
    let body = text.split("@sum()").nth(1).expect("the function");
    assert_eq!(body.matches("load i64").count(), 2, "{body}");
}

/// A host that exports the cells needs no loader of relo's: the dynamic linker fills in their addresses.
#[test]
fn the_dynamic_linker_takes_imported_words_from_a_host() {
    let compiler = Compiler::new();
    let options = ["--target", "x86_64-linux", "--strategy", "import"];
    let artifact = compiler.compile(SUM, &options, "sum.so");
    let session = Session::new(1);
    let mut host = String::from("#include <dlfcn.h>\n#include <stdio.h>\n");
    for site in sites_of(&manifest(&artifact)) {
        assert_eq!((site.action.as_str(), site.offset), ("define", 0));
        let _ = writeln!(host, "unsigned long {} = {:#x};", site.symbol, session.word(&site));
    }
    host.push_str(
        "int main(int c, char **v) {\n  void *image = dlopen(v[c - 1], RTLD_NOW);\n  \
         if (!image) { puts(dlerror()); return 1; }\n  \
         printf(\"%lu\\n\", ((unsigned long (*)(void))dlsym(image, \"sum\"))());\n  return 0;\n}\n",
    );
    let (source, program) = (compiler.path("host.c"), compiler.path("host"));
    std::fs::write(&source, host).expect("written");
    run(Command::new("cc").args(["-rdynamic", arg(&source), "-o", arg(&program), "-ldl"]));
    let [a, b, ..] = session.words;
    let wanted = a.wrapping_mul(2).wrapping_add(b).to_string();
    assert_eq!(run(Command::new(&program).arg(&artifact)).trim(), wanted);
}

/// LLVM's JIT takes the cells' addresses as absolute symbols.
#[test]
fn a_jit_takes_imported_words_as_absolute_symbols() {
    let compiler = Compiler::new();
    let text = "@held0 = external global i64\n\
        define i32 @main(i32 %c, ptr %v) {\n  %n = ptrtoint ptr @held0 to i64\n  \
        %e = icmp eq i64 %n, 20015998343864\n  %r = zext i1 %e to i32\n  ret i32 %r\n}\n";
    let options = ["--target", "x86_64-linux", "--strategy", "import", "--emit", "object"];
    let object = compiler.compile(text, &options, "place.o");
    let site = sites_of(&manifest(&object)).remove(0);
    let place = |address: u64| {
        let mut jit = Command::new(llvm("llvm-jitlink"));
        jit.args(["-abs", &format!("{}={address:#x}", site.symbol), arg(&object)]);
        jit.output().expect("the JIT runs").status.code()
    };
    assert_eq!((place(20_015_998_343_864), place(8)), (Some(1), Some(0)));
}

/// Neither the order of the input nor other words change a word's place in the table, or its number.
#[test]
fn places_and_numbers_are_stable() {
    let compiler = Compiler::new();
    let kernel = |name: &str, word: &str| {
        format!(
            "define spir_kernel void @{name}(ptr addrspace(1) %out) {{\n  %w = load i64, ptr addrspace(1) @{word}\n  \
             store i64 %w, ptr addrspace(1) %out\n  ret void\n}}\n"
        )
    };
    let words = "@rt_w0 = external addrspace(1) global i64\n@rt_w1 = external addrspace(1) global i64\n";
    let head = "target triple = \"spirv64-unknown-unknown\"\n";
    let (one, other) = (kernel("one", "rt_w0"), kernel("other", "rt_w1"));
    for strategy in ["table", "specialize"] {
        let mut options = vec!["--target", "opencl", "--strategy", strategy];
        options.extend(["--entry", "one", "--entry", "other"]);
        let sites = |text: &str| sites_of(&manifest(&compiler.compile(text, &options, "out.spv")));
        let first = sites(&format!("{head}{words}{one}{other}"));
        assert_eq!(first.iter().filter_map(|site: &Site| site.index).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(sites(&format!("{head}{other}{words}{one}")), first, "{strategy}");
    }
}

/// LLVM reads two words that lie side by side by one load: both are still in the manifest.
#[test]
fn words_of_a_table_that_are_read_together_are_all_there() {
    let compiler = Compiler::new();
    let text = "@rt_table = external global [8 x i64]\ndefine void @k(ptr %out) {\n  \
        %p = getelementptr i64, ptr @rt_table, i64 1\n  %a = load i64, ptr @rt_table\n  %b = load i64, ptr %p\n  \
        store i64 %a, ptr %out\n  %q = getelementptr i64, ptr %out, i64 1\n  store i64 %b, ptr %q\n  ret void\n}\n";
    let options = ["--target", "x86_64-linux", "--strategy", "table", "-O2"];
    let module = compiler.compile(text, &[&options[..], &["--emit", "llvm"]].concat(), "out.ll");
    let optimised = std::fs::read_to_string(module).expect("written");
    assert!(optimised.contains("load <2 x i64>"), "{optimised}");
    let sites = sites_of(&manifest(&compiler.compile(text, &options, "out.so")));
    assert_eq!(sites.iter().map(|site| site.index).collect::<Vec<_>>(), [Some(0), Some(1)]);
}

/// Words of 32 bits are specialisation constants of 32 bits: a target with such addresses, in front of the shipped ones.
#[test]
fn constants_are_as_wide_as_words() {
    let compiler = Compiler::new();
    let pack = compiler.path("narrow");
    std::fs::create_dir(&pack).expect("made");
    std::fs::write(
        pack.join("pack.yaml"),
        "pack: narrow\nabout: words of 32 bits\nuses: [core]\ntargets:\n  narrow:\n    \
         triple: spirv32v1.2-unknown-unknown\n    emit: [spirv]\n    word: 32\n    global_space: 1\n    \
         global_pointer: \"!llvm.ptr<1>\"\n    table_space: 1\n    table_pointer: \"!llvm.ptr<1>\"\n    \
         loader: [none, specialize, apply]\n    strategies:\n      - { use: specialize }\n",
    )
    .expect("written");
    let text = "target triple = \"spirv32-unknown-unknown\"\n@rt_w0 = external addrspace(1) global i32\n\
        define spir_kernel void @k(ptr addrspace(1) %out) {\n  %w = load i32, ptr addrspace(1) @rt_w0\n  \
        store i32 %w, ptr addrspace(1) %out\n  ret void\n}\n";
    let out = compiler.compile(text, &["--rules", arg(&pack), "--target", "narrow"], "out.spv");
    run(Command::new("spirv-val").args(["--target-env", "opencl2.2", arg(&out)]));
    let said = run(Command::new("spirv-dis").args(["--no-color", arg(&out)]));
    assert!(said.contains("SpecId 0") && said.contains("= OpSpecConstant %uint 0"), "{said}");
    let manifest = manifest(&out);
    assert_eq!(manifest["sites"][0]["width"], 32);
}

/// Constant memory ends before a table may: relo says so, where the assembler would speak of bytes.
#[test]
fn a_table_that_constant_memory_has_no_room_for_is_refused() {
    let compiler = Compiler::new();
    let module = |words: usize| {
        let mut text = format!(
            "target triple = \"nvptx64-nvidia-cuda\"\n@rt_table = external addrspace(1) global [{words} x i64]\n\
             define ptx_kernel void @k(ptr addrspace(1) %out) {{\n"
        );
        for index in 0..words {
            let place = format!("getelementptr (i64, ptr addrspace(1) @rt_table, i64 {index})");
            let _ = writeln!(text, "  %w{index} = load i64, ptr addrspace(1) {place}");
            let _ = writeln!(text, "  %p{index} = getelementptr i64, ptr addrspace(1) %out, i64 {index}");
            let _ = writeln!(text, "  store i64 %w{index}, ptr addrspace(1) %p{index}");
        }
        text + "  ret void\n}\n"
    };
    let options = ["--target", "cuda", "--strategy", "table", "--set", "target.table_words=100"];
    compiler.compile(&module(100), &options, "out.ptx");
    let said = compiler.refused(&module(101), &options);
    assert!(said.contains("cuda.word_too_far") && said.contains("is word 100 of the table"), "{said}");
}

/// A name that relo makes is relo's.
#[test]
fn a_symbol_of_a_words_name_is_an_error() {
    let compiler = Compiler::new();
    let slot = &sites_of(&manifest(&compiler.compile(
        "@rt_w0 = external global i64\ndefine i64 @f() {\n  %w = load i64, ptr @rt_w0\n  ret i64 %w\n}\n",
        &["--target", "x86_64-linux"],
        "out.so",
    )))[0]
        .symbol;
    for (target, head, space) in [
        ("x86_64-linux", "", ""),
        ("cuda", "target triple = \"nvptx64-nvidia-cuda\"\n", " addrspace(1)"),
        ("amdgpu", "target triple = \"amdgcn-amd-amdhsa\"\n", " addrspace(1)"),
        ("opencl", "target triple = \"spirv64-unknown-unknown\"\n", " addrspace(1)"),
    ] {
        let (_, spec) =
            library().target(target).map(|(pack, spec)| (pack.name.clone(), spec.clone())).expect("it");
        let default = spec.strategies[0].strategy.clone();
        for strategy in [default.as_str(), "import", "table", "bake", "defer"] {
            for taken in [
                format!("@{slot} ={space} global i64 7\n"),
                format!("@{slot} = internal{space} global i64 7\n"),
                format!("define i64 @{slot}() {{\n  ret i64 7\n}}\n"),
            ] {
                let text = format!(
                    "{head}@rt_w0 = external{space} global i64\n{taken}\
                     define i64 @f() {{\n  %w = load i64, ptr{space} @rt_w0\n  ret i64 %w\n}}\n"
                );
                let mut options = vec!["--target", target, "--strategy", strategy, "--entry", "f"];
                if strategy == "defer" {
                    options.extend(["--emit", "llvm"]);
                }
                let said = compiler.refused(&text, &options);
                assert!(said.contains("relo::name::taken") && said.contains(slot.as_str()), "{said}");
            }
        }
    }
}

fn library() -> relo_engine::Library {
    relo_engine::Library::new(&relo_codegen::shipped_packs()).0
}

/// A deferred module is applied as often as wanted, and stays what it is.
#[test]
fn a_deferred_module_is_applied_for_any_target() {
    let compiler = Compiler::new();
    let object = ["--target", "x86_64-linux", "--strategy", "defer"];
    let refused = compiler.refused(SUM, &object);
    assert!(refused.contains("relo::codegen::deferred") && refused.contains("emit llvm"), "{refused}");
    let module = compiler.compile(SUM, &[&object[..], &["--emit", "llvm"]].concat(), "deferred.ll");
    let before = std::fs::read(&module).expect("written");
    let mut artifacts = Vec::new();
    for target in ["x86_64-linux", "x86_64-linux", "aarch64-linux", "riscv64-linux"] {
        let out = compiler.path("applied.so");
        let text = String::from_utf8(before.clone()).expect("text");
        let bare: String =
            text.lines().filter(|line| !line.starts_with("target ")).flat_map(|line| [line, "\n"]).collect();
        let input = compiler.path("bare.ll");
        std::fs::write(&input, bare).expect("written");
        relo_ok(&["compile", arg(&input), "--target", target, "-o", arg(&out)]);
        assert_eq!(sites_of(&manifest(&out)).len(), 2, "{target}");
        artifacts.push(std::fs::read(&out).expect("written"));
    }
    assert_eq!(artifacts[0], artifacts[1]);
    assert_eq!(std::fs::read(&module).expect("it is there"), before);
}
