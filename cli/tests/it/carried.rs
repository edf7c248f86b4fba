//! In a function that rules touch, what MLIR's import drops comes back, or is refused by name.

use std::process::Command;

use crate::support::{arg, folder, llvm, relo, relo_ok, run};

/// Every function loads a word of the runtime, so that a rule touches it; the rest has to come back.
fn touched(module: &str) -> String {
    let folder = folder();
    let input = folder.path().join("in.ll");
    let output = folder.path().join("out.ll");
    let module = format!("{module}\n@rt_word = external global ptr\n");
    std::fs::write(&input, module).expect("written");
    let (words, target) = (["--use", "clang", "--set", "clang.words=^rt_"], "x86_64-linux");
    let mut arguments =
        vec!["compile", arg(&input), "--target", target, "--emit", "llvm", "-O0", "-o", arg(&output)];
    arguments.extend(words);
    relo_ok(&arguments);
    run(Command::new(llvm("opt")).args(["-passes=verify", "-disable-output", arg(&output)]));
    let text = std::fs::read_to_string(&output).expect("written");
    assert!(text.contains("@relo_rt_word_"), "no rule fired\n{text}");
    assert!(!text.contains("reloc.carry"), "a tag is left\n{text}");
    text
}

fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is lost\n{text}");
    }
}

