"""The README of an exported folder: what it is, what it reads, how it is run."""

from __future__ import annotations

import re
from collections.abc import Collection

from miningflow.export.frozen import FrozenCase
from miningflow.export.sources import SourceData
from miningflow.sql.clients import running
from miningflow.sql.dialect import render
from miningflow.sql.raw_sources import numbers_rows
from miningflow.visible_text import visible


def script_readme(frozen: FrozenCase, files: Collection[str]) -> str:
    """Returns how to run the scripts, in which order."""
    schema = frozen.request.schema
    lines = [
        *_title(frozen, f"SQL for {frozen.dialect}"),
        "",
        "## Run it",
        "",
        *_loading(frozen, files),
        f"`all.sql` creates everything, in a separate schema `{schema}`. `steps/` has the same "
        "statements, one file for each source and step, numbered in an order in which they can "
        f"run after `CREATE SCHEMA {schema}`. `remove.sql` drops what they create, and nothing "
        "else; run it before `all.sql` to create everything again.",
        "",
        *_client(frozen),
        *_further(frozen, files),
        "",
        "## What it creates",
        "",
        "| name | | created by |",
        "| --- | --- | --- |",
        *(_row(frozen, name) for name in (*frozen.sources, *frozen.built())),
        *_fused(frozen),
    ]
    return "\n".join(lines) + "\n"


# Markdown takes a backslash before any of these.
_SPECIAL = re.compile(r"[\\`*|<>&\[\]]")


def project_readme(frozen: FrozenCase, tool: str, usage: list[str]) -> str:
    """Returns how to run a project of another tool."""
    lines = [
        *_title(frozen, f"a {tool} project for {frozen.dialect}"),
        "",
        "## Run it",
        "",
        *usage,
        "",
        "## What it creates",
        "",
        "| name | | created by |",
        "| --- | --- | --- |",
        *(_row(frozen, name) for name in (*frozen.sources, *frozen.built())),
    ]
    return "\n".join(lines) + "\n"


def reading(frozen: FrozenCase) -> list[str]:
    """Lists where each source reads its rows."""
    lines = []
    for name, source in frozen.sources.items():
        if source.table is not None:
            where = f"the table `{render(source.table.copy(), 'duckdb')}`"
        elif source.is_landed(frozen.dialect):
            where = f"the table `{frozen.landing_schema}.{name}`, which you load from "
            where += _listed(source.file_names)
        else:
            where = f"{_listed(source.file_names)} in `{frozen.request.data_folder}`"
        if source.numbered and source.is_landed(frozen.dialect):
            done = "is filled in" if numbers_rows(frozen.dialect) else "you must fill in"
            where += f"; its column `{source.numbered}`, the number of the row, {done}"
        lines.append(f"- {_plain(name)}: {where}")
    return lines


def _title(frozen: FrozenCase, what: str) -> list[str]:
    about = frozen.bound.case.about
    return [
        f"# {_plain(frozen.name)}: {what}",
        "",
        *([_plain(about), ""] if about else []),
        f"Written by MiningFlow from the case `{frozen.name}`. Everything that was learned (means, "
        "cut points, selections, models) is frozen in these files: nothing is learned again, and "
        "neither MiningFlow nor Python is needed to score. Edit the case and export again rather "
        "than these files; an export refuses to replace files that were edited.",
        "",
        "It reads",
        "",
        *reading(frozen),
    ]


def _loading(frozen: FrozenCase, files: Collection[str]) -> list[str]:
    if not frozen.landed:
        return []
    if "landing.sql" not in files:
        return [
            f"Bring the files into tables of the schema `{frozen.landing_schema}` first, with the "
            "columns",
            "",
            *(_columns(source) for source in frozen.landed),
            "",
        ]
    lines = [
        f"`landing.sql` creates the tables in `{frozen.landing_schema}` that the files go into; "
        "columns of CSV files stay text there. Load the files with the tool that you use for "
        "this."
    ]
    if "load.sql" in files:
        lines.append("`load.sql` does so for CSV files, in psql, started in this folder.")
    return [" ".join(lines), ""]


def _columns(source: SourceData) -> str:
    """Lists the columns of a table that files go into."""
    listed = ", ".join(f"`{name}` ({kind})" for name, kind in source.landing().items())
    return f"- `{source.concept.name}`: {listed}"


def _client(frozen: FrozenCase) -> list[str]:
    command = running("all.sql", frozen.request.schema, frozen.dialect)
    if command is None:
        return ["Run it with the client of your database, which must stop at the first error."]
    return ["```console", f"$ {command}", "```"]


def _further(frozen: FrozenCase, files: Collection[str]) -> list[str]:
    lines: list[str] = []
    if "functions.sql" in files:
        lines += [
            "",
            "`functions.sql`, which is part of `all.sql`, creates functions for what the models "
            "predict, for any query over any table.",
        ]
    if frozen.score is not None:
        lines += [
            "",
            f"`score.sql` is one SELECT that scores new rows with step `{frozen.score.step}`. It "
            "needs nothing of the above; its header lists the tables it reads.",
        ]
    return lines


def _row(frozen: FrozenCase, name: str) -> str:
    step = frozen.bound.steps.get(name)
    made = type(step.operator).__name__ if step else "source"
    if step is None:
        kind = "view" if frozen.sources[name].table is not None else "table"
    else:
        kind = "part of others" if frozen.layout[name] == "inline" else frozen.layout[name]
    export = step.operator.exported() if step else None
    also = f"; `miningflow run` also writes it to `{export.path}`, this does not" if export else ""
    about = " ".join(frozen.about(name).split())
    said = f"{made}{also}" + (f". {_plain(about)}" if about else "")
    return f"| {_plain(name)} | {kind} | {said} |"


def _fused(frozen: FrozenCase) -> list[str]:
    fused = [n for n, s in frozen.bound.steps.items() if frozen.pieces[n].inline and not s.hidden]
    if not fused:
        return []
    return ["", f"Part of the steps that use them: {', '.join(_plain(n) for n in fused)}."]


def _listed(names: Collection[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _plain(text: str) -> str:
    """Keeps Markdown from reading a text as its own, or as HTML; shows control characters."""
    shown = "".join(c if c.isprintable() else " " for c in visible(text))
    return _SPECIAL.sub(r"\\\g<0>", " ".join(shown.split()))
