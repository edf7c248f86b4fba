//! Says in one sentence which package is missing.

use std::path::Path;

const NEEDED: [(&str, &str); 5] = [
    ("bin/clang++", "clang-22"),
    ("bin/mlir-tblgen", "mlir-22-tools"),
    ("bin/llvm-tblgen", "llvm-22-dev"),
    ("include/mlir/IR/OpBase.td", "libmlir-22-dev"),
    ("lib/libPolly.a", "libpolly-22-dev"),
];

/// Stops the build where a file of LLVM's or MLIR's packages is not there.
pub(crate) fn check(prefix: &Path) {
    for (file, package) in NEEDED {
        if !prefix.join(file).exists() {
            eprintln!(
                "relo needs {package}: install it with `apt-get install {package}` ({file} is not in {}).",
                prefix.display()
            );
            std::process::exit(1);
        }
    }
}
