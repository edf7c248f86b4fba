#!/bin/sh
# A JIT with absolute symbols, and words inside data filled in before it links. RELO=relo run.sh FOLDER
set -eu
cd "$(dirname "$0")"
"$RELO" compile program.ll --session program.session.json --target x86_64-linux --strategy import --emit object -o "$1/program.o"
cargo run --quiet -p relo-orc --example orc -- "$1/program.o"
