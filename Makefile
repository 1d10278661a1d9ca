# Everything that is done to Naoshi by hand or by CI. `make` alone lists it.
# PYTHON=... names the interpreter that .venv is made with; the first of Python 3.11 or newer is taken otherwise.
.DEFAULT_GOAL := help
.PHONY: help demo test test-newest test-peers test-live peers check bench setup setup-demo format docs constraints clean

# Where Naoshi and its tools are installed; another name beside it serves another Python.
VENV ?= .venv
BIN := $(VENV)/bin
WORKERS ?= 2
PYTEST_ARGS ?=
PROMPTFOO_VERSION ?= 0.121.9
CODEX_VERSION ?= 0.171.0
CLAUDE_CODE_VERSION ?= 2.1.332
# Where the large programs that we are compared with are installed, once for all checkouts.
NAOSHI_PEERS ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/naoshi
export PROMPTFOO_VERSION CODEX_VERSION CLAUDE_CODE_VERSION NAOSHI_PEERS
DEMO_ARGS ?=
export PYTHON VENV
# Pyright asks the network whether it is the newest one unless it is told not to.
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1

help: ## List what can be made
	@awk 'BEGIN { FS = ":.*## " } /^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

demo: setup-demo ## Watch an agent get better from corrections (DEMO_ARGS= is passed on)
	$(BIN)/naoshi demo $(DEMO_ARGS)

test: setup ## Run every test (PYTEST_ARGS= is passed on, WORKERS= is how many at once)
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(PYTEST_ARGS)

test-newest: ## Run every test on the newest Python that is here, where .venv has an older one
	@newest=$$(sh scripts/newest_python.sh) || exit 0; $(MAKE) --no-print-directory test VENV=.venv-newest PYTHON="$$newest"

test-peers: setup peers ## Run the tests against real peers: Promptfoo, Codex, Claude Code, HALO (installs them once: 3 GB, minutes)
	NAOSHI_TEST_PEERS=1 $(BIN)/python -m pytest $(PYTEST_ARGS) tests/peers

test-live: setup ## Run the judge on a small real model, offline and slowly (installs it once: 300 MB)
	@sh scripts/install_live_model.sh
	NAOSHI_TEST_LIVE=1 $(BIN)/python -m pytest -s $(PYTEST_ARGS) tests/live

peers:
	@sh scripts/install_promptfoo.sh
	@sh scripts/install_coding_agents.sh
	@$(BIN)/python -m scripts.install_halo

check: setup ## Run the linters, the type checker, the layer rules and the tests of the house rules
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/pyright
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -m pytest -q tests/meta

bench: setup peers ## Measure against a peer in the same run; each line is a ratio
	@for file in bench/*.py; do $(BIN)/python "$$file" || exit 1; done

setup: setup-demo ## Make .venv with all that tests need (the other targets do it themselves)
	@sh scripts/set_up.sh dev

setup-demo:
	@sh scripts/set_up.sh

format: setup ## Format the code and mend what can be mended by machine
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

docs: setup ## Write the generated pages again: ARCHITECTURE.md, docs/cli.md, docs/settings.md
	$(BIN)/python -m scripts.write_docs

constraints: ## Take the newest releases and pin them in constraints/pinned.txt
	@sh scripts/renew_constraints.sh

clean: ## Remove .venv and the caches (a demo workspace is yours and stays)
	rm -rf .venv .venv-newest .pytest_cache .ruff_cache .import_linter_cache .hypothesis build dist
	find src tests scripts bench -name __pycache__ -type d -prune -exec rm -rf {} +
