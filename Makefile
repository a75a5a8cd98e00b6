# `make demo` and `make test` need Python 3.11 or newer and make, nothing else:
# each first creates the environment in .venv from the pinned versions.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
CORE := native cpsat milp cnf

.PHONY: demo test test-long bench lint picture clean

demo: $(INSTALLED)  ## a real sweep of the four core backends, its tables and its report
	$(BIN)/harness run --dataset seeds named --backend $(CORE) --task solve count --out results/demo
	$(BIN)/harness report results/demo --format markdown --out results/demo/report.md
	@echo "report: results/demo/report.md"

test: $(INSTALLED)  ## the tests, under 6 minutes on 2 cores
	$(BIN)/python -m pytest

test-long: $(INSTALLED)  ## every test, those that take long too
	$(BIN)/python -m pytest -m "long or not long" --timeout 1800

bench: $(INSTALLED)  ## overhead, fidelity, what formulations are worth, the compiled solver, a report
	$(BIN)/python -m benchmarks.overhead
	$(BIN)/python -m benchmarks.fidelity
	$(BIN)/python -m benchmarks.formulations
	$(BIN)/python -m benchmarks.throughput
	$(BIN)/python -m benchmarks.kernel
	$(BIN)/python -m benchmarks.report

lint: $(INSTALLED)  ## style, types and the one-way rooms
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

picture: demo  ## the picture in the README, from the demo's results
	$(BIN)/python docs/picture.py results/demo docs/demo.svg

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache

$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $(INSTALLED)
