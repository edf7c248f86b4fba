#!/bin/sh
# A JIT with absolute symbols, and words inside data written after the load. RELO=relo run.sh FOLDER
set -eu
cd "$(dirname "$0")"
"$RELO" compile program.ll --session program.session.json --target x86_64-linux --strategy import --emit object -o "$1/program.o"
LD_LIBRARY_PATH=${LLVM_LIBRARY:-/usr/lib/llvm-22/lib} python3 loader.py "$1/program.o"
