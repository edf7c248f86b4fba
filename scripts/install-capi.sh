#!/bin/sh
# Installs relo's C API into a folder: header, shared and static library, pkg-config file.
#   scripts/install-capi.sh PREFIX [CARGO ARGUMENTS, as in --profile dev]
set -eu
mkdir -p "$1"
prefix=$(cd "$1" && pwd)
shift
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- --profile release

# Cargo says where it put them; the last word on it is the libraries' own.
files=$(cargo build --quiet --package relo-capi --message-format json "$@" |
    sed -n '/"name":"relo"/s/.*"filenames":\[\([^]]*\)\].*/\1/p' | tr -d '"' | tr ',' '\n')
mkdir -p "$prefix/include" "$prefix/lib/pkgconfig"
cp capi/include/relo.h "$prefix/include/"
for file in $files; do
    case $file in
    *.a) cp "$file" "$prefix/lib/librelo.a" ;;
    *.so) cp "$file" "$prefix/lib/librelo.so.1" ;;
    esac
done
ln -sf librelo.so.1 "$prefix/lib/librelo.so"
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
sed -e "s|@PREFIX@|$prefix|" -e "s|@VERSION@|$version|" capi/relo.pc.in >"$prefix/lib/pkgconfig/relo.pc"
