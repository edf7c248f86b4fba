//! What LLVM's back ends end the process on is a diagnostic, and no file.

use relo_testkit::{cases, root, snapshots};

use crate::support::{arg, folder, relo};

#[test]
fn what_a_back_end_has_no_code_for_is_refused() {
    let folder = folder();
    let out = folder.path().join("out");
    // LLVM tells nodes by their addresses.
    let address = regex::Regex::new("0x[0-9a-f]{6,}").expect("a pattern");
    for case in cases(&root().join("cli/tests/data/refused"), "ll") {
        let mut arguments = vec!["compile", arg(&case.path), "-o", arg(&out)];
        arguments.extend(["--target", case.get("target").expect("a target")]);
        arguments.extend(case.all("option"));
        let output = relo(&arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{}: {said}", case.name);
        let left = std::fs::read_dir(folder.path()).expect("readable").count();
        assert_eq!(left, 0, "{}: a file is left behind", case.name);
        snapshots("refusals", || {
            insta::assert_snapshot!(format!("backend_{}", case.name), address.replace_all(&said, "ADDRESS"));
        });
    }
}
