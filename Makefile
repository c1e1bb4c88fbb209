# Each target sets up .venv by itself; a bare machine needs python3 (>= 3.11), make and git.
PYTHON ?= python3
BIN := .venv/bin
PYTEST := $(BIN)/pytest -q -n auto --dist worksteal
.DEFAULT_GOAL := demo

.PHONY: help demo test quick slow simulated browser docs bench reference

help: ## this list; rarer work has scripts in .ci/ (CONTRIBUTING.md)
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 14

demo: .venv/.demo ## play the headline scenario, print its claims
	$(BIN)/disttrack run headline --out results/demo --fresh

test: .venv/.test ## ruff, mypy and the tests that are not marked slow
	$(BIN)/ruff check .
	$(BIN)/mypy & types=$$!; $(PYTEST) -m "not slow"; tests=$$?; wait $$types && exit $$tests

quick: .venv/.test ## the tests of `make test` alone
	$(PYTEST) -m "not slow"

slow: .venv/.test $(if $(CI),browser) ## the long statistical tests, whole scenarios, browsers, simulated deployments
	$(if $(NEWEST),$(MAKE) .venv-simulated/.made &) $(PYTEST) -m slow; tests=$$?; wait; exit $$tests
	$(MAKE) simulated

# simloom, with which they run, needs Python 3.12; the newest one is taken that starts, on the path or of pyenv
NEWEST = $(shell for minor in 15 14 13 12; do for one in python3.$$minor $$HOME/.pyenv/versions/3.$$minor.*/bin/python3; \
	do $$one -c "" 2>/dev/null && echo $$one && exit; done; done)
simulated: ## the deployed code under faults in simulated time, games as of Python 3.11; skipped without python3.12
	@if [ -z "$(NEWEST)" ]; then echo "no Python 3.12 or later here: the simulated deployments are skipped"; \
		else $(MAKE) .venv-simulated/.made && \
		.venv-simulated/bin/pytest -q -n auto --dist worksteal tests/fleet/simulated tests/fleet/test_every_game.py \
			tests/goldens/test_goldens.py; fi

.venv-simulated/.made: pyproject.toml
	$(NEWEST) -m venv --clear .venv-simulated
	for extras in live,fast live; do .venv-simulated/bin/pip install --quiet --disable-pip-version-check \
		--editable ".[$$extras]" hypothesis pytest pytest-xdist simloom==0.5.0 && break; done  # numba may be late
	.venv-simulated/bin/python -c "import simloom"
	touch $@

# Tests start some hundred processes. Their bytecode is kept, also where the environment says not to: each of them would
# compile the packages anew. pytest keeps every core busy, so that linear algebra had better stay on its own.
test quick slow simulated: export PYTHONDONTWRITEBYTECODE :=
test quick slow simulated: export OMP_NUM_THREADS := 1
test quick slow simulated: export OPENBLAS_NUM_THREADS := 1

# pages are tested in Chromium where there is one; a CI machine of its own gets it, another's is left alone
browser:
	@command -v chromium >/dev/null || { apt-get -qq update && apt-get -qq install -y chromium; } >/dev/null || \
		echo "no Chromium here: the tests of pages are skipped"

docs: .venv/.docs ## the handbook, to site/; warnings are errors
	$(BIN)/python docs/handbook/build.py .cache/site
	cd .cache/site && $(CURDIR)/$(BIN)/zensical build --strict
	rm -rf site && mv .cache/site/site site

bench: .venv/.bench ## speed, as ratios against baselines in the same run
	$(BIN)/python -m benchmarks

reference: .venv/.test ## play results/reference again, compare cell by cell; NAMES="headline attack"
	$(BIN)/python tests/e2e/replay_reference.py $(NAMES)

$(BIN)/python:
	$(PYTHON) -m venv .venv

# an extra of pyproject.toml, installed: .venv/.test, .venv/.docs, .venv/.bench
.venv/.demo: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[fast]'
	touch $@

.venv/.%: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --disable-pip-version-check $(if $(CI),-c requirements-ci.txt) --editable '.[$*]'
	touch $@ .venv/.demo
