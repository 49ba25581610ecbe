# make check   everything: formatting, lints, tests, documentation (installs the Python packages the
# tests compare with) make python  the Python package: builds the wheel, installs it into an
# environment of its own, tests it there make python-torch   the part of it that needs PyTorch,
# which it installs if it may make quick   the everyday tests: no real Python, no large data sets
# make book    the documentation as a book, in target/book; broken links are an error
# make demo    the main job on the embedded data

PYTHON ?= python3
VENV := .venv
export GAGE_PYTHON := $(abspath $(VENV)/bin/python)
export RUSTDOCFLAGS := -D warnings
# Tests are built once, with every optional format; the plain build is linted, too.
FEATURES := gage-cli/parquet

# nextest runs the tests of all binaries side by side; where it is not installed, cargo's own runner
# does.
RUNNER := $(shell cargo nextest --version >/dev/null 2>&1 && echo nextest run --no-fail-fast || echo test --all-targets)

.PHONY: check quick demo format lint test doc links book python python-torch wheel clean

check: format lint test doc book python

format:
	cargo fmt --all --check
	$(PYTHON) scripts/check_style.py

lint:
	cargo clippy --workspace --all-targets --features $(FEATURES) -- -D warnings
	cargo clippy --workspace -- -D warnings

test: $(VENV)/ready
	cargo $(RUNNER) --workspace --exclude gage-py --features $(FEATURES)
	cargo test --workspace --exclude gage-py --features $(FEATURES) --doc
	$(VENV)/bin/python -m unittest discover -s bench/tests

quick:
	cargo test --workspace --exclude gage-py --lib
	cargo test -p gage-embed --test engine -- planted degenerate cancel layers dimension::the_smallest model_file

doc:
	cargo doc --workspace --no-deps

links:
	$(PYTHON) scripts/check_links.py

# mdBook without its server and search, installed beside the build if the system has none.
MDBOOK := target/tools/bin/mdbook

book: links
	@command -v $(MDBOOK) >/dev/null || cargo install --quiet mdbook --version 0.4.52 --locked \
		--no-default-features --root target/tools
	$(MDBOOK) build docs

demo:
	cargo run --release -- demo

# The wheel is of the profile of the tests, so that most of it is built already;
# `maturin build --release` is for users.
PYENV := python-env
WHEELS := target/wheels-test
PIP := -m pip install --quiet --disable-pip-version-check

wheel: $(PYENV)/ready
	rm -rf $(WHEELS)
	$(PYENV)/bin/maturin build --quiet --profile dev --out $(WHEELS)

python: wheel python-torch
	$(PYENV)/bin/python $(PIP) --force-reinstall --no-deps $(WHEELS)/*.whl
	$(PYENV)/minimal/bin/python $(PIP) --force-reinstall --no-deps $(WHEELS)/*.whl
	cargo build --quiet -p gage-cli --features $(FEATURES)
	$(PYENV)/bin/mypy
	$(PYENV)/minimal/bin/python crates/gage-py/tests/only_numpy.py
	$(PYENV)/bin/python -m pytest --pyargs gage_embed --doctest-modules -W error
	GAGE_CLI=$(abspath target/debug/gage) $(PYENV)/bin/python -m pytest crates/gage-py/tests

# Real PyTorch Geometric over Debian's PyTorch, which is small because it has no CUDA. Where it
# cannot be had, these tests are left out, loudly; in CI that is a failure.
TORCH_PYTHON ?= /usr/bin/python3

python-torch: wheel
	@if scripts/find_torch.sh $(TORCH_PYTHON); then \
		$(MAKE) --no-print-directory $(PYENV)/torch/ready && \
		$(PYENV)/torch/bin/python $(PIP) --force-reinstall --no-deps $(WHEELS)/*.whl && \
		$(PYENV)/torch/bin/python -m pytest crates/gage-py/tests/pytorch; \
	elif [ "$$CI" = true ]; then \
		echo "FAILED: no PyTorch, so Data and HeteroData of PyTorch Geometric cannot be tested" >&2; exit 1; \
	else \
		echo "NOT TESTED: no PyTorch, so the tests with real Data and HeteroData of PyTorch Geometric were left out" >&2; \
	fi

$(PYENV)/torch/ready: requirements-torch.txt $(PYENV)/ready
	rm -rf $(PYENV)/torch
	$(TORCH_PYTHON) -m venv --system-site-packages $(PYENV)/torch
	$(PYENV)/torch/bin/python $(PIP) --no-deps -r requirements-torch.txt
	touch $@

# One environment with everything the package can make use of, and one with NumPy alone.
$(PYENV)/ready: requirements-python.txt
	rm -rf $(PYENV)
	$(PYTHON) -m venv $(PYENV)
	$(PYENV)/bin/python $(PIP) -r requirements-python.txt
	$(PYTHON) -m venv $(PYENV)/minimal
	$(PYENV)/minimal/bin/python $(PIP) numpy==2.4.6
	touch $@

# Real NumPy, SciPy and scikit-learn, to agree with and to exchange files with.
$(VENV)/ready: requirements-test.txt
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python $(PIP) -r requirements-test.txt
	touch $@

clean:
	cargo clean
	rm -rf $(VENV) $(PYENV)
