//! Rule files over a handful of operations: nested and shared operands, repeated captures, attributes, conditions,
//! families, preferences, and everything that a rewrite can build.

use std::fmt::Write as _;

use super::choices::Choices;

/// What a value is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    Integer,
    Pointer,
}

/// A file of one to four rules.
pub fn file(choices: &mut Choices<'_>) -> String {
    let mut text = "pack t\nphase lift\n".to_owned();
    let count = 1 + choices.below(4);
    for index in 0..count {
        text.push_str(&RuleText::default().rule(index, choices));
    }
    if count > 1 && choices.once_in(2) {
        let _ = writeln!(text, "prefer r{} over r0 because \"it is narrower\"", count - 1);
    }
    text
}

#[derive(Default)]
struct RuleText {
    statements: Vec<String>,
    wheres: Vec<String>,
    rewrite: Vec<String>,
    integers: Vec<String>,
    pointers: Vec<String>,
    numbers: Vec<String>,
    symbols: Vec<String>,
    types: Vec<String>,
    rest: Option<String>,
    count: usize,
    /// The name of the root; building it again would never end.
    root: String,
    /// What is built that rules match: one at most, so that nothing grows without end.
    built: bool,
}

impl RuleText {
    fn fresh(&mut self, sigil: char) -> String {
        self.count += 1;
        format!("{sigil}c{}x", self.count)
    }

    fn values(&mut self, of: Of) -> &mut Vec<String> {
        if of == Of::Integer { &mut self.integers } else { &mut self.pointers }
    }

    fn operand(&mut self, of: Of, depth: usize, choices: &mut Choices<'_>) -> String {
        match choices.below(if depth == 0 { 4 } else { 9 }) {
            0 => "_".to_owned(),
            1 if !self.values(of).is_empty() => {
                let known = self.values(of).len();
                let index = choices.below(known);
                self.values(of)[index].clone()
            }
            1..=3 => {
                let name = self.fresh('%');
                self.values(of).push(name.clone());
                name
            }
            4 => {
                // By name, so that another operand can be the same.
                let made = self.operation(of, depth - 1, choices);
                let name = self.fresh('%');
                self.statements.push(format!("{name} = {made}"));
                self.values(of).push(name.clone());
                name
            }
            _ => format!("({})", self.operation(of, depth - 1, choices)),
        }
    }

    fn symbol(&mut self, choices: &mut Choices<'_>) -> String {
        if !self.symbols.is_empty() && choices.once_in(4) {
            return self.symbols[0].clone();
        }
        let name = self.fresh('@');
        self.symbols.push(name.clone());
        name
    }

    fn number(&mut self, choices: &mut Choices<'_>) -> String {
        match choices.below(4) {
            0 => choices.of(&["8", "42", "4096"]).to_owned(),
            1 => "_".to_owned(),
            _ => {
                let name = self.fresh('$');
                self.numbers.push(name.clone());
                name
            }
        }
    }

    fn ty(&mut self, of: Of, choices: &mut Choices<'_>) -> String {
        match choices.below(3) {
            0 => String::new(),
            1 => format!(" : {}", if of == Of::Integer { "i64" } else { "ptr" }),
            _ => {
                let name = self.fresh('$');
                self.types.push(name.clone());
                format!(" : {name}")
            }
        }
    }

    /// An operation to match that has such a result.
    fn operation(&mut self, of: Of, depth: usize, choices: &mut Choices<'_>) -> String {
        use Of::{Integer, Pointer};
        let made = match (of, choices.below(7)) {
            (Integer, 0) => format!("llvm.mlir.constant {{ value = {} }}", self.number(choices)),
            (Integer, 1) => format!("llvm.ptrtoint {}", self.operand(Pointer, depth, choices)),
            (Integer, 2) => {
                let (left, right) =
                    (self.operand(Integer, depth, choices), self.operand(Integer, depth, choices));
                let flags = choices.of(&["", " { overflowFlags = none }", " { overflowFlags = $_f }"]);
                format!("llvm.add {left}, {right}{flags}")
            }
            (Integer, 3) => {
                let (left, right) =
                    (self.operand(Integer, depth, choices), self.operand(Integer, depth, choices));
                format!("llvm.sub {left}, {right}")
            }
            (Integer, 4) => match choices.below(3) {
                0 => "llvm.call".to_owned(),
                1 => format!("llvm.call {}, ..", self.operand(Pointer, depth, choices)),
                _ => {
                    let (first, second) =
                        (self.operand(Integer, depth, choices), self.operand(Integer, depth, choices));
                    format!("llvm.call {first}, {second}, ..")
                }
            },
            (Pointer, 0) => format!("llvm.inttoptr {}", self.operand(Integer, depth, choices)),
            (Pointer, 1) => {
                let rest = choices.of(&[", ..", "", ", ..%_others"]);
                format!("llvm.getelementptr {}{rest}", self.operand(Pointer, depth, choices))
            }
            (Pointer, 2) => format!("llvm.mlir.addressof {}", self.symbol(choices)),
            (_, 5) => format!("reloc.load {}", self.symbol(choices)),
            _ => {
                let attributes = match choices.below(6) {
                    0 => " { volatile_ = false, ordering = not_atomic }".to_owned(),
                    1 => " { alignment = 8 }".to_owned(),
                    2 => " { alignment? = 8, !syncscope }".to_owned(),
                    3 => " { volatile_ = true }".to_owned(),
                    4 if self.rest.is_none() => {
                        let rest = self.fresh('$');
                        self.rest = Some(rest.clone());
                        format!(" {{ ordering = not_atomic, ..{rest} }}")
                    }
                    _ => String::new(),
                };
                format!("llvm.load {}{attributes}", self.operand(Pointer, depth, choices))
            }
        };
        format!("{made}{}", self.ty(of, choices))
    }

