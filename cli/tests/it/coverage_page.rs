//! `relo test --html`: coverage on the rules' own text, in one file.

use crate::support::{arg, folder, relo_ok};

#[test]
fn clauses_are_marked_on_the_rules_text() {
    let folder = folder();
    relo_ok(&["new", "mine", "--into", arg(folder.path())]);
    let (pack, page) = (folder.path().join("mine"), folder.path().join("coverage.html"));
    relo_ok(&["test", "--rules", arg(&pack), "--accept", "--html", arg(&page)]);
    let page = std::fs::read_to_string(&page).expect("written");
    // A definition is turned down by the first clause, and nothing by the last.
    assert!(page.contains(r#"<mark class="good">is_data(@g) and is_declaration(@g)</mark>"#), "{page}");
    assert!(page.contains(r#"<mark class="bad">is_word($T)</mark>"#), "{page}");
    assert!(page.contains("2 of 3 clauses decide no test"), "{page}");
    // What rules say is text, and nothing is fetched.
    assert!(
        page.contains("slot(#reloc.word&lt;@g&gt;)") && !page.contains("slot(#reloc.word<@g>)"),
        "{page}"
    );
    assert!(page.contains("default-src 'none'") && !page.contains("http://") && !page.contains("https://"));
    // The rule's tests are not part of what they cover.
    assert!(!page.contains("mine_rt_own"), "{page}");
}
