# One command each: `make demo` shows what MiningFlow does, `make test` checks that it does it.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

.PHONY: demo test test-all test-long test-spark test-older docs benchmarks clean

demo: $(VENV)/installed
	$(BIN)/miningflow run cases/insurance.yml

test: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -n auto -m "not slow"

test-all: test
	$(BIN)/python -m pytest -n auto -m slow

# What learns for long, or is killed at many moments; no other database and no other tool
test-long: $(VENV)/installed-dev
	$(BIN)/python -m pytest -n auto -m slow tests/learn tests/operators tests/run/test_crashes.py tests/run/test_held_out.py tests/run/test_parallel.py tests/test_postgres_cases.py

# Spark is an extra, and needs a Java; one process after the other, since each starts a Spark
test-spark: $(VENV)/installed-dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[spark]'
	$(BIN)/python -m pytest -m slow tests/test_spark_cases.py tests/run/test_spark_store.py tests/run/test_spark_cluster.py tests/conformance/test_other_engines.py tests/conformance/test_traps.py

# DuckDB 1.5 beside the installed one: every operator and every case
test-older: $(VENV)/installed-dev
	$(BIN)/python -m pytest -n auto -m slow tests/conformance/test_older_duckdb.py

docs: $(VENV)/installed-dev
	$(BIN)/miningflow operators --markdown > docs/operators.md
	$(BIN)/miningflow engines --markdown > docs/dialects.md
	$(BIN)/miningflow schema --output docs/miningflow.schema.json

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
