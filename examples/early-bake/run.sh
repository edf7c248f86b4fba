#!/bin/sh
# RELO=relo run.sh FOLDER
set -eu
cd "$(dirname "$0")"
cc -Wall -Wextra -Werror host.c -ldl -o "$1/host"
"$1/host" "$RELO" "${LLVM:-/usr/lib/llvm-22/bin}/llc" "$1"
# What was baked says so: it is this one process's.
grep -q '"portable": false' "$1/program.bc.reloc.json"
