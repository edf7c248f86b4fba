//! A rule's digest is of what it means.

use crate::toy::rules;

const RULE: &str = "
rule r {
    match   { %w = toy.load %p { alignment = $a, ordering = relaxed } : $T }
    where   { $a > 8; is_even(%p) }
    rewrite { %q = copy(%p); %w = toy.load %q { alignment = $a, ordering = acquire } : $T }
}
";
const OTHER: &str = "rule other { match { toy.compare %x, %x { predicate = eq } } reject \"no\" }\n";

fn digest(text: &str) -> String {
    let set = rules("r.relo", text).unwrap_or_else(|error| panic!("{text}{error:?}"));
    set.rules().iter().find(|rule| rule.path == "t.r").expect("it is there").digest.clone()
}

fn with(old: &str, new: &str) -> String {
    assert!(RULE.contains(old), "{old}");
    digest(&format!("pack t\nphase lift\n{}", RULE.replace(old, new)))
}

#[test]
fn what_means_the_same_has_the_same_digest() {
    let digest_of = digest(&format!("pack t\nphase lift\n{RULE}"));
    let same = [
        with("\nrule", "\n/// Says what it is for.\n// And more.\nrule"),
        with("    ", "\t\n"),
        with("$a", "$alignment"),
        with("%p", "%pointer"),
        with("%w", "%word"),
        with("{ alignment = $a, ordering = relaxed }", "{ ordering = relaxed, alignment = $a }"),
        with("{ alignment = $a, ordering = acquire }", "{ ordering = acquire, alignment = $a }"),
        digest(&format!("pack t\nphase lift\n{OTHER}{RULE}")),
        digest(&format!("pack t\nphase lift\n{RULE}{OTHER}")),
    ];
    assert_eq!(same, std::array::from_fn(|_| digest_of.clone()));
}

#[test]
fn what_means_something_else_has_another_digest() {
    let mut all = vec![
        digest(&format!("pack t\nphase lift\n{RULE}")),
        digest(&format!("pack t\nphase fold\n{RULE}")),
        with("$a > 8", "$a > 16"),
        with("$a > 8", "$a >= 8"),
        with("; is_even(%p)", ""),
        with("is_even(%p)", "is_even(%w)"),
        with("$a > 8; is_even(%p)", "is_even(%p); $a > 8"),
        with("%q = copy(%p); %w = toy.load %q", "%w = toy.load %p"),
        with("ordering = relaxed", "ordering = relaxed, !volatile"),
        with("    rewrite", "    attributes drop\n    rewrite"),
    ];
    let count = all.len();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), count);
}
