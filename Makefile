# make check   everything: formatting, lints, tests, documentation, the Python package
# make quick   the everyday tests: no real Python, no large data sets
# make python  the Python package: builds the wheel, installs it into an environment of its own and
#              tests it there; it installs the Python packages that the tests use
# make python-torch   the part of it that needs PyTorch; with GAGE_INSTALL_TORCH=yes it installs
#              Debian's packages of it, if it is run by root
# make release-wheel  the wheel for others, in target/wheels: optimised, manylinux_2_28
# make explorer-tests   the page of `gage explore` in a real browser; with
#              GAGE_INSTALL_CHROMIUM=yes it installs Debian's, if it is run by root
# make notebook-tests   the same page in a real JupyterLab, in an environment of its own
# make mpi     fits over MPI: builds gage-mpi and runs its tests under mpirun; with
#              GAGE_INSTALL_MPI=yes it installs Debian's OpenMPI, if it is run by root
# make book    the documentation as a book, in target/book; broken links are an error
# make demo    the main job on the embedded data

PYTHON ?= python3
PYENV := python-env
export GAGE_PYTHON := $(abspath $(PYENV)/bin/python)
export RUSTDOCFLAGS := -D warnings

# One set of features for lints, tests, wheel and documentation, so that dependencies are built
# once: every optional format, and what `shared-build` of gage-py names. The plain build is linted,
# too. scripts/check_features.py notices when the sets drift apart.
WHEEL := extension-module,parquet,shared-build
FEATURES := gage-cli/parquet,gage-py/extension-module,gage-py/parquet,gage-py/shared-build
PLAIN := gage-py/extension-module,gage-py/shared-build

# nextest runs the tests of all binaries side by side; cargo's own runner does without it.
NEXTEST := $(shell cargo nextest --version >/dev/null 2>&1 && echo yes)
RUNNER := $(if $(NEXTEST),nextest run --no-fail-fast,test --all-targets)

.PHONY: check quick demo format lint test doc links book clean
.PHONY: python-oldest explorer-tests notebook-tests lab-tests mpi
.PHONY: python python-torch python-types python-minimal python-tests torch-tests environments
.PHONY: wheel release-wheel

# Packages are fetched while the compiler works.
check:
	$(MAKE) --no-print-directory format
	$(MAKE) --no-print-directory --jobs=2 environments lint
	$(MAKE) --no-print-directory test doc book python explorer-tests mpi

format:
	cargo fmt --all --check
	$(PYTHON) scripts/check_style.py --strict
	$(PYTHON) scripts/check_features.py $(WHEEL) $(FEATURES)

lint:
	cargo clippy --workspace --all-targets --features $(FEATURES) -- -D warnings
	cargo clippy --workspace --features $(PLAIN) -- -D warnings

test: $(PYENV)/ready
	cargo $(RUNNER) --workspace --features $(FEATURES)
	cargo test --workspace --features $(FEATURES) --doc
	$(PYENV)/bin/python -m unittest discover -s bench/tests

# Both commands select the same crates, so that nothing is built twice.
ENGINE := $(addprefix -p gage-,linalg core io eval search embed)
QUICK := planted degenerate cancel layers dimension::the_smallest dimension::one_column model_file
quick:
	cargo test $(ENGINE) --lib
	cargo test $(ENGINE) --test engine -- $(QUICK)

doc:
	cargo doc --workspace --no-deps --features $(FEATURES)

links:
	$(PYTHON) scripts/check_links.py

# mdBook without its server and search, installed beside the build if the system has none.
MDBOOK := target/tools/bin/mdbook

book: links
	@command -v $(MDBOOK) >/dev/null || cargo install --quiet --debug mdbook --version 0.4.52 \
		--locked --no-default-features --root target/tools
	$(MDBOOK) build docs

demo:
	cargo run --release -- demo

# The wheel is of the profile and features of the tests, so that only its last step is left to
# build; `maturin build --release` is for users.
WHEELS := target/wheels-test
PIP := -m pip install --quiet --disable-pip-version-check

wheel: $(PYENV)/ready
	rm -rf $(WHEELS)
	$(PYENV)/bin/maturin build --quiet --profile dev --features $(WHEEL) --out $(WHEELS)

# The wheel for everybody: optimised, and for the glibc of 2018 and later, which needs the linker of
# Zig (`pip install ziglang`).
RELEASE_WHEELS := target/wheels

release-wheel: $(PYENV)/ready
	$(PYENV)/bin/python $(PIP) ziglang
	PATH="$(abspath $(PYENV)/bin):$$PATH" maturin build --release --zig \
		--compatibility manylinux_2_28 --out $(RELEASE_WHEELS)

