//! Runs mlir-tblgen over the dialect's definition.

use std::path::Path;
use std::process::Command;

/// Writes the `.inc` files that the C++ includes.
pub(crate) fn run(prefix: &Path, out: &Path) {
    for (action, file) in [
        ("-gen-dialect-decls", "RelocDialect.h.inc"),
        ("-gen-dialect-defs", "RelocDialect.cpp.inc"),
        ("-gen-attrdef-decls", "RelocAttrs.h.inc"),
        ("-gen-attrdef-defs", "RelocAttrs.cpp.inc"),
        ("-gen-op-decls", "RelocOps.h.inc"),
        ("-gen-op-defs", "RelocOps.cpp.inc"),
    ] {
        let status = Command::new(prefix.join("bin/mlir-tblgen"))
            .arg(action)
            .arg("td/Reloc.td")
            .arg("-I")
            .arg(prefix.join("include"))
            .args(["--dialect=reloc", "-o"])
            .arg(out.join(file))
            .args(if action.contains("attrdef") { &["--attrdefs-dialect=reloc"][..] } else { &[] })
            .status();
        assert!(status.is_ok_and(|status| status.success()), "mlir-tblgen {action} failed");
    }
}
