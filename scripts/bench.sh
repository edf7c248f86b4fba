#!/bin/sh
# Measures relo beside what it is measured against; benches/README.md says what the numbers are.
set -eu
cd "$(dirname "$0")/.."
cargo build --quiet --release -p relo-benches
target/release/relo-benches x86_64-linux clang
cargo bench --quiet -p relo-loader --bench patching
cargo build --quiet --release -p relo
RELO="$PWD/target/release/relo" cargo bench --quiet -p relo-cache --bench loads
benches/rules.py target/release/relo
benches/check.py target/release/relo
