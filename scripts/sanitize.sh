#!/bin/sh
# The tests of the MLIR edge with relo's C++ under AddressSanitizer.
set -eu
cd "$(dirname "$0")/.."
prefix=/usr/lib/llvm-22
# LLVM's allocators, inlined here, poison what the library, built without, goes on to use: that is no finding.
# A target of its own, so that build scripts and macros stay as they are.
RELO_SANITIZE=address \
    RUSTFLAGS="-Clinker=$prefix/bin/clang++ -Clink-arg=-fsanitize=address -Clink-arg=-Wl,-rpath,$prefix/lib" \
    ASAN_OPTIONS=detect_leaks=0:allow_user_poisoning=0 \
    cargo test --quiet --target "$(uname -m)-unknown-linux-gnu" -p relo-dialect --test it
