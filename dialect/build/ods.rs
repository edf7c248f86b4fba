//! What the checker knows of operations: the dialects' ODS records, dumped by llvm-tblgen, as one table in JSON.
//!
//! An operation is `{"operands": [[name, presence]], "attributes": [[name, presence, constraint, encoding, cases]],
//! "results": […], "regions", "successors", "symbol", "segments"}`; `src/schema.rs` reads it.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

const SOURCES: &str = r#"
include "mlir/Dialect/LLVMIR/LLVMOps.td"
include "mlir/Dialect/LLVMIR/LLVMIntrinsicOps.td"
include "mlir/Dialect/LLVMIR/NVVMOps.td"
include "mlir/Dialect/LLVMIR/ROCDLOps.td"
include "Reloc.td"
"#;

/// Writes `ods.json`.
pub(crate) fn generate(prefix: &Path, out: &Path) {
    let sources = out.join("all.td");
    std::fs::write(&sources, SOURCES).expect("OUT_DIR can be written to");
    let dump = Command::new(prefix.join("bin/llvm-tblgen"))
        .args(["--dump-json", "-I", "td", "-I"])
        .arg(prefix.join("include"))
        .arg(&sources)
        .output()
        .expect("llvm-tblgen was checked");
    assert!(dump.status.success(), "llvm-tblgen: {}", String::from_utf8_lossy(&dump.stderr));
    let records: Value = serde_json::from_slice(&dump.stdout).expect("llvm-tblgen writes JSON");
    let records = Records(&records);
    let operations: BTreeMap<String, Value> =
        records.instances("Op").filter_map(|op| records.operation(op)).collect();
    std::fs::write(out.join("ods.json"), json!(operations).to_string()).expect("OUT_DIR can be written to");
}

struct Records<'a>(&'a Value);

impl<'a> Records<'a> {
    fn instances(&self, class: &str) -> impl Iterator<Item = &'a Value> {
        let names = self.0["!instanceof"][class].as_array().map(Vec::as_slice).unwrap_or_default();
        let all = self.0;
        names.iter().filter_map(Value::as_str).map(move |name| &all[name])
    }

    /// The record that a `{"def": name}` refers to.
    fn follow(&self, reference: &Value) -> &'a Value {
        &self.0[reference["def"].as_str().unwrap_or_default()]
    }

    fn operation(&self, op: &'a Value) -> Option<(String, Value)> {
        let dialect = self.follow(&op["opDialect"])["name"].as_str()?;
        let name = format!("{dialect}.{}", op["opName"].as_str()?);
        let (mut operands, mut attributes) = (Vec::new(), Vec::new());
        for argument in op["arguments"]["args"].as_array()? {
            let (record, name) = (self.follow(&argument[0]), argument[1].as_str().unwrap_or_default());
            if is(record, "TypeConstraint") {
                operands.push(json!([name, presence(record)]));
            } else {
                attributes.push(self.attribute(record, name, &argument[0]));
            }
        }
        let results: Vec<Value> = op["results"]["args"]
            .as_array()?
            .iter()
            .map(|result| json!([result[1].as_str().unwrap_or_default(), presence(self.follow(&result[0]))]))
            .collect();
        let has = |wanted: &str| {
            op["traits"].as_array().is_some_and(|traits| {
                traits.iter().any(|one| {
                    one["def"].as_str() == Some(wanted)
                        || self.follow(one)["trait"].as_str().is_some_and(|name| name.ends_with(wanted))
                })
            })
        };
        let filled = |key: &str| op[key]["args"].as_array().is_some_and(|list| !list.is_empty());
        let facts = json!({
            "operands": operands,
            "attributes": attributes,
            "results": results,
            "regions": filled("regions"),
            "successors": filled("successors"),
            "symbol": has("Symbol") || has("SymbolOpInterface::Trait"),
            "segments": has("AttrSizedOperandSegments"),
        });
        Some((name, facts))
    }

    fn attribute(&self, record: &'a Value, name: &str, reference: &Value) -> Value {
        let optional = is(record, "OptionalAttr");
        let defaulted = record["defaultValue"].as_str().is_some_and(|value| !value.is_empty());
        // Wrappers (optional, with a default, confined) are taken off until the constraint itself is there.
        let (mut base, mut constraint) = (record, reference["def"].as_str().unwrap_or_default());
        while let Some(inner) = base["baseAttr"]["def"].as_str() {
            base = &self.0[inner];
            constraint = inner;
        }
        if constraint.starts_with("anonymous_") {
            constraint = base["!superclasses"]
                .as_array()
                .and_then(|classes| classes.last())
                .and_then(Value::as_str)
                .unwrap_or_default();
        }
        let unit = constraint == "UnitAttr";
        let presence = if optional || unit {
            "optional"
        } else if defaulted || is(record, "Property") {
            "default"
        } else {
            "required"
        };
        let (encoding, cases) = self.encoding(base);
        json!([name, presence, constraint, encoding, cases])
    }

    /// How an enumerator is written: `iN` for an integer, `#dialect.mnemonic` for an attribute, nothing otherwise.
    fn encoding(&self, base: &'a Value) -> (String, Vec<Value>) {
        if is(base, "EnumAttrInfo") && !is(base, "BitEnumAttrBase") {
            let width = base["bitwidth"].as_i64().unwrap_or(64);
            return (format!("i{width}"), self.cases(base));
        }
        let storage =
            base["storageType"].as_str().unwrap_or_default().rsplit("::").next().unwrap_or_default();
        let attribute = &self.0[storage];
        let value = attribute["parameters"]["args"].as_array().map(Vec::as_slice).unwrap_or_default();
        let (Some(mnemonic), [only]) = (attribute["mnemonic"].as_str(), value) else {
            return (String::new(), Vec::new());
        };
        let class =
            only[0].as_str().or_else(|| self.follow(&only[0])["cppType"].as_str()).unwrap_or_default();
        let class = class.rsplit("::").next().unwrap_or_default();
        let Some(info) = self.instances("EnumInfo").find(|info| info["className"].as_str() == Some(class))
        else {
            return (String::new(), Vec::new());
        };
        (format!("#llvm.{mnemonic}"), self.cases(info))
    }

    fn cases(&self, info: &'a Value) -> Vec<Value> {
        let cases = info["enumerants"].as_array().map(Vec::as_slice).unwrap_or_default();
        cases
            .iter()
            .map(|case| self.follow(case))
            .map(|case| {
                json!([case["str"].as_str().unwrap_or_default(), case["value"].as_i64().unwrap_or(0)])
            })
            .collect()
    }
}

fn is(record: &Value, class: &str) -> bool {
    record["!superclasses"].as_array().is_some_and(|classes| classes.iter().any(|one| one == class))
}

fn presence(record: &Value) -> &'static str {
    if is(record, "Optional") {
        "optional"
    } else if is(record, "Variadic") || is(record, "VariadicOfVariadic") {
        "variadic"
    } else {
        "required"
    }
}
