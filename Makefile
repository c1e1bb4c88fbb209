# Each target sets up .venv by itself; a bare machine needs python3 (>= 3.11), make and git.
PYTHON ?= python3
BIN := .venv/bin
.DEFAULT_GOAL := demo

.PHONY: help demo test browser quick coverage bench docs claims costs goldens replay seeds kills fuzz lock lower-bounds audit-deps clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 14

demo: .venv/.demo ## play the headline scenario, print its claims
	$(BIN)/disttrack run scenarios/headline.yaml --out results/demo --fresh

test: .venv/.test $(if $(CI),browser) ## what CI runs: ruff, mypy, pytest
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest -q -n auto --dist worksteal

# Tests start some hundred processes. Their bytecode is kept, also where the environment says not to: each of them would
# compile the packages anew. pytest keeps every core busy, so that linear algebra had better stay on its own.
test quick: export PYTHONDONTWRITEBYTECODE :=
test quick: export OMP_NUM_THREADS := 1
test quick: export OPENBLAS_NUM_THREADS := 1

# pages are tested in Chromium where there is one; a CI machine of its own gets it, another's is left alone
browser:
	@command -v chromium >/dev/null || { apt-get -qq update && apt-get -qq install -y chromium; } >/dev/null || \
		echo "no Chromium here: the tests of pages are skipped"

quick: .venv/.test ## the tests that are not marked slow
	$(BIN)/pytest -q -n auto --dist worksteal -m "not slow"

coverage: .venv/.test ## lines and branches that the tests run through: half an hour
	$(BIN)/pytest -q -n auto --dist worksteal --cov-branch --cov-report=term:skip-covered \
		--cov=disttrack

bench: .venv/.bench ## speed, as ratios against baselines in the same run
	$(BIN)/python -m benchmarks

docs: .venv/.docs ## the handbook, to site/; warnings are errors
	$(BIN)/python docs/handbook/build.py .cache/site
	cd .cache/site && $(CURDIR)/$(BIN)/zensical build --strict
	rm -rf site && mv .cache/site/site site

claims: .venv/.demo ## write docs/claims.md from the reference results
	$(BIN)/python -m disttrack.simulator.report.claims_table

costs: .venv/.bench ## write docs/cost-of-robustness.md: some minutes
	$(BIN)/python -m benchmarks.costs

goldens: .venv/.test ## play the golden transcripts again, write the golden tables and reports
	$(BIN)/python tests/goldens

replay: .venv/.test ## compare games with results/reference, cell by cell; NAMES="headline attack"
	$(BIN)/python tests/e2e/replay_reference.py $(NAMES)

# those that take up to a quarter of a minute
NAMES_OF_SEEDS := accuracy cost-of-robustness flights static table1
seeds: .venv/.test ## claims under fresh seeds; NAMES, SEEDS=5
	$(BIN)/disttrack run $(or $(NAMES),$(NAMES_OF_SEEDS)) --seeds $(or $(SEEDS),20)

# the versions that CI tests with: those that are installed now; take newer ones with `pip install --upgrade` first
LOCK := requirements-ci.txt
lock: .venv/.test ## write requirements-ci.txt from the environment of make test
	@echo "# The versions that tests in CI run with: \`make lock\` writes this file from the environment of \`make test\`." > $(LOCK)
	$(BIN)/pip list --disable-pip-version-check --format=freeze --exclude disttrack --exclude pip --exclude setuptools >> $(LOCK)

# the smallest versions that pyproject.toml allows, with the quick tests of what numbers rest on, the tests of each extra
# and those of clusters: five minutes of one core; of the versions that a game needs, `make test` has a shorter proof
lower-bounds: ## test with the smallest versions that are allowed: five minutes
	$(PYTHON) -m venv --clear .venv-lower
	$(PYTHON) .ci/lower_bounds.py audit bench dask data gym live sketches hypothesis pytest > .venv-lower/bounds.txt
	.venv-lower/bin/pip install --quiet --disable-pip-version-check -r .venv-lower/bounds.txt
	.venv-lower/bin/python -m pytest -q -p no:cacheprovider -m "not slow" tests/conformance tests/simulator/claims tests/simulator/cli \
		tests/simulator/game tests/simulator/plots tests/simulator/results tests/simulator/scenario tests/simulator/test_environment.py \
		tests/live/test_live_parts.py tests/live/test_live_games.py tests/adversaries/test_trace.py tests/adversaries/test_updates.py tests/mechanisms/accounting tests/mechanisms/sketches \
		tests/mechanisms/static
	.venv-lower/bin/python -m pytest -q -p no:cacheprovider tests/e2e/test_cluster.py
	.venv-lower/bin/python -c "from benchmarks.baselines import compiled_loop, naive_simpy; assert compiled_loop()(4, 0.1, 10_000) == naive_simpy(4, 0.1, 10_000)"

kills: .venv/.test ## strike a hundred runs by signals: a quarter of an hour; KILLS=10
	$(BIN)/python tests/e2e/kill_campaign.py $(or $(KILLS),100)

# made by hypothesis, then by coverage
fuzz: .venv/.test ## hostile input; EXAMPLES a property, SECONDS a target
	FUZZ_EXAMPLES=$(or $(EXAMPLES),2000) $(BIN)/pytest -q -k fuzz tests/simulator tests/adversaries
	test -d .venv-fuzz || $(PYTHON) -m venv .venv-fuzz
	.venv-fuzz/bin/pip install --quiet --disable-pip-version-check atheris
	for target in yaml expression scenario journal; do \
		PYTHONPATH=src:$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))') \
		.venv-fuzz/bin/python tests/fuzz/coverage_guided.py $$target -max_total_time=$(or $(SECONDS),60) || exit 1; done

audit-deps: ## ask whether a dependency has a known fault
	test -d .venv-audit || $(PYTHON) -m venv .venv-audit
	.venv-audit/bin/pip install --quiet --disable-pip-version-check pip-audit
	.venv-audit/bin/python .ci/audit_deps.py

$(BIN)/python:
	$(PYTHON) -m venv .venv

.venv/.demo: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	touch $@

.venv/.test: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --disable-pip-version-check $(if $(CI),-c requirements-ci.txt) --editable '.[test]'
	touch $@ .venv/.demo

.venv/.docs: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[docs]'
	touch $@ .venv/.demo

.venv/.bench: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[bench]'
	touch $@ .venv/.demo

clean: ## remove what make has made
	rm -rf .cache site .venv .venv-audit .venv-fuzz .venv-lower build *.egg-info
