# `make demo` and `make test` need Python 3.11 or newer and make. Both create the
# environment in .venv from pinned versions first.

SHELL := bash
# Tests and runs start many processes; without bytecode each would compile the harness again.
unexport PYTHONDONTWRITEBYTECODE
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
BASE_INSTALLED := $(VENV)/.installed-base
INSTALLED := $(VENV)/.installed
DOCS_INSTALLED := $(VENV)/.installed-docs
# Not in $(VENV): two of the solvers install a package named `tests`, which would hide ours.
SOLVERS := build/solvers
SOLVERS_INSTALLED := $(SOLVERS)/.installed
# Python compiles a module when it is first imported; all at once would take a third of the time
# to the first table.
PIP_INSTALL := $(BIN)/python -m pip install --disable-pip-version-check --progress-bar off --no-compile -c constraints.txt
CORE := native cpsat milp cnf
DEMO := results/demo

.PHONY: demo next-steps test test-long test-programs test-solvers fuzz workbench-images mutants bench lint docs reference images phase raters inference certificates clean

demo: $(BASE_INSTALLED)  ## run the four core backends, print the answer, write a page with charts
	$(BIN)/harness demo --out $(DEMO)
	@$(MAKE) --no-print-directory next-steps

next-steps:
	@echo
	@echo "Next, in this folder:"
	@echo "  source $(BIN)/activate"
	@echo "  harness report $(DEMO)"
	@echo "  harness solve named/rustoku_all_3"
	@echo "  harness --help"

# Three processes for two cores, as some tests wait.
test: $(INSTALLED)  ## run the tests, without those marked long
	$(BIN)/python -m pytest -n 3 --dist worksteal

test-long: $(INSTALLED)  ## run all tests, including those marked long
	$(BIN)/python -m pytest -m "long or not long" --timeout 1800

test-programs: $(INSTALLED)  ## the long tests that drive Chromium and Slurm; three minutes
	$(BIN)/python -m pytest -n 2 -m long tests/extensions/workbench tests/report tests/extensions/cluster -k "browser or accessibility or sweep_is_started or on_a_node"

test-solvers: $(SOLVERS_INSTALLED)  ## examine every optional backend, and run the tests that need their libraries
	$(SOLVERS)/bin/python -m pytest -n 3 --dist worksteal --timeout 600 -m solvers

fuzz: $(INSTALLED)  ## a million random trials of the core backends; half an hour
	$(BIN)/python -m benchmarks.fuzzing

mutants: $(INSTALLED)  ## the share of a sample of faults planted in the harness that the tests catch; an hour
	$(BIN)/python -m tests.mutation

bench: $(INSTALLED)  ## measure overhead, noise, fidelity, formulations, the compiled solver and reports
	$(BIN)/python -m benchmarks.overhead
	$(BIN)/python -m benchmarks.programs
	$(BIN)/python -m benchmarks.noise 10
	$(BIN)/python -m benchmarks.fidelity
	$(BIN)/python -m benchmarks.formulations
	$(BIN)/python -m benchmarks.throughput
	$(BIN)/python -m benchmarks.kernel
	$(BIN)/python -m benchmarks.shapes
	$(BIN)/python -m benchmarks.single_calls
	$(BIN)/python -m benchmarks.start
	$(BIN)/python -m benchmarks.generation
	$(BIN)/python -m benchmarks.report
	$(BIN)/python -m benchmarks.page
	$(BIN)/python -m benchmarks.trend
	$(BIN)/python -m benchmarks.formats
	$(BIN)/python -m benchmarks.workbench

lint: $(INSTALLED)  ## check style, types, the import rules and the vocabulary
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q tests/test_architecture.py tests/test_vocabulary.py

docs: $(DOCS_INSTALLED)  ## build the documentation site and run its commands and blocks
	rm -rf build/site build/doctrees build/jupyter_execute
	$(BIN)/python -m sphinx -q -W --keep-going -c docs -d build/doctrees . build/site
	SITE=build/site $(BIN)/python -m pytest -q -n 2 --dist worksteal tests/docs
	@echo "site: build/site/index.html"

reference: $(INSTALLED)  ## repeat the reference run and update the images of the README
	rm -rf build/reference
	$(BIN)/harness run --dataset seeds named transition --backend $(CORE) --start cold warm --repeat 3 --timeout 5 --out build/reference
	rm -rf results/reference
	$(BIN)/harness export build/reference --anonymize --out results/reference
	$(MAKE) images

images: $(INSTALLED)  ## draw the images of the README from the reference run
	$(BIN)/python docs/readme_images.py results/reference docs

workbench-images: $(INSTALLED)  ## make the screenshots of the workbench
	$(BIN)/python -m docs.workbench_images

phase: $(INSTALLED)  ## measure the phase transition of order 5 and update its image
	rm -rf build/phase
	$(BIN)/harness run docs/phase-transition.toml --out build/phase
	$(BIN)/harness charts build/phase --chart density --out build/phase/charts --width 7
	sed 's/[ \t]*$$//' build/phase/charts/*.svg > docs/phase-transition.svg

raters: $(INSTALLED)  ## measure how far raters agree and update its record; COLLECTIONS names two files
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[raters]'
	$(BIN)/python -m benchmarks.raters $(COLLECTIONS)

inference: $(INSTALLED)  ## count nodes at three levels of inference and update its record; COLLECTIONS names two files
	$(BIN)/python -m benchmarks.inference $(COLLECTIONS)

certificates: $(INSTALLED)  ## prove the claims of two collections, mutate proofs and update their records; COLLECTIONS names two files
	$(BIN)/python -m benchmarks.certificates $(COLLECTIONS)

clean:  ## delete the environment and everything generated, except results
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache

$(BASE_INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is required: make PYTHON=python3.11")'
	@echo "Installing the harness and its four core backends into $(VENV): 0.7 GB"
	@$(PYTHON) -m venv $(VENV)
	@set -o pipefail; $(PIP_INSTALL) -e . | $(BIN)/python .ci/in_place.py
	@touch $(BASE_INSTALLED)
	@echo "Installed."

$(INSTALLED): $(BASE_INSTALLED)
	@echo "Installing further solvers, tests and tools into $(VENV): 1 GB more"
	@set -o pipefail; $(PIP_INSTALL) -e '.[dev]' | $(BIN)/python .ci/in_place.py
	@touch $(INSTALLED)
	@echo "Installed."

$(DOCS_INSTALLED): $(INSTALLED)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[docs]'
	@touch $(DOCS_INSTALLED)

$(SOLVERS_INSTALLED): $(INSTALLED)
	@echo "Installing all solvers, tests and tools into $(SOLVERS): 2 GB"
	@$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(SOLVERS)
	$(BIN)/uv pip install --quiet --python $(SOLVERS)/bin/python -c constraints.txt -e '.[dev,solvers,licensed]'
	@# Numba compiles xcover here once, in place of once in each process of the tests.
	@$(SOLVERS)/bin/harness solve seeds/seed000 --backend xcover > /dev/null
	@touch $(SOLVERS_INSTALLED)
