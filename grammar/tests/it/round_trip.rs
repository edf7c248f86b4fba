//! Printing a tree and parsing it again gives the same tree, and so does formatting what was printed.

use proptest::prelude::*;
use relo_grammar::span::Source;
use relo_grammar::{format, print};

use crate::cases::{meaning, parsed};
use crate::trees;

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn printed_trees_parse(tree in trees::file()) {
        let printed = print(&tree);
        let source = Source::new("printed", &*printed);
        let again = parsed(&source);
        prop_assert_eq!(meaning(&again), meaning(&tree), "{}", printed);
        prop_assert_eq!(&print(&again), &printed);

        let formatted = format(&source).expect("it parses");
        let formatted_source = Source::new("formatted", &*formatted);
        prop_assert_eq!(&print(&parsed(&formatted_source)), &printed, "{}", formatted);
        let twice = format(&formatted_source);
        prop_assert_eq!(twice.as_deref(), Ok(&*formatted));
    }
}
