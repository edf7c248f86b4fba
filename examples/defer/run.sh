#!/bin/sh
# A tool that keeps IR, links it by LLVM's own linker, and applies the relocations to each freshly parsed module: twice from
# one cached copy, which stays as it is. RELO=relo run.sh FOLDER
set -eu
cd "$(dirname "$0")"
llvm=${LLVM:-/usr/lib/llvm-22/bin} out=$1
"$RELO" compile program.ll --session program.session.json --target x86_64-linux --strategy defer --emit bitcode -o "$out/cached.bc"
sum=$(cksum <"$out/cached.bc")
cc -shared -fPIC objects.c -o "$out/libobjects.so"
for session in first second; do
    # Sites are metadata on the globals: whatever links the module links them.
    "$llvm/llvm-link" "$out/cached.bc" library.ll -o "$out/$session.bc"
    cat >"$out/$session.json" <<JSON
{"entries": [
  {"target": {"object": {"runtime": "toy", "key": "a"}}, "is": {"symbol": {"name": "${session}_a", "library": "$out/libobjects.so"}}},
  {"target": {"object": {"runtime": "toy", "key": "b"}}, "is": {"symbol": {"name": "${session}_b", "library": "$out/libobjects.so"}}}
]}
JSON
    "$RELO" compile "$out/$session.bc" --target x86_64-linux --entry total -o "$out/$session.so"
    "$RELO" run "$out/$session.so" --entry total --signature 'i64 (i64)' --resolve "$out/$session.json" \
        --allow "$out/libobjects.so" -- 10
done
[ "$sum" = "$(cksum <"$out/cached.bc")" ] && echo "the cached copy is as it was"
