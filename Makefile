# `make demo` and `make test` need Python 3.11 or newer and make. Both create the
# environment in .venv from pinned versions first.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
DOCS_INSTALLED := $(VENV)/.installed-docs
CORE := native cpsat milp cnf

.PHONY: demo test test-long bench lint docs reference images docs-tables clean

demo: $(INSTALLED)  ## run the four core backends, print the tables, write the report
	$(BIN)/harness run --dataset seeds named --backend $(CORE) --task solve count --out results/demo
	$(BIN)/harness report results/demo --format markdown --out results/demo/report.md
	@echo "report: results/demo/report.md"
	$(BIN)/harness report results/demo --format html

test: $(INSTALLED)  ## run the tests; under 5 minutes on 2 cores
	$(BIN)/python -m pytest -n 2 --dist worksteal

test-long: $(INSTALLED)  ## run all tests, including those marked long
	$(BIN)/python -m pytest -m "long or not long" --timeout 1800

bench: $(INSTALLED)  ## measure overhead, fidelity, formulations, the compiled solver and reports
	$(BIN)/python -m benchmarks.overhead
	$(BIN)/python -m benchmarks.fidelity
	$(BIN)/python -m benchmarks.formulations
	$(BIN)/python -m benchmarks.throughput
	$(BIN)/python -m benchmarks.kernel
	$(BIN)/python -m benchmarks.report
	$(BIN)/python -m benchmarks.page
	$(BIN)/python -m benchmarks.trend

lint: $(INSTALLED)  ## check style, types, the import rules and the vocabulary
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q tests/test_architecture.py tests/test_vocabulary.py

docs: $(DOCS_INSTALLED)  ## build the documentation site, build/site/index.html; warnings are errors
	rm -rf build/site build/doctrees
	$(BIN)/python -m sphinx -q -W --keep-going -c docs -d build/doctrees . build/site
	@echo "site: build/site/index.html"

reference: $(INSTALLED)  ## repeat the reference run and update the images of the README
	rm -rf build/reference
	$(BIN)/harness run --dataset seeds named transition --backend $(CORE) --start cold warm --repeat 3 --timeout 5 --out build/reference
	rm -rf results/reference
	$(BIN)/harness export build/reference --anonymize --out results/reference
	$(MAKE) images

images: $(INSTALLED)  ## draw the images of the README from the reference run
	$(BIN)/python docs/readme_images.py results/reference docs

docs-tables: $(INSTALLED)  ## generate docs/columns.md, docs/measures.md and docs/machine-output.md
	$(BIN)/python docs/columns.py
	$(BIN)/python docs/measures.py
	$(BIN)/python docs/machine_output.py

clean:  ## delete the environment and everything generated
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache

$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is required: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $(INSTALLED)

$(DOCS_INSTALLED): $(INSTALLED)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[docs]'
	@touch $(DOCS_INSTALLED)
