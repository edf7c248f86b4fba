//! A rule that builds what does not verify: the diagnostic names it, what it made, and what it made it of.

use relo_dialect::{Context, Module, Surroundings, natives};
use relo_engine::normal::Phase;
use relo_referent::SessionTable;
use relo_testkit::{render, snapshots};

use crate::how::{How, rules as rules_of};

const MODULE: &str = "llvm.func @f(%p: !llvm.ptr, %i: i64) -> i64 {
  %0 = llvm.sub %i, %i : i64
  %1 = llvm.load %p : !llvm.ptr -> i64
  %2 = llvm.add %0, %1 : i64
  llvm.return %2 : i64
}
";

/// What the load is rewritten to.
const CASES: [(&str, &str); 3] = [
    ("operands", "%w = llvm.add %p, %p : i64"),
    ("user", "%w = llvm.getelementptr %p { elem_type = i8, rawConstantIndices = [8] } : ptr"),
    ("attribute", "%w = llvm.load %p { ordering = acquire } : i64"),
];

#[test]
fn rules_are_named() {
    for (name, rewrite) in CASES {
        let file = format!(
            "pack t\nphase lift\n\nrule r {{\n    match   {{ %w = llvm.load %p {{ ordering = not_atomic }} }}\n    rewrite {{ {rewrite} }}\n}}\n"
        );
        let rules = match rules_of(&file) {
            Ok(rules) => rules,
            Err(error) => panic!("{}", render(&error)),
        };
        let session = SessionTable::default();
        let surroundings = Surroundings { session: &session, word_width: 64, resolve: &|_| None, natives };
        let context = Context::new();
        let [patterned, interpreted] = [How::Patterned, How::Interpreted].map(|how| {
            let mut module = Module::parse(&context, MODULE.as_bytes(), "in.mlir").expect("it is right");
            let rules = rules.phase(Phase::Lift);
            let error = how.run(&mut module, Phase::Lift, rules, &surroundings).expect_err("it is invalid");
            render(&error)
        });
        assert_eq!(patterned, interpreted);
        snapshots("invalid", || insta::assert_snapshot!(name, patterned));
    }
}
