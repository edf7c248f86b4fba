#!/bin/sh
# Makes target/tools/python, a virtual environment with what the Python package is built and tested with.
set -eu
cd "$(dirname "$0")/.."

venv=$PWD/target/tools/python
done="$venv/.done-1"
[ -e "$done" ] && exit 0
rm -rf "$venv"
python3 -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check maturin==1.16.0 mypy==2.4.1 numba==0.68.1
touch "$done"
