//! The examples do what their pages say.

use std::process::Command;

use relo_testkit::root;

use crate::support::{arg, folder, run, tool};

/// Runs an example in a folder of its own; what it prints.
fn example(name: &str, folder: &std::path::Path) -> String {
    let mut command = Command::new(root().join("examples").join(name).join("run.sh"));
    command.arg(folder).env("RELO", env!("CARGO_BIN_EXE_relo"));
    run(command.env("PTXAS", tool("ptxas")).env("NVLINK", tool("nvlink")))
}

#[test]
fn a_back_end_bakes_early_and_emits_by_itself() {
    let said = example("early-bake", folder().path());
    assert_eq!(said, "the code knows the tag, and bumped the counter to 42\n");
}

#[test]
fn a_tool_applies_relocations_to_each_fresh_module() {
    assert_eq!(example("defer", folder().path()), "420\n9990\nthe cached copy is as it was\n");
}

#[test]
fn a_later_child_merges_into_its_parent() {
    let said = example("child", folder().path());
    // One slot for the object that both refer to, and none for what stayed behind.
    assert_eq!(said.matches("#reloc.object").count(), 2, "{said}");
    assert!(!said.contains("other"), "{said}");
    assert!(said.ends_with("\n102\n"), "{said}");
}

#[test]
fn a_box_of_zeros_gets_its_header() {
    assert_eq!(example("zero-box", folder().path()), "77\n77\n");
}

/// A driver would write the words, by the same names; here NVIDIA's linker does.
#[test]
fn ptx_from_a_cache_gets_its_words_by_symbol() {
    use object::{Object as _, ObjectSection as _, ObjectSymbol as _};
    let folder = folder();
    assert!(example("ptx-cache", folder.path()).starts_with("1 entries, "), "{}", arg(folder.path()));
    let bytes = std::fs::read(folder.path().join("linked.cubin")).expect("written");
    let file = object::File::parse(&*bytes).expect("an ELF file");
    let symbols: Vec<_> =
        file.symbols().filter(|symbol| symbol.name().is_ok_and(|n| n.starts_with("relo_"))).collect();
    let [symbol] = symbols.as_slice() else { panic!("one slot, not {}", symbols.len()) };
    let section =
        symbol.section_index().and_then(|index| file.section_by_index(index).ok()).expect("it is data");
    let word = section.data_range(symbol.address(), 8).expect("in bounds").expect("it has bytes");
    assert_eq!(word, 94_387_430_469_632_u64.to_le_bytes());
}
