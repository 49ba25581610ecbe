# make check   everything: formatting, lints, tests, documentation (installs the Python packages the tests compare with)
# make quick   the everyday tests: no real Python, no large data sets
# make demo    the main job on the embedded data

PYTHON ?= python3
VENV := .venv
export GAGE_PYTHON := $(abspath $(VENV)/bin/python)
export RUSTDOCFLAGS := -D warnings
# Tests are built once, with every optional format; the plain build is linted, too.
FEATURES := gage-cli/parquet

.PHONY: check quick demo format lint test doc clean

check: format lint test doc

format:
	cargo fmt --all --check

lint:
	cargo clippy --workspace --all-targets --features $(FEATURES) -- -D warnings
	cargo clippy --workspace -- -D warnings

test: $(VENV)/ready
	cargo test --workspace --features $(FEATURES)

quick:
	cargo test --workspace --lib
	cargo test -p gage-embed --test engine -- planted degenerate cancel layers dimension::the_smallest model_file

doc:
	cargo doc --workspace --no-deps

demo:
	cargo run --release -- demo

# Real NumPy, SciPy and scikit-learn, to agree with and to exchange files with.
$(VENV)/ready: requirements-test.txt
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-test.txt
	touch $@

clean:
	cargo clean
	rm -rf $(VENV)
