//! `docs/first-rule.md`, followed to the letter.

use relo_testkit::root;

use crate::support::folder;
use crate::write_a_pack::follow;

#[test]
fn the_page_leads_to_an_accepted_snapshot() {
    let folder = folder();
    let page = std::fs::read_to_string(root().join("docs/first-rule.md")).expect("the page");
    follow(&page, folder.path());
}
