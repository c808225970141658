"""Settings of a dbt project: the project itself, how it connects, how it is run."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from miningflow.export.frozen import FrozenCase
from miningflow.export.jinja import escaped
from miningflow.export.names import safe_names
from miningflow.export.yaml_text import yaml_text
from miningflow.sql.dialect import DIALECTS

LEAST_VERSION = "1.11.0"
"""The oldest version of dbt that exported projects were tried with."""


def project_name(frozen: FrozenCase) -> str:
    """Returns the settings of the project, with its name and the profile it connects by."""
    return safe_names([frozen.name])[frozen.name].lower()


def project(frozen: FrozenCase) -> str:
    """Writes dbt_project.yml."""
    name = project_name(frozen)
    return yaml_text(
        {
            "name": name,
            "version": "1.0.0",
            "config-version": 2,
            "require-dbt-version": [f">={LEAST_VERSION}", "<2.0.0"],
            "profile": name,
            "vars": {"data_folder": frozen.request.data_folder} if _reads_files(frozen) else {},
        }
    )


def profiles(frozen: FrozenCase) -> str:
    """Writes profiles.yml, which dbt finds in the folder it is started in."""
    output: dict[str, Any]
    schema = escaped(frozen.request.schema)
    if DIALECTS[frozen.dialect].is_duckdb:
        path = f"{{{{ env_var('DBT_DUCKDB_PATH', '{project_name(frozen)}.duckdb') }}}}"
        output = {"type": "duckdb", "path": path, "schema": schema, "threads": 1}
        output["settings"] = {"TimeZone": "UTC"}
    else:
        output = {
            "type": "postgres",
            "host": "{{ env_var('PGHOST', 'localhost') }}",
            "port": "{{ env_var('PGPORT', '5432') | as_number }}",
            "user": "{{ env_var('PGUSER') }}",
            "password": "{{ env_var('PGPASSWORD', '') }}",
            "dbname": "{{ env_var('PGDATABASE') }}",
            "schema": schema,
            "threads": 1,
        }
    return yaml_text({project_name(frozen): {"target": "dev", "outputs": {"dev": output}}})


def usage(frozen: FrozenCase, files: Collection[str]) -> list[str]:
    """Returns how to run the project."""
    adapter = "dbt-duckdb" if DIALECTS[frozen.dialect].is_duckdb else "dbt-postgres"
    lines = ["```console", f"$ pip install 'dbt-core>=1.11,<1.12' {adapter}"]
    if "load.sql" in files:
        lines += ["$ psql -f landing.sql", "$ psql -f load.sql"]
    lines += ["$ dbt build", "```", ""]
    if DIALECTS[frozen.dialect].is_duckdb:
        lines.append(
            f"The SQL is for {'DuckDB before 2.0' if frozen.dialect != 'duckdb' else 'DuckDB 2.0'}."
            " `profiles.yml` names the database file; `DBT_DUCKDB_PATH` names another."
        )
    else:
        lines.append("`profiles.yml` takes PGHOST, PGPORT, PGUSER, PGPASSWORD and PGDATABASE.")
    if frozen.landed:
        lines.append(
            f"`landing.sql` creates the tables in `{frozen.landing_schema}` that hold the rows of "
            "files; columns of CSV files stay text there. Load other files as you are used to."
        )
    if _reads_files(frozen):
        lines.append(
            "Start dbt in this folder, since files are named relative to it, or say where they "
            "are: `dbt build --vars '{data_folder: /path}'`."
        )
    lines += [
        "",
        "Steps that only add columns are ephemeral models: part of the SELECT that uses them. "
        "`score.sql` scores new rows without dbt."
        if frozen.score
        else "",
    ]
    return lines


def _reads_files(frozen: FrozenCase) -> bool:
    return any(s.table is None for s in frozen.sources.values()) and not frozen.landed
