#!/bin/sh
# PTX that one process compiles and keeps, and another, with other addresses, takes and fills in by symbol.
# RELO=relo run.sh FOLDER; PTXAS and NVLINK are NVIDIA's tools.
set -eu
cd "$(dirname "$0")"
out=$1
compile() { # SESSION ADDRESS
    sed "s/SESSION/$2/" kernel.ll | sed "s/; A kernel.*//" >"$out/$1.ll"
    cat >"$out/$1.json" <<JSON
{"entries": [{"address": "$(printf '0x%x' "$2")", "target": {"object": {"runtime": "toy", "key": "Symbol foo"}}}]}
JSON
    "$RELO" compile "$out/$1.ll" --session "$out/$1.json" --target cuda --cache="$out/cache" -o "$out/$1.ptx"
}
compile first 139637976731648
compile second 94387430469632
cmp "$out/first.ptx" "$out/second.ptx"
"$RELO" cache stats --cache "$out/cache"
python3 loader.py "$out/second.ptx" "$out/words.ptx" "Symbol foo=94387430469632"
for part in second words; do
    "$PTXAS" -c --gpu-name sm_80 "$out/$part.ptx" -o "$out/$part.cubin"
done
# The linker takes the words for the weak zeros: the same symbol, the same size.
"$NVLINK" --arch sm_80 "$out/words.cubin" "$out/second.cubin" -o "$out/linked.cubin"
