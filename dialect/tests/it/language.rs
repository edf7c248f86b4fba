//! Every example of the language reference is compiled.

use relo_dialect::{Context, OdsSchema, Patterns, signatures};
use relo_engine::normal::Phase;
use relo_engine::{Library, PackSource, Request, RuleSet};
use relo_grammar::span::Source;
use relo_testkit::{packs, render, root};

#[test]
fn examples_compile() {
    let text = std::fs::read_to_string(root().join("docs/language.md")).expect("it is there");
    let examples: Vec<&str> =
        text.split("```relo\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(examples.len() >= 8);
    let context = Context::new();
    for (index, example) in examples.iter().enumerate() {
        let yaml = Source::new("example/pack.yaml", "pack: example\nuses: [core]\nactive: request\n");
        let file = Source::new(format!("docs/language.md, example {}", index + 1), *example);
        let mut all = packs();
        all.push(PackSource { yaml, files: vec![file] });
        let (library, findings) = Library::new(&all);
        assert!(
            findings.is_empty(),
            "{}",
            findings.iter().map(|finding| render(finding)).collect::<String>()
        );
        let request =
            Request { target: "x86_64-linux".into(), packs: vec!["example".into()], ..Request::default() };
        let rules = match RuleSet::new(&library, &request, &signatures(), &OdsSchema) {
            Ok((rules, _)) => rules,
            Err(error) => panic!("{}", render(&error)),
        };
        assert!(rules.rules().iter().any(|rule| rule.source.name.starts_with("docs/")));
        for phase in Phase::ALL {
            if let Err(error) = Patterns::new(&context, phase, rules.phase(phase)) {
                panic!("{}", render(&error));
            }
        }
    }
}
