# unnerve. `make help` lists the targets; each does its own set-up on a fresh machine with Python 3.11 and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := PIP_CONSTRAINT=$(CURDIR)/constraints.txt $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
SOURCES := pyproject.toml constraints.txt
RESULTS := docs/reproduction/results
PAPERS := nsatp peacepact kuk deepsensor deepsensor_faults deepsensor_speech
DATA ?= data

.DEFAULT_GOAL := help
# As the command does: freed memory is kept, else page faults come and go, on either side (decisions/022), and dense
# layers add up in one order, else micro-batches are halved until they do (decisions/110).
KEEPING := MALLOC_TRIM_THRESHOLD_=67108864 MALLOC_MMAP_THRESHOLD_=33554432 MKL_CBWR=AUTO,STRICT
# Kernels without AVX: what must not depend on the processor is tested with a second one.
PORTABLE := ATEN_CPU_CAPABILITY=default ONEDNN_MAX_CPU_ISA=SSE41 OMP_NUM_THREADS=1

.PHONY: help demo test portable check lint types contracts docs bench published soak chromium clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 12

$(VENV)/.demo: $(SOURCES)
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing unnerve into $(VENV) ..."
	@$(PIP) -e ".[demo]"
	@touch $@

$(VENV)/.dev: $(VENV)/.demo
	@echo "installing the development tools ..."
	@$(PIP) -e ".[dev]"
	@touch $@

demo: $(VENV)/.demo ## the whole story on embedded data; ends with the path of an HTML report
	@$(BIN)/unnerve demo

test: $(VENV)/.dev ## the whole suite
	@$(BIN)/python -m pytest -n 2

portable: $(VENV)/.dev ## the conformance suite with the kernels of an old processor, which round otherwise
	@$(PORTABLE) $(BIN)/python -m pytest -n 2 tests/conformance

check: lint types contracts docs test portable ## what CI runs

lint: $(VENV)/.dev ## style
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(VENV)/.dev ## mypy --strict
	@$(BIN)/mypy

contracts: $(VENV)/.dev ## imports point down
	@$(BIN)/lint-imports

docs: $(VENV)/.dev ## the documentation site, warnings as errors, into site/
	@NO_MKDOCS_2_WARNING=1 DISABLE_MKDOCS_2_WARNING=true $(BIN)/mkdocs build --strict --quiet

# As a module: the folder's own file names (coverage.py) must not hide packages of the same name.
bench: $(VENV)/.dev ## the benchmark table: ratios within one run; ROWS="KMNC DSA" for some
	@$(KEEPING) $(BIN)/python -m benchmarks.run $(ROWS)

published: $(VENV)/.dev ## the published tables anew, from their stored cells; DATA=folder of data sets and weights
	@set -e; for paper in $(PAPERS); do \
	  $(BIN)/unnerve reproduce $$paper --data $(DATA) --out $(RESULTS)/$$paper --stored >/dev/null; \
	  mv $(RESULTS)/$$paper/results.md $(RESULTS)/$$paper.md; mv $(RESULTS)/$$paper/results.json $(RESULTS)/$$paper.json; \
	  $(BIN)/python docs/_code/picture.py $(RESULTS)/$$paper/report.html $(RESULTS)/$$paper.png --part .figures; \
	  rm $(RESULTS)/$$paper/report.html; done

soak: $(VENV)/.dev ## long tests: properties on thousands of fresh examples, and all that is marked soak
	@HYPOTHESIS_PROFILE=searching $(BIN)/python -m pytest -n 2 -m "soak or not soak" tests/properties
	@$(BIN)/python -m pytest -n 2 -m soak || test $$? -eq 5

chromium: ## a browser for the report's tests, where Debian's packages are at hand
	@command -v chromium >/dev/null || (apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium fonts-dejavu-core >/dev/null)

clean: ## remove what can be made again
	rm -rf $(VENV) site .mypy_cache .ruff_cache .pytest_cache .hypothesis
