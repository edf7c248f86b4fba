//! What the checker knows of operations: the dialects' ODS records, dumped by llvm-tblgen, as a static table in Rust.
//!
//! `src/schema/operations.rs` includes the table and says what its types are. Operations are sorted by name; what several
//! attributes have in common, the encoding of an enumeration, is a static of its own.

#[path = "ods/encoding.rs"]
mod encoding;
#[path = "ods/operation.rs"]
mod operation;
#[path = "ods/records.rs"]
mod records;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use operation::{Argument, Operation, Presence};
use records::Records;

const SOURCES: &str = r#"
include "mlir/Dialect/LLVMIR/LLVMOps.td"
include "mlir/Dialect/LLVMIR/LLVMIntrinsicOps.td"
include "mlir/Dialect/LLVMIR/NVVMOps.td"
include "mlir/Dialect/LLVMIR/ROCDLOps.td"
include "mlir/IR/BuiltinOps.td"
include "Reloc.td"
"#;

/// Writes `ods.rs`.
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
    let records = Records::parse(&dump.stdout);
    let operations: BTreeMap<String, Operation> = records
        .instances("Op")
        .map(|op| Operation::new(&records, op))
        .map(|operation| (operation.name.clone(), operation))
        .collect();
    std::fs::write(out.join("ods.rs"), render(operations.values())).expect("OUT_DIR can be written to");
}

fn render<'a>(operations: impl Iterator<Item = &'a Operation>) -> String {
    let mut encodings: Vec<String> = Vec::new();
    let mut table = String::new();
    for operation in operations {
        let mut attributes = String::new();
        for attribute in &operation.attributes {
            let encoding = attribute.encoding.as_ref().map_or_else(
                || "None".to_owned(),
                |encoding| {
                    let text = encoding.to_string();
                    let known = encodings.iter().position(|one| *one == text).unwrap_or_else(|| {
                        encodings.push(text);
                        encodings.len() - 1
                    });
                    format!("Some(&E{known})")
                },
            );
            let _ = write!(
                attributes,
                "\n        Attribute {{ name: {:?}, presence: {}, constraint: {:?}, encoding: {encoding}, property: {} }},",
                attribute.name,
                letter(attribute.presence),
                attribute.constraint,
                attribute.property,
            );
        }
        let _ = writeln!(
            table,
            "    Operation {{ name: {:?}, operands: &[{}], attributes: &[{attributes}], results: &[{}], \
             regions: {}, successors: {}, symbol: {}, segments: {} }},",
            operation.name,
            arguments(&operation.operands),
            arguments(&operation.results),
            operation.regions,
            operation.successors,
            operation.symbol,
            operation.segments,
        );
    }
    let mut text = String::new();
    for (index, encoding) in encodings.iter().enumerate() {
        let _ = writeln!(text, "static E{index}: Encoding = {encoding};");
    }
    let _ = writeln!(text, "pub(super) static OPERATIONS: &[Operation] = &[\n{table}];");
    text
}

fn arguments(list: &[Argument]) -> String {
    let list: Vec<String> =
        list.iter().map(|(name, presence)| format!("({name:?}, {})", letter(*presence))).collect();
    list.join(", ")
}

/// The table writes presences as letters, to stay small.
fn letter(presence: Presence) -> char {
    match presence {
        Presence::Required => 'R',
        Presence::Optional => 'O',
        Presence::Variadic => 'V',
    }
}
