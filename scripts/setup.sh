#!/bin/sh
# Installs what building and testing relo need and this machine lacks: Debian 12 or 13, as root or with sudo.
set -eu
cd "$(dirname "$0")/.."

packages="g++ make git curl ca-certificates python3 python3-venv
  llvm-22-dev libmlir-22-dev mlir-22-tools clang-22 libclang-22-dev libpolly-22-dev liblld-22-dev
  libclang-rt-22-dev zlib1g-dev libzstd-dev"
missing=""
for package in $packages; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q "ok installed" || missing="$missing $package"
done
if [ -n "$missing" ]; then
    echo "installing:$missing"
    sudo=""
    [ "$(id -u)" = 0 ] || sudo="sudo"
    $sudo apt-get update -qq
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null
fi

PATH="$HOME/.cargo/bin:$PATH"
if ! command -v cargo >/dev/null 2>&1; then
    echo "installing Rust"
    curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y --profile minimal -c rustfmt -c clippy
fi

# A minimal toolchain may lack what `make test` checks with.
if command -v rustup >/dev/null 2>&1; then
    cargo fmt --version >/dev/null 2>&1 || rustup component add rustfmt
    cargo clippy --version >/dev/null 2>&1 || rustup component add clippy
fi
