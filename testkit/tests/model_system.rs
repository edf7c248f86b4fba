//! The table of what the model system does names tests and inputs: they exist.

use relo_testkit::root;

#[test]
fn every_row_names_a_test_that_exists() {
    let text = std::fs::read_to_string(root().join("docs/model-system.md")).expect("readable");
    let rows: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("| ") && !line.contains(" --- ") && !line.contains("| shown by |"))
        .collect();
    assert!(rows.len() > 30, "the table has {} rows", rows.len());
    for row in rows {
        let shown = row.trim_end_matches(" |").rsplit(" | ").next().expect("a row has columns");
        let place = shown.trim_matches('`');
        let (path, test) = place.split_once("::").map_or((place, None), |(path, test)| (path, Some(test)));
        let file = std::fs::read_to_string(root().join(path)).unwrap_or_else(|_| panic!("no {path}: {row}"));
        if let Some(test) = test {
            let function = format!("fn {test}()");
            let found = file.find(&function).unwrap_or_else(|| panic!("no {test} in {path}: {row}"));
            assert!(file[..found].trim_end().ends_with("#[test]"), "{test} is no test: {row}");
        } else {
            let place = path.replace("rules/", "snapshots/").replace("cli/tests/data/", "snapshots/");
            let snapshot = std::path::Path::new(&place.replace("/tests/", "/")).with_extension("snap");
            assert!(root().join(&snapshot).exists(), "no {}: {row}", snapshot.display());
        }
    }
}
