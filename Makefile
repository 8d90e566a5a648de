# Every target sets itself up from nothing but Python 3.11+.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: setup demo eval test proofs real-model engines test-under-load lint dev bench soak lock sbom audit docs pages clean

setup: $(READY)

$(READY): requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "coop needs Python 3.11 or newer: make PYTHON=python3.11")'
	@echo "setting up $(VENV): two to four minutes, and 1.1 GB of disk"
	$(PYTHON) -m venv $(VENV)
	# The lock is whole: resolving anew would look at versions that it does not name.
	$(BIN)/python -m pip install --quiet --no-deps --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $(READY)

# The four conditions on Escape Room, with embedded agents: a simulation.
demo: $(READY)
	$(BIN)/coop demo

# Every shipped experiment at a few seeds, with embedded agents, and one report: a simulation.
eval: $(READY)
	$(BIN)/coop sweep all -o build/eval && $(BIN)/coop report build/eval

# Speed, size and cost beside the peers, for about half an hour; writes docs/performance.md.
bench: $(READY)
	$(BIN)/python -m benchmarks

# Two workers, a file each: where one has crashed, the other may wait for it for ever.
PYTEST := $(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder --max-worker-restart 0

# What a developer runs: minutes, without real servers, browsers, killed processes, whole grids.
test: $(READY)
	$(PYTEST) -m "not slow"

# The slow part: every promise of docs/reliability.md in its short form, servers, browsers, kills.
proofs: $(READY)
	$(PYTEST) -m slow

# A small real model at every seat, by llama.cpp in a folder of its own; skipped without either.
real-model: $(READY)
	$(BIN)/python -m tests.real_model

# Temporal, DBOS, Celery, Inspect and Aegra in an environment of their own, for their tests.
engines: $(READY)
	$(BIN)/python -m tests.engines

# No test looks at a clock: the same tests beside twelve busy processes.
test-under-load: $(READY)
	$(BIN)/python -m tests.under_load $(MAKE) test

# Every promise of docs/reliability.md under fire, on each database, for about an hour.
soak: $(READY)
	$(BIN)/python -m tests.soak

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	# How much there is to read, beside what it may be and what it shall be.
	$(BIN)/python -m tests.budgets

# LangGraph server and Studio, on port 2024, without a key.
dev: $(READY)
	$(BIN)/coop dev

# Tools that look at the lock file have libraries of their own, apart from the project's.
TOOLS := build/tools
$(TOOLS)/.ready:
	$(PYTHON) -m venv $(TOOLS)
	$(TOOLS)/bin/python -m pip install --quiet cyclonedx-bom==7.5.0 pip-audit==2.10.1
	touch $@

# What the project is made of, as a CycloneDX bill of materials: build/sbom.json.
sbom: $(TOOLS)/.ready
	$(TOOLS)/bin/cyclonedx-py requirements requirements.lock --pyproject pyproject.toml \
	  --output-reproducible -o build/sbom.json

# Whether what is pinned has known vulnerabilities; asks the package index.
audit: $(TOOLS)/.ready
	$(TOOLS)/bin/pip-audit -r requirements.lock --require-hashes --disable-pip --progress-spinner off

# Pin every library with its hashes, and what of them an image needs; needs uv. Not NegMAS: under the
# AGPL, it is the user's choice.
LOCKED := all dev test
IMAGE := a2a encryption exchange keys mcp nucleolus patterns pettingzoo postgres sepa
PIN := --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url \
  --no-emit-find-links --no-annotate
lock:
	uv pip compile pyproject.toml $(LOCKED:%=--extra %) $(PIN) -o requirements.lock
	uv pip compile pyproject.toml $(IMAGE:%=--extra %) $(PIN) -c requirements.lock \
	  -o requirements.image.lock

# The documentation as a site in build/site, by tools in a folder of their own.
docs:
	$(PYTHON) -m venv build/docs-tools
	build/docs-tools/bin/python -m pip install --quiet -r docs/requirements.txt
	NO_MKDOCS_2_WARNING=1 build/docs-tools/bin/mkdocs build --quiet --strict

# What pages show of commands, and what is made from the code: played and written anew.
pages: $(READY)
	$(BIN)/python -m tests.written_docs
	$(BIN)/python -m tests.console_pages

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache build *.egg-info
