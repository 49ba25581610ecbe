# make check   everything: formatting, lints, tests, documentation (installs the Python packages the tests compare with)
# make python  the Python package: builds the wheel, installs it into an environment of its own, tests it there
# make quick   the everyday tests: no real Python, no large data sets
# make demo    the main job on the embedded data

PYTHON ?= python3
VENV := .venv
export GAGE_PYTHON := $(abspath $(VENV)/bin/python)
export RUSTDOCFLAGS := -D warnings
# Tests are built once, with every optional format; the plain build is linted, too.
FEATURES := gage-cli/parquet

.PHONY: check quick demo format lint test doc python clean

check: format lint test doc python

format:
	cargo fmt --all --check

lint:
	cargo clippy --workspace --all-targets --features $(FEATURES) -- -D warnings
	cargo clippy --workspace -- -D warnings

test: $(VENV)/ready
	cargo test --workspace --exclude gage-py --features $(FEATURES)
	$(VENV)/bin/python -m unittest discover -s bench/tests

quick:
	cargo test --workspace --exclude gage-py --lib
	cargo test -p gage-embed --test engine -- planted degenerate cancel layers dimension::the_smallest model_file

doc:
	cargo doc --workspace --no-deps

demo:
	cargo run --release -- demo

# The wheel is of the profile of the tests, so that most of it is built already; `maturin build --release` is for users.
PYENV := python-env
WHEELS := target/wheels-test

python: $(PYENV)/ready
	rm -rf $(WHEELS)
	$(PYENV)/bin/maturin build --quiet --profile dev --out $(WHEELS)
	$(PYENV)/bin/python -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps $(WHEELS)/*.whl
	$(PYENV)/minimal/bin/python -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps $(WHEELS)/*.whl
	cargo build --quiet -p gage-cli --features $(FEATURES)
	$(PYENV)/bin/mypy
	$(PYENV)/minimal/bin/python crates/gage-py/tests/only_numpy.py
	$(PYENV)/bin/python -m pytest --pyargs gage_embed --doctest-modules -W error
	GAGE_CLI=$(abspath target/debug/gage) $(PYENV)/bin/python -m pytest crates/gage-py/tests

# One environment with everything the package can make use of, and one with NumPy alone.
$(PYENV)/ready: requirements-python.txt
	rm -rf $(PYENV)
	$(PYTHON) -m venv $(PYENV)
	$(PYENV)/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-python.txt
	$(PYTHON) -m venv $(PYENV)/minimal
	$(PYENV)/minimal/bin/python -m pip install --quiet --disable-pip-version-check numpy==2.4.6
	touch $@

# Real NumPy, SciPy and scikit-learn, to agree with and to exchange files with.
$(VENV)/ready: requirements-test.txt
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-test.txt
	touch $@

clean:
	cargo clean
	rm -rf $(VENV) $(PYENV)
