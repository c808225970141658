"""What each engine can do: as plain data, and as the page docs/dialects.md."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from miningflow.sql.dialect import DIALECTS, Dialect

FILE = "refused_operators.json"
"""Which examples of operators a dialect refuses, and why; a test keeps it up to date."""


def describe_engine(dialect: Dialect) -> dict[str, Any]:
    """Returns what is known of an engine as plain data."""
    not_there = refused(dialect.name)
    return {
        "dialect": dialect.name,
        "engine": dialect.title,
        "store": dialect.store or None,
        "tried_on": dialect.tried or None,
        "needs": dialect.needs or None,
        "functions": dialect.functions is not None,
        "kernels": KERNELS[dialect.kernels],
        "longest_name": dialect.longest_name,
        "most_columns": dialect.most_columns,
        "operators": [name for name in tried_operators() if name not in not_there],
        "refused": not_there,
        "differences": [
            {"what": d.what, "where": d.where, "remedy": d.remedy} for d in dialect.differences
        ],
    }


def refused(dialect: str) -> dict[str, str]:
    """Returns the operators whose example a dialect refuses, with the reason."""
    found: dict[str, str] = _table()["refused"].get(dialect, {})
    return found


def tried_operators() -> list[str]:
    """Names the operators whose example was compiled for every dialect."""
    names: list[str] = _table()["operators"]
    return names


def engines_markdown() -> str:
    """Writes the page of all engines."""
    lines = [
        "# Engines and dialects",
        "",
        "Written by `make docs` from the dialects in `miningflow/sql/dialects`; do not edit it.",
        "`miningflow engines` prints the table below, `miningflow engines DIALECT` one section.",
        "",
        "A case *runs* in a store. For every dialect `compile --dialect`, `compile --score`,",
        "`explain` and `miningflow.to_sql` *print* SQL. What a dialect cannot do is refused when",
        "it is compiled, with the step and its place in the case, and so is what nobody looked at.",
        "The tests run the examples of all operators on the engines that are named under *tried",
        "on*, and they give there what they give on DuckDB. Where nothing is named, the SQL was",
        "**not tried on a real one**: it is what its writer knew of the database, few points were",
        "looked up, and it may be wrong. Compare results with DuckDB before you rely on it.",
        "",
        "| dialect | engine | store | tried on | operators | models as functions |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    total = len(tried_operators())
    for each in map(describe_engine, DIALECTS.values()):
        store = f"`{each['store']}`" if each["store"] else "SQL only"
        count = f"{len(each['operators'])} of {total}"
        lines.append(
            f"| `{each['dialect']}` | {each['engine']} | {store} | {each['tried_on'] or '–'} "
            f"| {count} | {'yes' if each['functions'] else 'no'} |"
        )
    for dialect in DIALECTS.values():
        lines += _section(dialect)
    return "\n".join([*lines, *_operators()]) + "\n"


def engine_markdown(dialect: Dialect) -> str:
    """Writes what there is to know of one engine."""
    return "\n".join(_section(dialect)[1:]) + "\n"


def _section(dialect: Dialect) -> list[str]:
    known = describe_engine(dialect)
    lines = ["", f"## {dialect.title} (`{dialect.name}`)", ""]
    tried = f"Tried on {dialect.tried}." if dialect.tried else "Not tried on a real one."
    needs = f" Needs {dialect.needs}." if dialect.needs else ""
    lines.append(f"{tried}{needs} Kernel machines: {known['kernels']}.")
    if dialect.differences:
        lines += ["", "| what differs | where | what to do |", "| --- | --- | --- |"]
        lines += [f"| {d.what} | {d.where} | {d.remedy} |" for d in dialect.differences]
    reasons: dict[str, list[str]] = {}
    for name, reason in known["refused"].items():
        reasons.setdefault(reason, []).append(name)
    if reasons:
        lines += ["", "Examples of these operators are refused:", ""]
        lines += [f"- {', '.join(names)}: {reason}" for reason, names in reasons.items()]
    return lines


def _operators() -> list[str]:
    """Returns the table of operators × dialects."""
    lines = ["", "## Operators", ""]
    lines += ["✓ where the example of an operator is compiled, – where it is refused.", ""]
    lines.append("| operator | " + " | ".join(f"`{name}`" for name in DIALECTS) + " |")
    lines.append("| --- |" + " --- |" * len(DIALECTS))
    for operator in tried_operators():
        marks = ["–" if operator in refused(name) else "✓" for name in DIALECTS]
        lines.append(f"| {operator} | " + " | ".join(marks) + " |")
    return lines


KERNELS = {
    "lists": "functions over lists of support vectors",
    "older lists": "functions over lists of support vectors",
    "folds": "folds over lists of support vectors",
    "lateral": "a lateral sum over a table of support vectors",
    "arithmetic": "written out in plain arithmetic, up to a number of terms",
}


@cache
def _table() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(files(__package__).joinpath(FILE).read_text("utf-8"))
    return found
