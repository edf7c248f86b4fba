//! The published schema says what the loader says.

use jsonschema::Validator;
use serde_json::Value;

use crate::support::{artifact, words};

/// The schema, from the documentation.
pub fn schema() -> Validator {
    let path = relo_testkit::root().join("docs/manifest.schema.json");
    let text = std::fs::read_to_string(path).expect("it is there");
    let schema: Value = serde_json::from_str(&text).expect("it is JSON");
    jsonschema::draft202012::meta::validate(&schema).expect("it is a schema");
    jsonschema::validator_for(&schema).expect("it is a schema")
}

pub fn problems(schema: &Validator, text: &str) -> Vec<String> {
    let manifest: Value = serde_json::from_str(text).expect("it is JSON");
    schema.iter_errors(&manifest).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

#[test]
fn manifests_fit_the_schema() {
    let library = artifact("host");
    let (_, manifest) = words(&library.path);
    assert_eq!(problems(&schema(), &manifest.to_json()), Vec::<String>::new());
}

/// Every key that the loader reads is described, and nothing else.
#[test]
fn the_schema_has_no_key_that_the_loader_does_not_know() {
    let schema = schema();
    let library = artifact("host");
    let (_, manifest) = words(&library.path);
    let json: Value = serde_json::from_str(&manifest.to_json()).expect("it is JSON");
    let mut places = vec![String::new()];
    let mut seen = 0;
    while let Some(place) = places.pop() {
        let here = json.pointer(&place).expect("it was found");
        if let Value::Array(items) = here {
            places.extend((0..items.len()).map(|index| format!("{place}/{index}")));
        }
        let Value::Object(keys) = here else { continue };
        places.extend(keys.keys().map(|key| format!("{place}/{key}")));
        let mut altered = json.clone();
        let keys = altered.pointer_mut(&place).and_then(Value::as_object_mut).expect("it is an object");
        keys.insert("surprise".into(), Value::Bool(true));
        assert!(!schema.is_valid(&altered), "a key more in `{place}` fits");
        seen += 1;
    }
    assert!(seen > 20, "all objects were tried");
}
