//! Each pack's tests, phase by phase: the reference interpreter does what PDL does, in the same order. What that is
//! `relo test` judges.

use std::fmt::Write as _;

use relo_dialect::{Context, Module, OdsSchema, Surroundings, natives, plan, signatures};
use relo_engine::normal::Phase;
use relo_engine::{Library, Request, RuleSet, Setting};
use relo_referent::{Referent, SessionTable};
use relo_testkit::{Case, cases, packs, render, root};

use crate::how::How::{self, Interpreted, Patterned};

#[test]
fn packs_tests_come_out_the_same() {
    let mut count = 0;
    for pack in std::fs::read_dir(root().join("rules")).expect("packs are there").flatten() {
        let folder = pack.path().join("tests");
        for case in folder.is_dir().then(|| cases(&folder, "mlir")).into_iter().flatten() {
            assert_eq!(compile(&case, Patterned), compile(&case, Interpreted), "{}", case.path.display());
            count += 1;
        }
    }
    assert!(count > 20);
}

/// What each phase fired and made, or the diagnostic that ended it.
fn compile(case: &Case, how: How) -> String {
    let session = case.get("session").map_or_else(SessionTable::default, |name| {
        let path = case.path.with_file_name(name);
        let text = std::fs::read_to_string(&path).expect("the session table lies beside its case");
        SessionTable::parse(&text, name).expect("the table is well formed")
    });
    let request = Request {
        target: case.get("target").unwrap_or("x86_64-linux").to_owned(),
        packs: case.all("use").map(ToOwned::to_owned).collect(),
        with_session: !session.is_empty(),
        settings: case
            .all("set")
            .filter_map(|setting| setting.split_once('='))
            .map(|(key, value)| (key.to_owned(), Setting::Str(value.to_owned())))
            .collect(),
        strategy: case.get("strategy").map(ToOwned::to_owned),
        ..Request::default()
    };
    let (library, findings) = Library::new(&packs());
    assert!(findings.is_empty(), "{}", findings.iter().map(|finding| render(finding)).collect::<String>());
    let rules = match RuleSet::new(&library, &request, &signatures(), &OdsSchema) {
        Ok((rules, _)) => rules,
        Err(error) => return render(&error),
    };
    let context = Context::new();
    let mut text = String::new();
    let result = (|| -> Result<(), relo_dialect::DialectError> {
        let mut module = Module::parse(&context, case.text.as_bytes(), &case.name)?;
        // A word that is easy to find again: the length of the referent's text.
        let resolve = |referent: &Referent| Some(0x1000 + referent.to_string().len() as u64);
        let surroundings = Surroundings {
            session: &session,
            word_width: rules.target.word_width(),
            resolve: &resolve,
            natives,
        };
        for phase in Phase::ALL {
            if phase == Phase::Lower {
                plan(&mut module, &rules)?;
            }
            let outcome = how.run(&mut module, phase, rules.phase(phase), &surroundings)?;
            if outcome.trace.is_empty() {
                continue;
            }
            let _ = writeln!(text, "// {phase}");
            for fired in &outcome.trace {
                let _ = writeln!(text, "//   {} on {} in {}", fired.rule, fired.operation, fired.place);
            }
            let _ = writeln!(text, "{}", module.text());
        }
        Ok(())
    })();
    if let Err(error) = result {
        text.push_str(&render(&error));
    }
    text
}
