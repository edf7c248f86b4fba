//! Trees that nobody wrote, each a possible one.

use proptest::prelude::*;
use relo_grammar::span::{Name, Span, Spanned};
use relo_grammar::tree::{
    Attribute, BinaryOp, Call, Capture, Clause, Expectation, Expr, ExprKind, Fact, Family, File, Fragment,
    Item, Match, MatchItem, Operand, Operation, Outcome, Override, Param, Path, Prefer, Rewrite, Rule, Sigil,
    Statement, Test, Text, TextPart, Where,
};

fn at<T>(item: T) -> Spanned<T> {
    Spanned::new(item, Span::default())
}

fn name() -> impl Strategy<Value = Name> {
    let keywords = ["match", "rule", "test", "where", "in_it", "erased", "loader_", "because", "sites"];
    prop_oneof![3 => "[a-z_][a-z0-9_]{1,6}".prop_map(String::from), 1 => prop::sample::select(keywords.to_vec()).prop_map(String::from)]
        .prop_filter("a word of the grammar", |name| free(name))
        .prop_map(at)
}

/// Words that can't be names where expressions or statements stand.
fn free(name: &str) -> bool {
    let taken = [
        "or",
        "and",
        "not",
        "in",
        "true",
        "false",
        "starts_with",
        "ends_with",
        "contains",
        "matches",
        "site",
        "erase",
        "target",
        "over",
        "because",
        "implies",
    ];
    !taken.contains(&name) && name.chars().any(|c| c != '_')
}

/// A name of a declaration.
fn item_name() -> impl Strategy<Value = Name> {
    "[a-z][a-z0-9_]{0,6}".prop_filter("a word of the grammar", |name| free(name)).prop_map(at)
}

fn dotted() -> impl Strategy<Value = Name> {
    prop::collection::vec(name(), 2..4)
        .prop_map(|parts| at(parts.iter().map(|part| part.item.as_str()).collect::<Vec<_>>().join(".")))
}

fn sigil() -> impl Strategy<Value = Sigil> {
    prop::sample::select(vec![Sigil::Value, Sigil::Symbol, Sigil::Data])
}

fn capture() -> impl Strategy<Value = Capture> {
    (sigil(), "[a-zA-Z][a-zA-Z0-9_]{0,4}").prop_map(|(sigil, name)| Capture { sigil, name: at(name) })
}

fn of(sigil: Sigil) -> impl Strategy<Value = Capture> {
    "[a-zA-Z][a-zA-Z0-9_]{0,4}".prop_map(move |name| Capture { sigil, name: at(name) })
}

/// A capture or `_`, which is written without a sigil.
fn bound(wild: Sigil) -> impl Strategy<Value = Capture> {
    let inner = if wild == Sigil::Value { of(Sigil::Value).boxed() } else { capture().boxed() };
    prop_oneof![4 => inner, 1 => Just(Capture { sigil: wild, name: at("_".to_owned()) })]
}

fn string() -> impl Strategy<Value = String> {
    prop_oneof!["[ -~]{0,12}", "\\PC{0,6}", Just("a\nb\t\"\\{}//".to_owned())]
}

fn op() -> impl Strategy<Value = BinaryOp> {
    prop::sample::select(vec![
        BinaryOp::Or,
        BinaryOp::And,
        BinaryOp::Equal,
        BinaryOp::NotEqual,
        BinaryOp::Less,
        BinaryOp::LessEqual,
        BinaryOp::Greater,
        BinaryOp::GreaterEqual,
        BinaryOp::In,
        BinaryOp::StartsWith,
        BinaryOp::EndsWith,
        BinaryOp::Contains,
        BinaryOp::Matches,
        BinaryOp::Add,
        BinaryOp::Subtract,
    ])
}

fn whole(kind: ExprKind) -> Expr {
    Expr { kind, span: Span::default() }
}

