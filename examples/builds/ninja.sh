#!/bin/sh
# Builds with Ninja, and again after changes: what did not change is not compiled. RELO=relo ninja.sh FOLDER
set -eu
out=$1/ninja
mkdir -p "$out"
cp -r "$(dirname "$0")"/* "$out"
cd "$out"
PATH=$(dirname "$RELO"):$PATH
build() {
    printf '%s:\n' "$1"
    ${NINJA:-ninja} | sed -n 's/^\[[^]]*\] /  /p' | sort
}
build "the first time"
build "nothing has changed"
echo >>count.session.json
build "a session table has changed"
echo >>mine/lift.relo
build "a rule has changed"
