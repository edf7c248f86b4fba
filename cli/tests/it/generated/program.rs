//! Programs: what they are, and what they compute.

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::session::{DATA, OBJECTS, Session, TABLE};

/// What a program computes: a number.
#[derive(Clone, Debug)]
pub enum Expr {
    Number(u64),
    Parameter(bool),
    /// The word of a datum.
    Word(usize),
    /// A word inside a datum.
    Inside(usize),
    /// A datum's address.
    Address(usize),
    /// An object, as its address in the session that compiles.
    Object(usize),
    /// An object, as one of the two globals that hold it.
    Held(usize, bool),
    /// An object, by a function that is given the address of a global that holds it.
    Peek(usize),
    /// A word of a record, by a function that is given where it is.
    Field(Field),
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

/// A word of a record: which record, at which byte, and what it is.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    pub record: usize,
    pub offset: u64,
    pub is: Content,
}

/// What a field holds.
#[derive(Clone, Copy, Debug)]
pub enum Content {
    Plain(u64),
    Object(usize),
    Address(usize),
}

/// The records of every program. `OBJECT0` and so on stand for addresses, `SPACE` for the address space.
pub const RECORDS: [&str; 4] = [
    // Padding, nested fields.
    "constant { i32, i64, [2 x i64] } { i32 5, i64 OBJECT1, [2 x i64] [i64 77, i64 OBJECT0] }, align 16",
    // All zero once its addresses are taken out.
    "constant [2 x ptrSPACE] [ptrSPACE @rt_a0, ptrSPACE @rt_a1], align 8",
    // Code may write it.
    "global [2 x i64] [i64 OBJECT2, i64 9], align 8",
    // Words that no address is aligned for.
    "constant <{ i8, i64, i16, i64 }> <{ i8 1, i64 OBJECT0, i16 3, i64 OBJECT2 }>, align 8",
];

const FIELDS: [Field; 9] = [
    Field { record: 0, offset: 8, is: Content::Object(1) },
    Field { record: 0, offset: 16, is: Content::Plain(77) },
    Field { record: 0, offset: 24, is: Content::Object(0) },
    Field { record: 1, offset: 0, is: Content::Address(0) },
    Field { record: 1, offset: 8, is: Content::Address(1) },
    Field { record: 2, offset: 0, is: Content::Object(2) },
    Field { record: 2, offset: 8, is: Content::Plain(9) },
    Field { record: 3, offset: 1, is: Content::Object(0) },
    Field { record: 3, offset: 11, is: Content::Object(2) },
];

/// Functions, each of which may call those before; the kernel is the last, and writes every expression's value.
#[derive(Clone, Debug)]
pub struct Program {
    pub functions: Vec<(Expr, bool)>,
    pub kernel: Vec<Expr>,
}

/// `places`: whether it may ask where a word is, or read a record.
fn expr(places: bool) -> impl Strategy<Value = Expr> {
    let word = prop_oneof![
        any::<u64>().prop_map(Expr::Number),
        any::<bool>().prop_map(Expr::Parameter),
        (0..DATA).prop_map(Expr::Word),
        (0..TABLE).prop_map(Expr::Inside),
        (0..DATA).prop_map(Expr::Address),
        (0..OBJECTS).prop_map(Expr::Object),
        (0..OBJECTS, any::<bool>()).prop_map(|(object, again)| Expr::Held(object, again)),
    ];
    let place = prop_oneof![
        (0..OBJECTS).prop_map(Expr::Peek),
        prop::sample::select(FIELDS.to_vec()).prop_map(Expr::Field),
    ];
    let leaf = if places { prop_oneof![7 => word, 2 => place].boxed() } else { word.boxed() };
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
    any::<bool>().prop_flat_map(|places| {
        let functions = prop::collection::vec((expr(places), any::<bool>()), 0..3);
        (functions, prop::collection::vec(expr(places), 1..4))
            .prop_map(|(functions, kernel)| Program { functions, kernel })
    })
}

/// Programs, the same ones each time; `RELO_MODULES` sets how many.
pub fn programs(default: usize) -> Vec<Program> {
    let count = std::env::var("RELO_MODULES").map_or(default, |count| count.parse().expect("a number"));
    let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), random);
    (0..count).map(|_| program().new_tree(&mut runner).expect("a program").current()).collect()
}

impl Expr {
    fn parts(&self) -> Vec<&Self> {
        match self {
            Self::Binary(_, a, b) | Self::Equal(a, b) | Self::Loop(a, b) | Self::Call(_, a, b) => vec![a, b],
            Self::If(c, a, b) => vec![c, a, b],
            _ => Vec::new(),
        }
    }

    fn any(&self, holds: &impl Fn(&Self) -> bool) -> bool {
        holds(self) || self.parts().into_iter().any(|part| part.any(holds))
    }
}

impl Program {
    fn any(&self, holds: impl Fn(&Expr) -> bool) -> bool {
        self.functions.iter().map(|(expr, _)| expr).chain(&self.kernel).any(|expr| expr.any(&holds))
    }

    /// Whether it asks where a slot is.
    pub fn has_places(&self) -> bool {
        self.any(|expr| matches!(expr, Expr::Peek(_)))
    }

    /// The records that it reads.
    pub fn records(&self) -> Vec<usize> {
        let reads =
            |record: usize| move |expr: &Expr| matches!(expr, Expr::Field(field) if field.record == record);
        (0..RECORDS.len()).filter(|record| self.any(reads(*record))).collect()
    }

    /// What the kernel writes.
    pub fn results(&self, session: &Session, parameters: [u64; 2]) -> Vec<u64> {
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
            Expr::Object(index) | Expr::Held(index, _) | Expr::Peek(index) => session.objects[*index],
            Expr::Field(field) => match field.is {
                Content::Plain(number) => number,
                Content::Object(index) => session.objects[index],
                Content::Address(index) => session.addresses[index],
            },
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
            Expr::If(condition, x, y) => of(if of(condition) & 1 == 1 { x } else { y }),
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
}
