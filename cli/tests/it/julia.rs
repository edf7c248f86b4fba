//! Julia's code with addresses of its session baked in: all of them become referents.

use std::collections::BTreeSet;

use relo_testkit::cases;

use crate::support::{addresses, arg, corpus, folder, holds_address, manifest, relo_ok};

#[test]
fn no_address_of_the_session_is_left() {
    let folder = folder();
    let mut used = 0;
    let tables = cases(&corpus("julia/baked"), "json");
    assert_eq!(tables.len(), 28);
    for table in tables {
        let name = table.name.trim_end_matches(".session");
        let input = corpus(&format!("julia/baked/{name}.bc"));
        let output = folder.path().join(format!("{name}.so"));
        let (target, session) = ("x86_64-linux", arg(&table.path));
        relo_ok(&["compile", arg(&input), "--target", target, "--session", session, "-o", arg(&output)]);
        let artifact = std::fs::read(&output).expect("written");
        for address in addresses(&table.path) {
            assert!(!holds_address(&artifact, address), "{name} holds {address:#x}");
        }
        let manifest = manifest(&output);
        let entries: serde_json::Value = serde_json::from_str(&table.text).expect("a session table");
        let known: BTreeSet<String> = entries["entries"]
            .as_array()
            .expect("entries")
            .iter()
            .map(|entry| entry["target"].to_string())
            .collect();
        let referents = manifest["referents"].as_array().expect("referents");
        for referent in referents {
            assert!(known.contains(&referent.to_string()), "{name}: {referent} is not in the table");
        }
        // Two different addresses are never one site, and one is never two slots.
        let sites = manifest["sites"].as_array().expect("sites");
        let places: BTreeSet<String> =
            sites.iter().map(|site| format!("{} {}", site["symbol"], site["offset"])).collect();
        assert_eq!(places.len(), sites.len(), "{name}");
        used += referents.len();
    }
    assert!(used > 60, "the functions refer to more than {used} objects");
}