fn leaf() -> impl Strategy<Value = ExprKind> {
    let types = ["!llvm.ptr", "!llvm.ptr<1>", "!llvm.struct<(i64, array<8 x i8>)>", "!t.f<(i1) -> \"a>b\">"];
    prop_oneof![
        Just(ExprKind::Any),
        any::<bool>().prop_map(ExprKind::Bool),
        prop_oneof![-8..100_i128, Just(i128::from(u64::MAX)), Just(i128::from(i64::MIN))]
            .prop_map(ExprKind::Int),
        string().prop_map(ExprKind::Str),
        "[a-z0-9.][a-z0-9.+*()\\[\\]^$|/]{0,8}".prop_map(ExprKind::Regex),
        name().prop_map(|name| ExprKind::Word(name.item)),
        prop::sample::select(types.to_vec()).prop_map(|text| ExprKind::Type(text.to_owned())),
        capture().prop_map(ExprKind::Capture),
        name().prop_map(ExprKind::Param),
        name().prop_map(ExprKind::Target),
    ]
}

pub fn expr() -> impl Strategy<Value = Expr> {
    leaf().prop_map(whole).prop_recursive(4, 24, 3, |inner| {
        let several = || prop::collection::vec(inner.clone(), 0..3);
        prop_oneof![
            (dotted(), prop::collection::vec(inner.clone(), 1..3))
                .prop_map(|(name, arguments)| whole(ExprKind::AttributeOf { name, arguments })),
            (callee(), several()).prop_map(|(name, arguments)| {
                whole(ExprKind::Call(Call { name, arguments, span: Span::default() }))
            }),
            several().prop_map(|items| whole(ExprKind::List(items))),
            inner.clone().prop_map(|inner| whole(ExprKind::Not(Box::new(inner)))),
            (op(), inner.clone(), inner.clone()).prop_map(|(op, left, right)| whole(ExprKind::Binary(
                op,
                Box::new(left),
                Box::new(right)
            ))),
        ]
    })
}

fn callee() -> impl Strategy<Value = Name> {
    prop_oneof![4 => name(), 1 => name().prop_map(|name| at(format!("target.{}", name.item)))]
}

fn call() -> impl Strategy<Value = Call> {
    (callee(), prop::collection::vec(expr(), 0..3)).prop_map(|(name, arguments)| Call {
        name,
        arguments,
        span: Span::default(),
    })
}

fn attribute() -> impl Strategy<Value = Attribute> {
    let key = || prop_oneof![name(), dotted()];
    prop_oneof![
        4 => (key(), any::<bool>(), prop::option::of(expr()))
            .prop_map(|(name, optional, value)| Attribute::Is { name, optional, value }),
        1 => key().prop_map(Attribute::Absent),
        1 => prop::option::of(capture()).prop_map(|rest| Attribute::Rest(rest, Span::default())),
    ]
}

fn operand(nested: BoxedStrategy<Operation>) -> impl Strategy<Value = Operand> {
    prop_oneof![
        4 => of(Sigil::Value).prop_map(Operand::Value),
        1 => Just(Operand::Any(Span::default())),
        1 => prop::option::of(capture()).prop_map(|rest| Operand::Rest(rest, Span::default())),
        1 => of(Sigil::Symbol).prop_map(|symbol| Operand::Symbol(whole(ExprKind::Capture(symbol)))),
        1 => call().prop_map(|call| Operand::Symbol(whole(ExprKind::Call(call)))),
        1 => nested.prop_map(|operation| Operand::Nested(Box::new(operation))),
    ]
}

fn operation_with(operands: BoxedStrategy<Option<Vec<Operand>>>) -> BoxedStrategy<Operation> {
    let name = dotted().prop_filter("the target's", |name| !name.item.starts_with("target."));
    (
        prop::collection::vec(bound(Sigil::Value), 0..3),
        name,
        operands,
        prop::option::of(expr()),
        prop::option::of(prop::collection::vec(attribute(), 0..3)),
        prop::collection::vec(expr(), 0..3),
    )
        .prop_map(|(results, name, operands, initializer, attributes, types)| Operation {
            results,
            name,
            operands,
            initializer,
            attributes_span: attributes.as_ref().map(|_| Span::default()),
            attributes: attributes.unwrap_or_default(),
            types,
            span: Span::default(),
        })
        .boxed()
}

