# relo's commands. Each installs what it needs and this machine lacks.

export PATH := $(HOME)/.cargo/bin:$(PATH)

.PHONY: demo test test-julia release setup tools sanitize bench differential

## compile Numba's code of two sessions, and run it in new processes
demo: setup
	cargo build --quiet --release -p relo
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

## the command with LLVM in it, for machines that have none: target/static/release/relo
release: setup
	MLIR_SYS_LINK_SHARED=0 cargo build --release --target-dir target/static -p relo

## the C++ and the edge to it under AddressSanitizer
sanitize: setup
	scripts/sanitize.sh

## PDL and the reference interpreter over 10,000 generated pairs, and over the corpora with every strategy
differential: setup
	RELO_DIFFERENTIAL=10000 cargo test --quiet -p relo-dialect --test it differential
	RELO_DIFFERENTIAL=10000 cargo test --quiet -p relo --test it interpreter

## the measurements in benches/README.md
bench: setup
	scripts/bench.sh

setup:
	@scripts/setup.sh

tools: setup
	@scripts/tools.sh
