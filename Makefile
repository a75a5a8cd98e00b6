# `make demo` and `make test` need Python 3.11 or newer and make, nothing else:
# each first creates the environment in .venv from the pinned versions.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
CORE := native cpsat milp cnf

.PHONY: demo test test-long bench lint reference picture clean

demo: $(INSTALLED)  ## a real sweep of the four core backends, its tables and its report
	$(BIN)/harness run --dataset seeds named --backend $(CORE) --task solve count --out results/demo
	$(BIN)/harness report results/demo --format markdown --out results/demo/report.md
	@echo "report: results/demo/report.md"
	$(BIN)/harness report results/demo --format html

test: $(INSTALLED)  ## the tests, under 6 minutes on 2 cores
	$(BIN)/python -m pytest -n 2 --dist worksteal

test-long: $(INSTALLED)  ## every test, those that take long too
	$(BIN)/python -m pytest -m "long or not long" --timeout 1800

bench: $(INSTALLED)  ## overhead, fidelity, what formulations are worth, the compiled solver, a report
	$(BIN)/python -m benchmarks.overhead
	$(BIN)/python -m benchmarks.fidelity
	$(BIN)/python -m benchmarks.formulations
	$(BIN)/python -m benchmarks.throughput
	$(BIN)/python -m benchmarks.kernel
	$(BIN)/python -m benchmarks.report
	$(BIN)/python -m benchmarks.page

lint: $(INSTALLED)  ## style, types and the one-way rooms
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

reference: $(INSTALLED)  ## the run that is kept in git, made anew, and the pictures of it
	rm -rf build/reference
	$(BIN)/harness run --dataset seeds named transition --backend $(CORE) --start cold warm --repeat 3 --timeout 5 --out build/reference
	rm -rf results/reference
	$(BIN)/harness export build/reference --anonymize --out results/reference
	$(MAKE) picture

picture: $(INSTALLED)  ## the pictures in the README, from the reference run
	$(BIN)/python docs/picture.py results/reference docs

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache

$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $(INSTALLED)
