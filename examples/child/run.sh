#!/bin/sh
# A child that is compiled later, whose relocations merge into its parent's. RELO=relo run.sh FOLDER
set -eu
cd "$(dirname "$0")"
out=$1
for part in parent child; do
    "$RELO" compile $part.ll --session $part.session.json --target x86_64-linux --strategy defer --emit bitcode -o "$out/$part.bc"
done
"$RELO" link --only-needed "$out/parent.bc" "$out/child.bc" -o "$out/both.bc"
"$RELO" compile "$out/both.bc" --target x86_64-linux --entry gradient -o "$out/both.so"
echo 'long scale = 3, shift = 4;' >"$out/objects.c"
cc -shared -fPIC "$out/objects.c" -o "$out/libobjects.so"
cat >"$out/resolve.json" <<JSON
{"entries": [
  {"target": {"object": {"runtime": "toy", "key": "scale"}}, "is": {"symbol": {"name": "scale", "library": "$out/libobjects.so"}}},
  {"target": {"object": {"runtime": "toy", "key": "shift"}}, "is": {"symbol": {"name": "shift", "library": "$out/libobjects.so"}}}
]}
JSON
"$RELO" inspect "$out/both.so"
"$RELO" run "$out/both.so" --entry gradient --signature 'i64 (i64)' --resolve "$out/resolve.json" \
    --allow "$out/libobjects.so" -- 10
