//! A site is in artifact and manifest as long as code uses it.

use crate::support::{arg, folder, manifest, relo_ok};

const MODULE: &str = "
@rt_used = external global ptr
@rt_dropped = external global ptr
define ptr @used() {
  %1 = load ptr, ptr @rt_used
  ret ptr %1
}
define i32 @dropped() {
  %1 = load ptr, ptr @rt_dropped
  %2 = ptrtoint ptr %1 to i64
  %3 = and i64 %2, 0
  %4 = trunc i64 %3 to i32
  ret i32 %4
}
";

#[test]
fn what_optimisation_drops_is_in_neither() {
    let folder = folder();
    let input = folder.path().join("module.ll");
    std::fs::write(&input, MODULE).expect("written");
    for (level, names) in [("-O2", vec!["rt_used"]), ("-O0", vec!["rt_dropped", "rt_used"])] {
        let output = folder.path().join("module.so");
        let words = ["--use", "clang", "--set", "clang.words=^rt_"];
        let mut arguments =
            vec!["compile", arg(&input), "--target", "x86_64-linux", level, "-o", arg(&output)];
        arguments.extend(words);
        relo_ok(&arguments);
        let manifest = manifest(&output);
        let referents = manifest["referents"].as_array().expect("referents");
        let found: Vec<&str> =
            referents.iter().filter_map(|referent| referent["word"]["symbol"].as_str()).collect();
        assert_eq!(found, names, "{level}");
        let artifact = String::from_utf8_lossy(&std::fs::read(&output).expect("written")).into_owned();
        assert_eq!(artifact.contains("relo_rt_dropped"), names.contains(&"rt_dropped"), "{level}");
        assert!(artifact.contains("relo_rt_used"), "{level}");
    }
}
