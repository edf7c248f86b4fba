#!/bin/sh
# Compiles Numba's code of two sessions, and runs it in new processes.
set -eu
cd "$(dirname "$0")/.."

relo=target/release/relo
corpus=examples/corpus/numba
out=target/demo
rm -rf "$out"
mkdir -p "$out"

say() { printf '\n\033[1m%s\033[0m\n' "$1"; }
[ -t 1 ] && [ -z "${NO_COLOR:-}" ] || say() { printf '\n%s\n' "$1"; }

entry() { sed -n 's/.*@\(_ZN8__main__[A-Za-z0-9_]*\)(.*/\1/p' "$corpus/session-a/$1.ll" | head -n 1; }

say "1. Numba compiled six functions in two sessions. Each has the session's addresses in it:"
grep -ho 'inttoptr (i64 [0-9]* to ptr)' "$corpus/session-a/calls_two.ll" | sed 's/^/   session a  /'
grep -ho 'inttoptr (i64 [0-9]* to ptr)' "$corpus/session-b/calls_two.ll" | sed 's/^/   session b  /'

say "2. relo makes relocations of them. Both sessions give the same bytes:"
for module in calls_cos calls_two calls_callback maps_callback raises reads_global_array; do
    for session in a b; do
        "$relo" compile "$corpus/session-$session/$module.ll" --session "$corpus/session-$session/$module.session.json" \
            --target x86_64-linux --entry "$(entry $module)" -o "$out/$module.$session.so"
    done
    cmp "$out/$module.a.so" "$out/$module.b.so"
    cmp "$out/$module.a.so.reloc.json" "$out/$module.b.so.reloc.json"
    printf '   %-20s %6s bytes, artifact and manifest equal\n' "$module" "$(wc -c <"$out/$module.a.so")"
done

say "3. What is left to the loader, for one of them:"
"$relo" inspect "$out/calls_two.a.so" | sed -n '/SYMBOL/,$p' | sed 's/^/  /'

say "4. New processes load them, resolve the referents and call the functions - twice, at other addresses:"
cat >"$out/callback.c" <<'C'
long increment(long x) { return x + 1; }
double square(double x) { return x * x; }
C
cc -shared -fPIC -o "$out/libcallback.so" "$out/callback.c"
cat >"$out/resolve.json" <<JSON
{"entries": [
  {"target": {"object": {"runtime": "numba", "key": "code of generate.increment"}},
   "is": {"symbol": {"name": "increment", "library": "$out/libcallback.so"}}},
  {"target": {"object": {"runtime": "numba", "key": "code of generate.square"}},
   "is": {"symbol": {"name": "square", "library": "$out/libcallback.so"}}}
]}
JSON
call() {
    module=$1 signature=$2
    shift 2
    for time in 1 2; do
        result=$("$relo" run "$out/$module.a.so" --entry "$(entry "$module")" --signature "$signature" \
            --allow libm.so.6 --allow libc.so.6 --allow "$out/libcallback.so" --resolve "$out/resolve.json" -- "$@")
        case "$result" in
        0*) result=$(echo "$result" | sed -n 's/^out //p' | head -n 1) ;;
        *) result="an exception" ;;
        esac
        printf '   %-16s %-12s = %s\n' "$module" "($*)" "$result"
    done
}
call calls_cos "i32 (out f64, ptr, f64)" 0 1.0
call calls_two "i32 (out f64, ptr, f64, f64)" 0 3.0 4.0
call calls_callback "i32 (out i64, ptr, i64)" 0 -5
call raises "i32 (out i64, out i1, i64)" 7
call raises "i32 (out i64, out i1, i64)" -7
