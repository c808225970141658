# One command each: `make demo` shows what MiningFlow does, `make test` checks that it does it.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

.PHONY: attack demo check test test-all test-long test-spark test-older test-lowest test-newest release-check docs benchmarks clean

demo: $(VENV)/installed
	$(BIN)/miningflow run cases/insurance.yml

# Tests of one file share what they build, so a file stays in one process
PYTEST = $(BIN)/python -m pytest -n auto --dist loadfile

# What is asked before every commit: style, types, contracts, and the tests that open no store
check: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(PYTEST) -q -m "not slow" tests/plan tests/read/test_broken_yaml.py tests/resolve/test_case_schema.py tests/resolve/test_relations.py tests/resolve/test_wrong_steps.py tests/resolve/test_wrong_tests.py tests/sql

test: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(PYTEST) -m "not slow"

test-all: test
	$(PYTEST) -m slow

# What takes long, and property tests with all their examples; not what needs Spark, another DuckDB or another tool,
# nor the exports of all cases, which `make test-all` runs
ELSEWHERE = $(wildcard tests/*/test_*spark*.py tests/test_spark*.py) tests/conformance/test_older_duckdb.py tests/conformance/test_other_engines.py tests/conformance/test_traps.py $(wildcard tests/export/test_export_*.py)

test-long: $(VENV)/installed-dev
	MININGFLOW_TEST_LONG=1 $(PYTEST) -m "slow or hypothesis" $(addprefix --ignore=,$(ELSEWHERE))

# Attacks on what is promised, for hours; one alone: make attack PART=interrupts COUNT=10 SEED=3
PART ?= all
SEED ?= 0

attack: $(VENV)/installed-dev
	PYTHONPATH=tests $(BIN)/python -m attacks $(PART) $(if $(COUNT),--count $(COUNT)) --seed $(SEED)

# Spark is an extra, and needs a Java; one process after the other, since each starts a Spark
test-spark: $(VENV)/installed-dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[spark]'
	$(BIN)/python -m pytest -m slow tests/test_spark_cases.py tests/store/test_spark_store.py tests/store/test_spark_cluster.py tests/conformance/test_other_engines.py tests/conformance/test_traps.py

# DuckDB 1.5 beside the installed one: every operator and every case
test-older: $(VENV)/installed-dev
	$(BIN)/python -m pytest -n auto -m slow tests/conformance/test_older_duckdb.py

# The tests that meet every dependency, with the oldest and the newest releases that pyproject.toml allows
VERSIONS = build/versions
CORE = tests/test_smoke.py tests/test_imports.py tests/cli tests/conformance tests/engines tests/plan tests/repository tests/sql

test-lowest:
	$(MAKE) versions RESOLUTION=lowest-direct

test-newest:
	$(MAKE) versions RESOLUTION=highest

.PHONY: versions
versions:
	rm -rf $(VERSIONS)-$(RESOLUTION)
	$(PYTHON) -m venv $(VERSIONS)-$(RESOLUTION)
	$(VERSIONS)-$(RESOLUTION)/bin/pip install --quiet --disable-pip-version-check uv
	$(VERSIONS)-$(RESOLUTION)/bin/uv pip compile --quiet --resolution $(RESOLUTION) --python $(VERSIONS)-$(RESOLUTION) pyproject.toml --extra postgres --extra plot --output-file $(VERSIONS)-$(RESOLUTION)/constraints.txt
	$(VERSIONS)-$(RESOLUTION)/bin/uv pip install --quiet --python $(VERSIONS)-$(RESOLUTION) --constraints $(VERSIONS)-$(RESOLUTION)/constraints.txt -e '.[dev]'
	$(VERSIONS)-$(RESOLUTION)/bin/python -m pytest -n auto -m "not slow" $(CORE)

# The package as a stranger gets it: the wheel alone in an empty environment, used outside the checkout
RELEASE = $(CURDIR)/build/release

release-check:
	rm -rf $(RELEASE) miningflow.egg-info
	$(PYTHON) -m venv $(RELEASE)/builder
	$(RELEASE)/builder/bin/pip install --quiet --disable-pip-version-check build
	$(RELEASE)/builder/bin/python -m build --outdir $(RELEASE)/dist .
	for folder in tests cases docs benchmarks operators; do tar -tzf $(RELEASE)/dist/*.tar.gz | grep -q "^[^/]*/$$folder/" || { echo "the sdist lacks $$folder"; exit 1; }; done
	$(PYTHON) -m venv $(RELEASE)/empty
	$(RELEASE)/empty/bin/pip install --quiet --disable-pip-version-check $(RELEASE)/dist/*.whl
	mkdir $(RELEASE)/outside
	cd $(RELEASE)/outside && ../empty/bin/miningflow --version && ../empty/bin/miningflow init project
	cd $(RELEASE)/outside/project && ../../empty/bin/miningflow run shop.yml
	cd $(RELEASE)/outside/project && ../../empty/bin/miningflow score shop.yml --input Customer=data/customers.csv

docs: $(VENV)/installed-dev
	$(BIN)/miningflow operators --markdown > docs/operators.md
	$(BIN)/miningflow engines --markdown > docs/dialects.md
	$(BIN)/miningflow schema --output docs/miningflow.schema.json
	$(BIN)/python -m miningflow.cli.reference docs/command_line.md

benchmarks: $(VENV)/installed-dev
	$(BIN)/python -m benchmarks.speed

clean:
	rm -rf $(VENV) target build

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "MiningFlow needs Python 3.11 or newer")'
	@echo "making a virtual environment in $(VENV)"
	@$(PYTHON) -m venv $(VENV)

$(VENV)/installed: $(VENV)/bin/python pyproject.toml
	@echo "installing MiningFlow there; this takes about a minute, once"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/installed-dev: $(VENV)/bin/python pyproject.toml
	@echo "installing MiningFlow and what its tests need; this takes about a minute, once"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@ $(VENV)/installed
