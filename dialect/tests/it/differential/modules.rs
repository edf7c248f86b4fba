//! Modules that the generated rules are likely to match.

use std::fmt::Write as _;

use super::choices::Choices;

const HEAD: &str = "llvm.func @ext(i64, i64) -> i64
llvm.mlir.global external @g0() : i64
llvm.mlir.global internal @g1(8 : i64) : i64
llvm.mlir.global internal constant @g2() : !llvm.ptr { %0 = llvm.mlir.zero : !llvm.ptr llvm.return %0 : !llvm.ptr }
reloc.slot @s0 : i64 -> #reloc.symbol<\"one\">
reloc.slot @s1 : i64 -> #reloc.object<\"host\", \"two\">
";

/// A module of one or two functions.
pub fn module(choices: &mut Choices<'_>) -> String {
    let mut text = HEAD.to_owned();
    for index in 0..=choices.below(2) {
        Body::default().function(index, choices, &mut text);
    }
    text
}

#[derive(Default)]
struct Body {
    integers: Vec<String>,
    pointers: Vec<String>,
    count: usize,
    blocks: usize,
    text: String,
}

impl Body {
    fn function(mut self, index: usize, choices: &mut Choices<'_>, text: &mut String) {
        self.integers = vec!["%a".into(), "%b".into()];
        self.pointers = vec!["%p".into(), "%q".into()];
        for _ in 0..4 + choices.below(14) {
            self.operation(choices);
        }
        let last = self.integers.last().expect("there are arguments");
        let _ = writeln!(
            text,
            "llvm.func @f{index}(%a: i64, %b: i64, %p: !llvm.ptr, %q: !llvm.ptr) -> i64 {{\n{}  llvm.return {last} : i64\n}}",
            self.text
        );
    }

    fn integer(&self, choices: &mut Choices<'_>) -> String {
        self.integers[self.integers.len() - 1 - choices.below(self.integers.len().min(4))].clone()
    }

    fn pointer(&self, choices: &mut Choices<'_>) -> String {
        self.pointers[self.pointers.len() - 1 - choices.below(self.pointers.len().min(4))].clone()
    }

    fn operation(&mut self, choices: &mut Choices<'_>) {
        self.count += 1;
        let name = format!("%v{}", self.count);
        let (i, j) = (self.integer(choices), self.integer(choices));
        let (p, q) = (self.pointer(choices), self.pointer(choices));
        let (made, pointer) = match choices.below(18) {
            0 | 1 => {
                (format!("llvm.mlir.constant({} : i64) : i64", choices.of(&["8", "42", "4096", "0"])), false)
            }
            2 => (format!("llvm.inttoptr {i} : i64 to !llvm.ptr"), true),
            3 => (format!("llvm.ptrtoint {p} : !llvm.ptr to i64"), false),
            4 | 5 => {
                let volatile = if choices.once_in(4) { "volatile " } else { "" };
                let attributes = choices.of(&[
                    "",
                    " {alignment = 8 : i64}",
                    " {alignment = 4 : i64}",
                    " {test.kept = 1 : i64}",
                ]);
                let (ty, pointer) = if choices.once_in(3) { ("!llvm.ptr", true) } else { ("i64", false) };
                (format!("llvm.load {volatile}{p}{attributes} : !llvm.ptr -> {ty}"), pointer)
            }
            6 => (
                format!("llvm.getelementptr {p}[{}] : (!llvm.ptr) -> !llvm.ptr, i64", choices.below(3)),
                true,
            ),
            7 => (format!("llvm.getelementptr inbounds {p}[{i}] : (!llvm.ptr, i64) -> !llvm.ptr, i64"), true),
            8 | 9 => {
                let flags = choices.of(&["", " overflow<nsw>"]);
                (format!("llvm.add {i}, {j}{flags} : i64"), false)
            }
            10 => (format!("llvm.sub {i}, {i} : i64"), false),
            11 => (format!("llvm.call @ext({i}, {j}) : (i64, i64) -> i64"), false),
            12 => (format!("llvm.call {p}({i}, {q}) : !llvm.ptr, (i64, !llvm.ptr) -> i64"), false),
            13 => {
                (format!("llvm.mlir.addressof @{} : !llvm.ptr", choices.of(&["g0", "g1", "g2", "ext"])), true)
            }
            14 | 15 => {
                let (ty, pointer) = if choices.once_in(2) { ("!llvm.ptr", true) } else { ("i64", false) };
                (format!("reloc.load @{} : {ty}", choices.of(&["s0", "s1"])), pointer)
            }
            16 => {
                let compared = format!(
                    "  %c{} = llvm.icmp \"{}\" {i}, {j} : i64\n",
                    self.count,
                    choices.of(&["eq", "slt"])
                );
                self.text.push_str(&compared);
                (format!("llvm.zext %c{} : i1 to i64", self.count), false)
            }
            _ => {
                if choices.once_in(3) {
                    self.blocks += 1;
                    let _ = writeln!(self.text, "  llvm.br ^bb{}\n^bb{}:", self.blocks, self.blocks);
                }
                let _ = if choices.once_in(2) {
                    writeln!(self.text, "  llvm.store {i}, {p} : i64, !llvm.ptr")
                } else {
                    writeln!(self.text, "  llvm.store {q}, {p} : !llvm.ptr, !llvm.ptr")
                };
                return;
            }
        };
        let _ = writeln!(self.text, "  {name} = {made}");
        if pointer { &mut self.pointers } else { &mut self.integers }.push(name);
    }
}
