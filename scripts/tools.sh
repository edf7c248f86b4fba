#!/bin/sh
# Puts the proprietary tools that the tests try artifacts with into target/tools: nothing of them is shipped.
set -eu
cd "$(dirname "$0")/.."

tools=target/tools
[ -e "$tools/ptxas" ] && exit 0
mkdir -p "$tools"
python3 -m venv "$tools/venv"
"$tools/venv/bin/pip" install --quiet --no-deps nvidia-cuda-nvcc
ln -sf "$(find "$PWD/$tools/venv" -name ptxas -type f | head -n 1)" "$tools/ptxas"
