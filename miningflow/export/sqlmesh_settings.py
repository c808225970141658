"""Settings of a SQLMesh project: how it connects, what it reads, how it is run."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from miningflow.export.frozen import FrozenCase
from miningflow.export.names import safe_names
from miningflow.export.sources import sql_type
from miningflow.export.yaml_text import yaml_text
from miningflow.sql.dialect import DIALECTS, render

# SQLMesh asks from when on rows are complete; models of a case are always made as a whole.
START = "2000-01-01"


def config(frozen: FrozenCase) -> str:
    """Writes config.yaml."""
    connection: dict[str, Any]
    if DIALECTS[frozen.dialect].is_duckdb:
        connection = {"type": "duckdb", "database": f"{database(frozen)}.db"}
        state = None
    else:
        connection = {
            "type": "postgres",
            "host": "{{ env_var('PGHOST', 'localhost') }}",
            "port": "{{ env_var('PGPORT', '5432') }}",
            "user": "{{ env_var('PGUSER') }}",
            "password": "{{ env_var('PGPASSWORD', '') }}",
            "database": "{{ env_var('PGDATABASE') }}",
        }
        state = connection
    gateway = {"connection": connection, "state_connection": state}
    strategy = f"{DIALECTS[frozen.dialect].printer},normalization_strategy=case_sensitive"
    return yaml_text(
        {
            "gateways": {"local": gateway},
            "default_gateway": "local",
            "model_defaults": {"dialect": strategy, "start": START, "cron": "@daily"},
            "disable_anonymized_analytics": True,
        }
    )


def external_models(frozen: FrozenCase) -> str:
    """Describes the tables that SQLMesh did not make; nothing where files are read in place."""
    entries = []
    for name, source in frozen.sources.items():
        if source.table is None and not source.is_landed(frozen.dialect):
            continue
        columns = {
            source.columns.get(f.name, f.name): sql_type(f, source.keys)
            for f in source.concept.features.values()
        }
        landed = source.landing() if source.is_landed(frozen.dialect) else columns
        entries.append(f"- name: {_quoted(render(frozen.raw(name), frozen.dialect))}\n")
        entries[-1] += "  columns:\n" + "".join(
            f"    {_quoted(column)}: {kind}\n" for column, kind in landed.items()
        )
    return "".join(entries)


def database(frozen: FrozenCase) -> str:
    """Returns the name of the database file."""
    return safe_names([frozen.name])[frozen.name].lower()


def usage(frozen: FrozenCase, files: Collection[str]) -> list[str]:
    """Returns how to run the project."""
    extra = "" if DIALECTS[frozen.dialect].is_duckdb else "[postgres]"
    lines = ["```console", f"$ pip install 'sqlmesh{extra}>=0.236'"]
    if "load.sql" in files:
        lines += ["$ psql -f landing.sql", "$ psql -f load.sql"]
    lines += ["$ sqlmesh plan --auto-apply --no-prompts", "```", ""]
    if DIALECTS[frozen.dialect].is_duckdb:
        made_for = "DuckDB 2.0" if frozen.dialect == "duckdb" else "DuckDB before 2.0"
        lines.append(
            f"The SQL is for {made_for}; SQLMesh 0.236 brings DuckDB 1.5. Start SQLMesh in this "
            "folder, since files are named relative to it."
        )
    else:
        lines.append("`config.yaml` takes PGHOST, PGPORT, PGUSER, PGPASSWORD and PGDATABASE.")
    lines += [
        "Steps that only add columns are embedded models: part of the SELECT that uses them.",
        "Models have names of letters, digits and underscores; their descriptions tell the rest.",
    ]
    return lines


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