fn operation() -> BoxedStrategy<Operation> {
    let inner = operation_with(Just(None).boxed());
    operation_with(prop::option::of(prop::collection::vec(operand(inner), 0..3)).boxed())
}

fn matches() -> impl Strategy<Value = Match> {
    let item = prop_oneof![
        3 => operation().prop_map(MatchItem::Operation),
        1 => call().prop_map(MatchItem::Fragment)
    ];
    prop::collection::vec(item, 1..3).prop_map(|patterns| Match { patterns, span: Span::default() })
}

fn wheres() -> impl Strategy<Value = Where> {
    let clause = prop_oneof![
        (prop::collection::vec(bound(Sigil::Data), 1..3), expr())
            .prop_map(|(captures, value)| Clause::Bind { captures, value, span: Span::default() }),
        expr().prop_map(Clause::Test),
    ];
    prop::collection::vec(clause, 0..4).prop_map(|clauses| Where { clauses, span: Span::default() })
}

fn rewrite() -> impl Strategy<Value = Rewrite> {
    let statement = prop_oneof![
        3 => operation().prop_map(Statement::Build),
        2 => (prop::collection::vec(bound(Sigil::Value), 0..2), call(), prop::collection::vec(expr(), 0..2))
            .prop_map(|(results, call, types)| Statement::Call { results, call, types }),
        1 => (of(Sigil::Value), of(Sigil::Value)).prop_map(|(old, new)| Statement::Replace(old, new, Span::default())),
        1 => (expr(), expr(), expr()).prop_map(|(global, offset, referent)| {
            Statement::Site { global, offset, referent, span: Span::default() }
        }),
        1 => prop::option::of(expr()).prop_map(|what| Statement::Erase(what, Span::default())),
    ];
    prop::collection::vec(statement, 0..4)
        .prop_map(|statements| Rewrite { statements, span: Span::default() })
}

fn text() -> impl Strategy<Value = Spanned<Text>> {
    let hole = prop_oneof![
        capture().prop_map(|capture| whole(ExprKind::Capture(capture))),
        name().prop_map(|name| whole(ExprKind::Param(name))),
        (name(), capture()).prop_map(|(name, argument)| {
            let arguments = vec![whole(ExprKind::Capture(argument))];
            whole(ExprKind::Call(Call { name, arguments, span: Span::default() }))
        }),
    ];
    // Two literals in a row are one.
    (prop::option::of("\\PC{1,5}"), prop::collection::vec((hole, "[a-z{}\"\\\\]{1,5}"), 0..3)).prop_map(
        |(first, holes)| {
            let mut parts: Vec<TextPart> = first.map(TextPart::Literal).into_iter().collect();
            for (hole, literal) in holes {
                parts.extend([TextPart::Hole(hole), TextPart::Literal(literal)]);
            }
            at(Text { parts })
        },
    )
}

fn outcome() -> impl Strategy<Value = Outcome> {
    prop_oneof![rewrite().prop_map(Outcome::Rewrite), text().prop_map(Outcome::Reject)]
}

fn test() -> impl Strategy<Value = Test> {
    let expectation = prop_oneof![
        Just(Expectation::Snapshot),
        Just(Expectation::Unchanged),
        Just(Expectation::Todo),
        prop::option::of(string().prop_map(at)).prop_map(Expectation::Rejects),
    ];
    let inputs = ["", " ", "\n  llvm.func @f() { // }\n }\n", " \"}\" { { } } ", "\"open\n"];
    (string().prop_map(at), expectation, prop::sample::select(inputs.to_vec())).prop_map(
        |(name, expectation, input)| Test {
            name,
            expectation,
            input: at(input.to_owned()),
            span: Span::default(),
        },
    )
}