python: wheel
	$(PYENV)/bin/python $(PIP) --force-reinstall --no-deps $(WHEELS)/*.whl
	$(PYENV)/minimal/bin/python $(PIP) --force-reinstall --no-deps $(WHEELS)/*.whl
	$(PYENV)/oldest/bin/python $(PIP) --force-reinstall --no-deps $(WHEELS)/*.whl
	cargo build --quiet --workspace --features $(FEATURES) --bin gage
	$(MAKE) --no-print-directory --jobs=2 python-types python-minimal python-oldest python-tests \
		torch-tests lab-tests

python-types:
	$(PYENV)/bin/mypy

python-minimal:
	$(PYENV)/minimal/bin/python crates/gage-py/tests/only_numpy.py

# The oldest scikit-learn that the package declares; and AnnData, which wants an older pandas.
python-oldest:
	$(PYENV)/oldest/bin/python -m pytest -k "not frames" \
		crates/gage-py/tests/test_sklearn.py crates/gage-py/tests/test_anndata.py

python-tests:
	$(PYENV)/bin/python -m pytest --pyargs gage_embed --doctest-modules -W error
	GAGE_CLI=$(abspath target/debug/gage) $(PYENV)/bin/python -m pytest crates/gage-py/tests

# Real PyTorch Geometric and DGL over Debian's PyTorch, which is small because it has no CUDA.
# Debian's packages are installed with GAGE_INSTALL_TORCH=yes and in CI only. Without PyTorch these
# tests are left out, loudly; in CI that is a failure.
TORCH_PYTHON ?= /usr/bin/python3

python-torch: wheel torch-tests

torch-tests:
	@if scripts/find_torch.sh $(TORCH_PYTHON); then \
		$(MAKE) --no-print-directory $(PYENV)/torch/ready && \
		$(PYENV)/torch/bin/python $(PIP) --force-reinstall --no-deps $(WHEELS)/*.whl && \
		$(PYENV)/torch/bin/python -m pytest crates/gage-py/tests/pytorch; \
	elif [ "$$CI" = true ]; then \
		echo "FAILED: no PyTorch, so PyTorch Geometric cannot be tested" >&2; exit 1; \
	else \
		echo "NOT TESTED: no PyTorch, so the tests with PyTorch Geometric were left out" >&2; \
	fi

$(PYENV)/torch/ready: requirements-torch.txt $(PYENV)/ready
	rm -rf $(PYENV)/torch
	$(TORCH_PYTHON) -m venv --system-site-packages $(PYENV)/torch
	$(PYENV)/torch/bin/python $(PIP) --no-deps -r requirements-torch.txt
	touch $@

# Debian's browser is installed with GAGE_INSTALL_CHROMIUM=yes and in CI only. Without one these
# tests are left out, loudly; in CI that is a failure.
explorer-tests: $(PYENV)/ready
	cargo build --quiet --workspace --features $(FEATURES) --bin gage
	@if scripts/find_chromium.sh; then \
		GAGE_CLI=$(abspath target/debug/gage) $(PYENV)/bin/python -m pytest -p no:cacheprovider \
			crates/gage-explorer/tests/browser; \
	elif [ "$$CI" = true ]; then \
		echo "FAILED: no Chromium, so the page of gage explore cannot be tested" >&2; exit 1; \
	else \
		echo "NOT TESTED: no Chromium, so the page of gage explore was not tested" >&2; \
	fi

# JupyterLab with the page of `model.explore()` in its notebooks, as it is installed by users.
notebook-tests: wheel lab-tests

lab-tests:
	@if scripts/find_chromium.sh; then \
		$(MAKE) --no-print-directory $(PYENV)/notebook/ready && \
		$(PYENV)/notebook/bin/python $(PIP) --force-reinstall --no-deps $(WHEELS)/*.whl && \
		$(PYENV)/notebook/bin/python -m pytest -p no:cacheprovider \
			crates/gage-explorer/tests/notebook; \
	elif [ "$$CI" = true ]; then \
		echo "FAILED: no Chromium, so the explorer in JupyterLab cannot be tested" >&2; exit 1; \
	else \
		echo "NOT TESTED: no Chromium, so the explorer in JupyterLab was not tested" >&2; \
	fi

$(PYENV)/notebook/ready: requirements-notebook.txt
	rm -rf $(PYENV)/notebook
	$(PYTHON) -m venv $(PYENV)/notebook
	$(PYENV)/notebook/bin/python $(PIP) -r requirements-notebook.txt
	touch $@

# gage-mpi is a workspace of its own that shares the folder of built dependencies. Without an MPI
# its tests are left out, loudly; in CI that is a failure.
MPI := CARGO_TARGET_DIR=$(abspath target) cargo
mpi:
	@if scripts/find_mpi.sh; then \
		cd crates/gage-mpi && cargo fmt --check && \
		$(MPI) clippy --all-targets -- -D warnings && $(MPI) test; \
	elif [ "$$CI" = true ]; then \
		echo "FAILED: no MPI, so gage-mpi cannot be tested" >&2; exit 1; \
	else \
		echo "NOT TESTED: no MPI, so gage-mpi was not built" >&2; \
	fi

environments: $(PYENV)/ready

# One environment with everything the package can make use of, one with NumPy alone, and one with
# the oldest scikit-learn.
$(PYENV)/ready: requirements-python.txt requirements-oldest.txt
	rm -rf $(PYENV)
	$(PYTHON) -m venv $(PYENV)
	$(PYENV)/bin/python $(PIP) -r requirements-python.txt
	$(PYTHON) -m venv $(PYENV)/minimal
	$(PYENV)/minimal/bin/python $(PIP) numpy==2.4.6
	$(PYTHON) -m venv $(PYENV)/oldest
	$(PYENV)/oldest/bin/python $(PIP) -r requirements-oldest.txt
	touch $@

clean:
	cargo clean
	rm -rf $(PYENV)
