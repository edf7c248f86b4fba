#!/bin/sh
# Unpacks Julia 1.5.3, as Debian 11 has it, into target/julia, and installs nothing. Where it can't be had, says so.
set -eu
cd "$(dirname "$0")/.."

folder=$PWD/target/julia
[ -e "$folder/.done" ] && exit 0
rm -rf "$folder"
unpack() {
    mkdir -p "$folder/apt/lists/partial" "$folder/apt/archives/partial" "$folder/root"
    : >"$folder/apt/status"
    site=$(apt-get indextargets --no-release-info --format '$(REPO_URI)' | grep '/debian/$' | head -n 1)
    keys=/usr/share/keyrings/debian-archive-keyring.gpg
    echo "deb [signed-by=$keys] $site bullseye main" >"$folder/apt/sources.list"
    cat >"$folder/apt/conf" <<CONF
Dir::Etc::sourcelist "$folder/apt/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Dir::State "$folder/apt";
Dir::State::status "$folder/apt/status";
Dir::Cache "$folder/apt";
APT::Install-Recommends "false";
CONF
    export APT_CONFIG="$folder/apt/conf"
    apt-get update -qq &&
        # Nothing counts as installed, so that everything that Julia needs comes along.
        apt-get install -y -qq --download-only julia libopenblas0-pthread libcholmod3 libumfpack5 libspqr2 libarpack2 \
            libsuitesparseconfig5 >/dev/null || return 1
    for package in "$folder"/apt/archives/*.deb; do
        dpkg -x "$package" "$folder/root" || return 1
    done
    rm -rf "$folder/apt"
    LD_LIBRARY_PATH="$folder/root/usr/lib/x86_64-linux-gnu" "$folder/root/usr/bin/julia" --startup-file=no \
        -e 'VERSION == v"1.5.3" || exit(1)'
}
if [ "$(uname -m)" = x86_64 ] && unpack >"$PWD/target/julia.log" 2>&1; then
    touch "$folder/.done"
else
    echo "Julia 1.5.3 can't be had here (target/julia.log says why): its tests are skipped"
    rm -rf "$folder"
fi