fn rule() -> impl Strategy<Value = Rule> {
    let policy =
        prop::option::of(prop::sample::select(vec!["carry", "drop"]).prop_map(|word| at(word.to_owned())));
    (
        item_name(),
        matches(),
        prop::option::of(wheres()),
        outcome(),
        policy,
        prop::collection::vec(test(), 0..3),
    )
        .prop_map(|(name, matches, wheres, outcome, attributes, tests)| Rule {
            doc: Vec::new(),
            name,
            matches,
            wheres,
            outcome,
            attributes,
            tests,
            span: Span::default(),
        })
}

fn path() -> impl Strategy<Value = Path> {
    prop::collection::vec(item_name(), 1..4).prop_map(at)
}

fn line() -> impl Strategy<Value = Item> {
    let kind =
        prop::sample::select(vec!["string", "int", "bool", "[string]"]).prop_map(|kind| at(kind.to_owned()));
    prop_oneof![
        item_name().prop_map(Item::Pack),
        item_name().prop_map(Item::Phase),
        item_name().prop_map(Item::Use),
        (item_name(), kind, prop::option::of(expr())).prop_map(|(name, kind, default)| Item::Param(Param {
            doc: Vec::new(),
            name,
            kind,
            default
        })),
        (item_name(), item_name()).prop_map(|(a, b)| Item::Fact(Fact::Disjoint(a, b))),
        (item_name(), item_name()).prop_map(|(a, b)| Item::Fact(Fact::Implies(a, b))),
        (path(), path(), string()).prop_map(|(winner, loser, because)| {
            Item::Prefer(Prefer { winner, loser, because: at(because), span: Span::default() })
        }),
    ]
}

fn fragment() -> impl Strategy<Value = Fragment> {
    let parts = (prop::option::of(matches()), prop::option::of(wheres()), prop::option::of(rewrite()));
    (item_name(), prop::collection::vec(capture(), 0..3), parts)
        .prop_filter("an empty fragment", |(_, _, (matches, _, rewrite))| {
            matches.is_some() || rewrite.is_some()
        })
        .prop_map(|(name, parameters, (matches, wheres, rewrite))| Fragment {
            doc: Vec::new(),
            name,
            parameters,
            matches,
            wheres,
            rewrite,
        })
}

fn override_rule() -> impl Strategy<Value = Override> {
    (path(), string(), matches(), prop::option::of(wheres()), outcome(), prop::collection::vec(test(), 0..2))
        .prop_map(|(target, because, matches, wheres, outcome, tests)| Override {
            doc: Vec::new(),
            target,
            because: at(because),
            matches,
            wheres,
            outcome,
            tests,
            span: Span::default(),
        })
}

fn item() -> impl Strategy<Value = Item> {
    let plain = prop_oneof![
        2 => line(),
        2 => rule().prop_map(Item::Rule),
        1 => fragment().prop_map(Item::Fragment),
        1 => override_rule().prop_map(Item::Override),
    ];
    plain.prop_recursive(2, 6, 3, |inner| {
        let items = || prop::collection::vec(inner.clone(), 0..3);
        prop_oneof![
            (of(Sigil::Data), prop::collection::vec(expr(), 1..3), items()).prop_map(
                |(variable, values, items)| {
                    Item::Family(Family { variable, values, items, span: Span::default() })
                }
            ),
            (
                item_name(),
                prop::option::of(name()),
                prop::collection::vec(name(), 0..3),
                any::<bool>(),
                items()
            )
                .prop_map(|(name, loader, sites, portable, items)| {
                    Item::Strategy(relo_grammar::tree::Strategy {
                        doc: Vec::new(),
                        name,
                        loader,
                        sites,
                        portable: portable.then(Span::default),
                        items,
                        span: Span::default(),
                    })
                }),
        ]
    })
}

pub fn file() -> impl Strategy<Value = File> {
    prop::collection::vec(item(), 0..4).prop_map(|items| File { items, ..File::default() })
}