#[test]
fn metadata_of_instructions() {
    let text = touched(
        "define ptr @f(ptr %p) {
           %w = load ptr, ptr @rt_word
           %a = load i32, ptr %p, !range !0, !custom !1
           %b = load ptr, ptr %p, !nonnull !2, !noundef !2, !dereferenceable !3
           store ptr %b, ptr %p
           store i32 %a, ptr %w, !tbaa !4
           ret ptr %w
         }
         !0 = !{i32 0, i32 10}
         !1 = !{!\"anything\"}
         !2 = !{}
         !3 = !{i64 8}
         !4 = !{!5, !5, i64 0}
         !5 = !{!\"int\", !6}
         !6 = !{!\"root\"}",
    );
    has(
        &text,
        &[
            "!range ",
            "!custom ",
            "!nonnull ",
            "!noundef ",
            "!dereferenceable ",
            "!tbaa ",
            "!{i32 0, i32 10}",
            "!\"anything\"",
        ],
    );
}

#[test]
fn calls_with_conventions_attributes_and_bundles() {
    let text = touched(
        "declare i32 @callee(ptr, i32)
         declare void @llvm.assume(i1)
         define cc37 i32 @f(ptr %p, i32 %n) {
           %w = load ptr, ptr @rt_word
           %a = call cc38 i32 @callee(ptr noundef nonnull align 8 %p, i32 signext %n) #0 [ \"deopt\"(i32 %n, ptr %p) ]
           %b = notail call fastcc i32 @callee(ptr dereferenceable(4) %w, i32 %a) nounwind
           call void @llvm.assume(i1 true) [ \"align\"(ptr %p, i64 16) ]
           %c = icmp samesign ult i32 %a, %b
           %d = select i1 %c, i32 %a, i32 %b
           ret i32 %d
         }
         attributes #0 = { \"my-attribute\"=\"yes\" nounwind }",
    );
    has(
        &text,
        &[
            "define cc37 i32 @f",
            "call cc38 i32 @callee(ptr noundef nonnull align 8 %p, i32 signext %n)",
            "[ \"deopt\"(i32 %n, ptr %p) ]",
            "notail call fastcc i32 @callee(ptr dereferenceable(4) %",
            "[ \"align\"(ptr %p, i64 16) ]",
            "\"my-attribute\"=\"yes\"",
            "icmp samesign ult",
        ],
    );
}

#[test]
fn globals_and_the_module() {
    let text = touched(
        "@tls = thread_local(initialexec) global i32 0, !associated !0
         @given = externally_initialized global i32 1, section \"mine\", align 32
         @unnamed = private unnamed_addr constant [3 x i8] c\"ab\\00\"
         @0 = private constant i32 7
         @llvm.used = appending global [1 x ptr] [ptr @given], section \"llvm.metadata\"
         define ptr @f() prefix i32 9 {
           %w = load ptr, ptr @rt_word
           store i32 1, ptr @tls
           store i32 2, ptr @given
           %n = load i32, ptr @0
           store i32 %n, ptr @tls
           ret ptr %w
         }
         define void @k(ptr %p) !kernel_arg !1 {
           %w = load ptr, ptr @rt_word
           store ptr %w, ptr %p
           ret void
         }
         module asm \".globl something\"
         !nvvm.annotations = !{!2}
         !mine = !{!1}
         !0 = !{ptr @given}
         !1 = !{i32 3}
         !2 = !{ptr @k, !\"something\", i32 8}",
    );
    has(
        &text,
        &[
            "@tls = thread_local(initialexec) global i32 0, !associated",
            "@given = externally_initialized global i32 1, section \"mine\", align 32",
            "@0 = private constant i32 7",
            "prefix i32 9",
            "!kernel_arg ",
            "!nvvm.annotations",
            "!\"something\"",
            "!mine = ",
            "module asm \".globl something\"",
            "@llvm.used",
        ],
    );
}

#[test]
fn tokens_of_a_front_end() {
    let text = touched(
        "declare token @llvm.julia.gc_preserve_begin(...)
         declare void @llvm.julia.gc_preserve_end(token)
         define ptr @f(ptr %p) {
           %w = load ptr, ptr @rt_word
           ret ptr %w
         }
         define ptr @g(ptr %p) {
           %t = call token (...) @llvm.julia.gc_preserve_begin(ptr %p)
           call void @llvm.julia.gc_preserve_end(token %t)
           ret ptr %p
         }",
    );
    has(
        &text,
        &["call token (...) @llvm.julia.gc_preserve_begin(ptr %p)", "@llvm.julia.gc_preserve_end(token %t)"],
    );
}

#[test]
fn debug_information() {
    let folder = folder();
    let source = folder.path().join("in.c");
    std::fs::write(
        &source,
        "extern void *rt_word;\nint f(int *p) {\n  int local = *p + 1;\n  void *w = rt_word;\n  return w == p ? local : local * 2;\n}\n",
    )
    .expect("written");
    let input = folder.path().join("in.ll");
    run(Command::new(llvm("clang")).args([
        "-O1",
        "-g",
        "-S",
        "-emit-llvm",
        "-fPIC",
        "-o",
        arg(&input),
        arg(&source),
    ]));
    let text = touched(
        &std::fs::read_to_string(&input)
            .expect("written")
            .replace("@rt_word = external local_unnamed_addr global ptr, align 8", ""),
    );
    assert_eq!(text.matches("distinct !DICompileUnit").count(), 1, "one compile unit\n{text}");
    assert_eq!(text.matches("distinct !DISubprogram").count(), 1, "one function\n{text}");
    has(&text, &["#dbg_value(", "!DILocalVariable(name: \"local\"", "!dbg "]);
}

#[test]
fn what_cannot_be_carried_is_named() {
    let folder = folder();
    let input = folder.path().join("in.ll");
    std::fs::write(
        &input,
        "@rt_word = external global ptr
         define ptr @plain() {
           %w = load ptr, ptr @rt_word
           ret ptr %w
         }
         define ptr @closed() {
           %w = load ptr, ptr @rt_word
           callbr void asm \"\", \"!i\"() to label %a [label %b]
         a:
           ret ptr %w
         b:
           ret ptr null
         }",
    )
    .expect("written");
    let output = folder.path().join("out.ll");
    let (words, target) = (["--use", "clang", "--set", "clang.words=^rt_"], "x86_64-linux");
    let mut arguments =
        vec!["compile", arg(&input), "--target", target, "--emit", "llvm", "-O0", "-o", arg(&output)];
    arguments.extend(words);
    let said = relo(&arguments);
    let text = String::from_utf8_lossy(&said.stderr);
    assert!(text.contains("@closed: asm goto (callbr)"), "{text}");
    let module = std::fs::read_to_string(&output).expect("the rest is compiled");
    assert!(module.contains("callbr void asm"), "it is as it was\n{module}");
}

/// Rules replace both words; what code that they don't see uses stays, and what that holds the address of.
#[test]
fn what_unseen_code_needs() {
    let folder = folder();
    let [input, session, out] = ["in.ll", "session.json", "out.ll"].map(|name| folder.path().join(name));
    let module = "target triple = \"x86_64-unknown-linux-gnu\"
         @a = internal global ptr @b
         @b = internal global ptr null
         @c = internal global ptr null
         define ptr @f() {
           %a = load ptr, ptr @a
           %b = load ptr, ptr @b
           %c = load ptr, ptr @c
           store ptr %a, ptr %b
           ret ptr %c
         }
         define void @closed(ptr %p) {
           %w = load ptr, ptr @a
           store ptr %w, ptr %p
           callbr void asm \"\", \"!i\"() to label %here [label %there]
         here:
           ret void
         there:
           ret void
         }";
    std::fs::write(&input, module).expect("written");
    let entry = |name: &str| serde_json::json!({ "global": name, "target": { "object": { "runtime": "rt", "key": name } } });
    let entries = ["a", "b", "c"].map(entry);
    let table = serde_json::json!({ "entries": entries });
    std::fs::write(&session, table.to_string()).expect("written");
    let (target, emit) = ("x86_64-linux", ["--emit", "llvm", "-O0"]);
    let arguments = ["compile", arg(&input), "-t", target, "--session", arg(&session), "-o", arg(&out)];
    relo_ok(&[&arguments[..], &emit].concat());
    run(Command::new(llvm("opt")).args(["-passes=verify", "-disable-output", arg(&out)]));
    let text = std::fs::read_to_string(&out).expect("written");
    has(&text, &["@a = internal global ptr @b", "@b = internal global ptr null", "@relo_c_"]);
    assert!(!text.contains("@c ="), "{text}");
}
