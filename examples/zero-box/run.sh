#!/bin/sh
# A boxed vector of zeros: only its header is written, with and without LLVM's optimiser. RELO=relo run.sh FOLDER
set -eu
cd "$(dirname "$0")"
out=$1
echo 'long type_of_vectors = 77;' >"$out/type.c"
cc -shared -fPIC "$out/type.c" -o "$out/libtype.so"
cat >"$out/resolve.json" <<JSON
{"entries": [
  {"target": {"object": {"runtime": "toy", "key": "type of vectors"}},
   "is": {"symbol": {"name": "type_of_vectors", "library": "$out/libtype.so"}}}
]}
JSON
for level in 0 2; do
    "$RELO" compile program.ll --target x86_64-linux -O$level --entry zeros -o "$out/program.so"
    "$RELO" run "$out/program.so" --entry zeros --signature 'i64 ()' --resolve "$out/resolve.json" --allow "$out/libtype.so"
done