    fn wheres(&mut self, choices: &mut Choices<'_>) {
        for _ in 0..choices.below(3) {
            let pick = |all: &[String], choices: &mut Choices<'_>| {
                (!all.is_empty()).then(|| all[choices.below(all.len())].clone())
            };
            let clause = match choices.below(9) {
                0 => pick(&self.numbers, choices).map(|n| format!("{n} < 100")),
                1 => pick(&self.numbers, choices).map(|n| format!("{n} == 8 or {n} == 42")),
                2 => pick(&self.numbers, choices).map(|n| format!("{n} in [4096, 8]")),
                3 => pick(&self.types, choices).map(|ty| format!("is_word({ty})")),
                4 => pick(&self.symbols, choices).map(|symbol| format!("not used({symbol})")),
                5 => pick(&self.symbols, choices)
                    .map(|symbol| format!("is_declaration({symbol}) or name({symbol}) ends_with \"1\"")),
                6 => pick(&self.integers, choices).map(|value| {
                    let name = self.fresh('$');
                    self.numbers.push(name.clone());
                    format!("{name} = constant_word({value})")
                }),
                7 => pick(&self.pointers, choices).map(|value| {
                    let (symbol, number) = (self.fresh('@'), self.fresh('$'));
                    self.numbers.push(number.clone());
                    self.symbols.push(symbol.clone());
                    format!("({symbol}, {number}) = constant_address({value})")
                }),
                _ => pick(&self.integers, choices).map(|value| {
                    let name = self.fresh('$');
                    format!("{name} in [0, 8, 42]; {name} == constant_word({value})")
                }),
            };
            self.wheres.extend(clause);
        }
    }

    /// A value that is at hand or built.
    fn built(&mut self, of: Of, depth: usize, choices: &mut Choices<'_>) -> String {
        if !self.values(of).is_empty() && (depth == 0 || choices.once_in(2)) {
            let known = self.values(of).len();
            let index = choices.below(known);
            return self.values(of)[index].clone();
        }
        let made = self.construction(of, depth, choices);
        let name = self.fresh('%');
        self.rewrite.push(format!("{name} = {made}"));
        name
    }

    /// An operation that is built, with such a result.
    fn construction(&mut self, of: Of, depth: usize, choices: &mut Choices<'_>) -> String {
        let ty = if of == Of::Integer { "i64" } else { "ptr" };
        let ty = match self.types.first() {
            Some(captured) if choices.once_in(6) => captured.clone(),
            _ => ty.to_owned(),
        };
        if depth == 0 {
            return format!(
                "{} : {ty}",
                if of == Of::Integer { "llvm.mlir.poison" } else { "llvm.mlir.zero" }
            );
        }
        let depth = depth - 1;
        // What no rule matches: any number of it does no harm.
        if self.built || !choices.once_in(3) {
            return match (of, choices.below(3)) {
                (Of::Integer, 0) => {
                    let (left, right) = (self.built(of, depth, choices), self.built(of, depth, choices));
                    format!("llvm.xor {left}, {right} : {ty}")
                }
                (Of::Integer, _) => format!("llvm.mlir.poison : {ty}"),
                (Of::Pointer, 0) => {
                    format!("llvm.addrspacecast {} : !llvm.ptr<1>", self.built(of, depth, choices))
                        .replace("!llvm.ptr<1>", "ptr")
                }
                (Of::Pointer, _) => format!("llvm.mlir.zero : {ty}"),
            };
        }
        self.built = true;
        let made = self.matched(of, depth, &ty, choices);
        if made.starts_with(&self.root) && !choices.once_in(8) {
            return format!(
                "{} : {ty}",
                if of == Of::Integer { "llvm.mlir.poison" } else { "llvm.mlir.zero" }
            );
        }
        made
    }

    /// An operation that rules match.
    fn matched(&mut self, of: Of, depth: usize, ty: &str, choices: &mut Choices<'_>) -> String {
        match (of, choices.below(6)) {
            (_, 0) => {
                let referent = match self.symbols.first() {
                    Some(symbol) if choices.once_in(2) => format!("#reloc.symbol<{symbol} + 8, \"lib\">"),
                    _ => {
                        choices.of(&["#reloc.symbol<\"one\">", "#reloc.object<\"host\", \"new\">"]).to_owned()
                    }
                };
                format!("reloc.load slot({referent}) : {ty}")
            }
            (_, 1) => {
                let pointer = self.built(Of::Pointer, depth, choices);
                let attributes = match &self.rest {
                    Some(rest) => format!(" {{ ..{rest}, !alignment }}"),
                    None => choices.of(&["", " { alignment = 8 }", " { invariant }"]).to_owned(),
                };
                format!("llvm.load {pointer}{attributes} : {ty}")
            }
            (Of::Integer, 2) => {
                let number = match self.numbers.first() {
                    Some(number) => number.clone(),
                    None => choices.of(&["7", "8"]).to_owned(),
                };
                format!("llvm.mlir.constant {{ value = {number} }} : {ty}")
            }
            (Of::Integer, 3) => format!("llvm.ptrtoint {} : {ty}", self.built(Of::Pointer, depth, choices)),
            (Of::Integer, 4) => {
                let (left, right) = (self.built(of, depth, choices), self.built(of, depth, choices));
                format!("llvm.add {left}, {right} {{ overflowFlags = nsw }} : {ty}")
            }
            (Of::Integer, _) => format!("cast {} : {ty}", self.built(Of::Pointer, depth, choices)),
            (Of::Pointer, 2) => format!("llvm.inttoptr {} : {ty}", self.built(Of::Integer, depth, choices)),
            (Of::Pointer, _) => format!("cast {} : {ty}", self.built(Of::Integer, depth, choices)),
        }
    }

    fn rule(mut self, index: usize, choices: &mut Choices<'_>) -> String {
        let family = choices.once_in(8);
        match choices.below(12) {
            0 | 1 => {
                let (value, pointer) =
                    (self.operand(Of::Integer, 2, choices), self.operand(Of::Pointer, 2, choices));
                let erases = choices.once_in(3);
                let attributes = if erases { "" } else { " { volatile_ = false }" };
                self.statements.push(format!("llvm.store {value}, {pointer}{attributes}"));
                self.wheres(choices);
                if erases {
                    self.rewrite.push("erase".into());
                } else {
                    self.built = true;
                    let (value, pointer) =
                        (self.built(Of::Integer, 1, choices), self.built(Of::Pointer, 1, choices));
                    self.rewrite.push(format!("llvm.store {value}, {pointer} {{ volatile_ = true }}"));
                }
            }
            2 => {
                self.symbols.push("@g".into());
                self.statements.push("llvm.mlir.global @g".into());
                self.wheres.push("not used(@g)".into());
                self.wheres(choices);
                self.rewrite.push("erase".into());
            }
            3 => {
                self.symbols.push("@s".into());
                self.types.push("$T".into());
                self.statements.push("reloc.slot @s { referent = $r, type = $T }".into());
                if !choices.once_in(4) {
                    self.wheres.push("not used(@s)".into());
                }
                self.wheres(choices);
                self.rewrite.push("llvm.mlir.global @s : $T = zero { linkage = external }".into());
                self.rewrite.push("site @s + 0 = $r".into());
            }
            kind => {
                let of = if kind % 2 == 0 { Of::Integer } else { Of::Pointer };
                let root = self.operation(of, 2, choices);
                self.root = root.split(' ').next().unwrap_or_default().to_owned();
                self.statements.push(format!("%root = {root}"));
                self.wheres(choices);
                if choices.once_in(8) {
                    return self.text(index, "reject \"no {%root} here\"", family);
                }
                let made = if choices.once_in(4) && !self.values(of).is_empty() {
                    self.values(of)[0].clone()
                } else {
                    self.construction(of, 2, choices)
                };
                self.rewrite.push(format!("%root = {made}"));
            }
        }
        let rewrite = format!("rewrite {{ {} }}", self.rewrite.join("\n "));
        let rewrite = if choices.once_in(4) { format!("{rewrite}\n attributes drop") } else { rewrite };
        self.text(index, &rewrite, family)
    }

    fn text(&self, index: usize, outcome: &str, family: bool) -> String {
        let mut body = format!("match {{ {} }}\n", self.statements.join("\n "));
        if !self.wheres.is_empty() {
            let _ = writeln!(body, "where {{ {} }}", self.wheres.join("\n "));
        }
        body.push_str(outcome);
        // What nothing uses is marked so.
        for number in 0..=self.count {
            for sigil in ["%", "$", "@"] {
                let name = format!("{sigil}c{number}x");
                if body.matches(&name).count() == 1 {
                    body = body.replace(&name, &format!("{sigil}_c{number}x"));
                }
            }
        }
        if family {
            let body = body.replacen(" : i64", " : $F", 1);
            if body.contains("$F") {
                return format!("for $F in {{ i64, ptr }} {{ rule r{index} {{\n{body}\n}} }}\n");
            }
        }
        format!("rule r{index} {{\n{body}\n}}\n")
    }
}
