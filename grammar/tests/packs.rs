//! Every rule file of the shipped packs is well formed.

use relo_grammar::span::Source;

#[test]
fn shipped_packs_parse() {
    let rules = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules");
    let mut files = 0;
    for pack in std::fs::read_dir(rules).expect("rules/ exists").flatten() {
        for file in std::fs::read_dir(pack.path()).into_iter().flatten().flatten() {
            if file.path().extension().is_some_and(|extension| extension == "relo") {
                let text = std::fs::read_to_string(file.path()).expect("readable");
                let (tree, errors) = relo_grammar::parse(&Source::new(file.path().to_string_lossy(), text));
                assert_eq!(errors, [], "{}", file.path().display());
                assert!(tree.items.len() > 2);
                files += 1;
            }
        }
    }
    assert!(files > 5);
}
