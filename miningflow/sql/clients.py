"""How a database's own command-line client is called."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from sqlglot import exp

from miningflow.sql.dialect import DIALECTS, render
from miningflow.sql.literals import column, text


def running(script: str, database: str, dialect: str) -> str | None:
    """Returns the command that runs a script and stops at the first error, if one is known."""
    if DIALECTS[dialect].is_duckdb:
        return f"duckdb -bail {shlex.quote(database + '.duckdb')} < {script}"
    if dialect == "postgres":
        return f"psql -v ON_ERROR_STOP=1 --single-transaction -f {script}"
    return None


def loading(
    target: exp.Table, columns: Sequence[str], path: str, delimiter: str, dialect: str
) -> str | None:
    """Returns the line by which the engine's own client loads a CSV file; None if none is known."""
    if dialect != "postgres" or path.lower().endswith(".gz"):
        return None
    listed = ", ".join(render(column(name), dialect) for name in columns)
    file, between = (text(value).sql(dialect=dialect) for value in (path, delimiter))
    into = f"{render(target, dialect)} ({listed})"
    return f"\\copy {into} from {file} with (format csv, header true, delimiter {between})"
