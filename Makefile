# relo's commands. Each installs what it needs and this machine lacks.

export PATH := $(HOME)/.cargo/bin:$(PATH)

.PHONY: demo test test-julia test-full release setup tools sanitize bench bench-large differential matrix

## compile Numba's code of two sessions, and run it in new processes
demo: setup
	cargo build --release -p relo
	scripts/demo.sh

## everything that has to hold: format, lints, tests, real consumers
test: setup tools
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings
	cargo test --workspace --quiet
	scripts/sanitize.sh

## code of an earlier Julia in a live one, where that Julia can be had
test-julia: setup
	scripts/julia.sh
	cargo test --quiet -p relo --test it live -- --nocapture

## the whole of what `make test` takes samples of: every file of the corpus under every strategy, 200 random programs to link, all
## mutants of the shipped rules
test-full: setup tools
	RELO_FULL=1 cargo test --quiet -p relo -p relo-trial --test it -- builds:: corpora:: link:: mutants_

## the command with LLVM in it, for machines that have none: target/static/release/relo
release: setup
	MLIR_SYS_LINK_SHARED=0 cargo build --release --target-dir target/static -p relo

## the C++ and the edge to it under AddressSanitizer
sanitize: setup
	scripts/sanitize.sh

## PDL and the reference interpreter over 10,000 generated pairs, and over the corpora with every strategy; 70,000 rules at once
differential: setup
	RELO_DIFFERENTIAL=10000 cargo test --quiet -p relo-dialect --test it differential
	RELO_DIFFERENTIAL=10000 cargo test --quiet -p relo --test it interpreter
	RELO_MANY=70000 cargo test --quiet -p relo-dialect --test it many

## 500 generated modules under every strategy, on every machine; every module of the matrix on every target
matrix: setup tools
	RELO_MODULES=500 cargo test --release --quiet -p relo --test it generated
	RELO_MATRIX=all RELO_MODULES=20 cargo test --release --quiet -p relo --test it matrix

## the measurements in benches/README.md
bench: setup
	scripts/bench.sh

## a module of more than 50 MB, beside LLVM's and MLIR's own tools
bench-large: setup
	cargo build --quiet --release -p relo
	benches/large.py target/release/relo 6 12 25 52

setup:
	@scripts/setup.sh

tools: setup
	@scripts/tools.sh
	@scripts/tools-python.sh
