//! Programs as LLVM IR, in a target's own words.

use std::fmt::Write as _;

use super::program::{Expr, Field, Program, RECORDS};
use super::session::{DATA, OBJECTS, Session, TABLE};

/// A target's own words.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    pub triple: &'static str,
    /// The calling convention of a kernel.
    pub kernel: &'static str,
    /// The calling convention of a function.
    pub function: &'static str,
    /// The address space of data, with a space before it.
    pub space: &'static str,
}

impl Program {
    pub fn llvm(&self, words: &Words) -> String {
        let Words { triple, kernel, function, space } = words;
        let mut text = format!("target triple = \"{triple}\"\n");
        for index in 0..DATA {
            let _ = writeln!(text, "@rt_w{index} = external{space} global i64, align 8");
            let _ = writeln!(text, "@rt_a{index} = external{space} global i8");
        }
        let _ = writeln!(text, "@rt_table = external{space} global [{TABLE} x i64], align 8");
        for index in 0..OBJECTS {
            let _ = writeln!(text, "@held{index} = external{space} global i64, align 8");
            let _ = writeln!(text, "@again{index} = internal{space} global i64 0, align 8");
        }
        let session = Session::new(0);
        for index in self.records() {
            let mut record = RECORDS[index].replace("SPACE", space);
            for (object, address) in session.objects.iter().enumerate() {
                record = record.replace(&format!("OBJECT{object}"), &address.to_string());
            }
            let _ = writeln!(text, "@r{index} = internal{space} {record}");
        }
        let _ = writeln!(
            text,
            "define internal {function} i64 @peek(ptr{space} %p) noinline {{\n  \
             %v = load i64, ptr{space} %p, align 1\n  ret i64 %v\n}}"
        );
        for (index, (expr, inlined)) in self.functions.iter().enumerate() {
            let inlined = if *inlined { "" } else { "noinline " };
            let mut body = Body::new(words, index);
            let value = body.value(expr, ["%a", "%b"]);
            let _ = writeln!(
                text,
                "define internal {function} i64 @f{index}(i64 %a, i64 %b) {inlined}{{\nentry:\n{}  ret i64 {value}\n}}",
                body.text
            );
        }
        let mut body = Body::new(words, self.functions.len());
        for (index, expr) in self.kernel.iter().enumerate() {
            let value = body.value(expr, ["%a", "%b"]);
            let place = body.line(&format!("getelementptr i64, ptr{space} %out, i64 {index}"));
            let _ = writeln!(body.text, "  store i64 {value}, ptr{space} {place}, align 8");
        }
        let _ = writeln!(
            text,
            "define {kernel} void @k(ptr{space} %out, i64 %a, i64 %b) {{\nentry:\n{}  ret void\n}}",
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
    words: &'a Words,
    callees: usize,
}

impl<'a> Body<'a> {
    fn new(words: &'a Words, callees: usize) -> Self {
        Self { text: String::new(), values: 0, block: "entry".into(), words, callees }
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
        let base = format!("ptr{}", self.words.space);
        match expr {
            Expr::Number(number) => number.cast_signed().to_string(),
            Expr::Parameter(second) => parameters[usize::from(*second)].to_owned(),
            Expr::Word(index) => self.line(&format!("load i64, {base} @rt_w{index}, align 8")),
            Expr::Inside(index) => {
                let address = self.line(&format!("getelementptr i64, {base} @rt_table, i64 {index}"));
                self.line(&format!("load i64, {base} {address}, align 8"))
            }
            Expr::Address(index) => self.line(&format!("ptrtoint {base} @rt_a{index} to i64")),
            Expr::Object(index) => Session::new(0).objects[*index].to_string(),
            Expr::Held(index, again) => {
                let name = if *again { "again" } else { "held" };
                self.line(&format!("load i64, {base} @{name}{index}, align 8"))
            }
            Expr::Peek(index) => {
                let function = self.words.function;
                self.line(&format!("call {function} i64 @peek({base} @held{index})"))
            }
            Expr::Field(field) => {
                let (function, Field { record, offset, .. }) = (self.words.function, field);
                let place = format!("{base} getelementptr (i8, {base} @r{record}, i64 {offset})");
                self.line(&format!("call {function} i64 @peek({place})"))
            }
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
                        self.line(&format!("call {} i64 @f{callee}(i64 {x}, i64 {y})", self.words.function))
                    }
                }
            }
        }
    }
}
