#!/bin/sh
# Regenerates the .ll files beside this script with clang 22 and rustc 1.95.
set -e
cd "$(dirname "$0")"
emit() { clang-22 -O1 -fno-ident -emit-llvm -S "$@"; }
emit -target x86_64-unknown-linux-gnu objects.cpp -o objects.cpp.ll
emit -x cuda --cuda-device-only -fgpu-rdc --cuda-gpu-arch=sm_80 -nocudainc -nocudalib -Xclang -target-feature -Xclang +ptx80 kernel.cu -o kernel.nvptx64.ll
emit -x cl -cl-std=CL3.0 -target spirv64-unknown-unknown kernel.cl -o kernel.spirv64.ll
rustc --edition 2024 -C opt-level=1 -C panic=abort -C debuginfo=0 --target x86_64-unknown-linux-gnu --emit llvm-ir objects.rs -o objects.rs.ll
