//! The shipped packs' rule files are well formed, and print and format as the cases do.

use relo_grammar::span::Source;
use relo_grammar::{format, print};

use crate::cases::{cases, folder, meaning, parsed};

#[test]
fn shipped_packs_parse() {
    let mut files = 0;
    for pack in std::fs::read_dir(folder("../rules")).expect("rules/ exists") {
        let pack = pack.expect("readable").path();
        let has_rules = pack.is_dir()
            && std::fs::read_dir(&pack)
                .expect("readable")
                .any(|file| file.expect("readable").path().extension().is_some_and(|found| found == "relo"));
        if !has_rules {
            continue;
        }
        for source in cases(&pack) {
            let tree = parsed(&source);
            let printed = print(&tree);
            assert_eq!(
                meaning(&parsed(&Source::new("printed", &*printed))),
                meaning(&tree),
                "{}",
                source.name
            );
            let formatted = format(&source).expect("it parses");
            let formatted_source = Source::new("formatted", &*formatted);
            assert_eq!(print(&parsed(&formatted_source)), printed, "{}", source.name);
            assert_eq!(format(&formatted_source).as_deref(), Ok(&*formatted), "{}", source.name);
            files += 1;
        }
    }
    assert!(files > 5);
}
