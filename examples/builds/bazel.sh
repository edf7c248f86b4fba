#!/bin/sh
# Builds with Bazel, whose sandbox has nothing but the declared inputs, and no network. RELO=relo bazel.sh FOLDER
set -eu
out=$1/bazel
mkdir -p "$out/bin"
cp -r "$(dirname "$0")"/* "$out"
ln -sf "$RELO" "$out/bin/relo"
cd "$out"
bazel --batch --output_user_root="$1/bazel-root" build --color=no --noshow_progress //... >"$1/bazel.log" 2>&1 || {
    cat "$1/bazel.log"
    exit 1
}
ls bazel-bin | grep '\.so'
