"""A case as numbered SQL files, and one that holds them all."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal

from sqlglot import exp

from miningflow.compile import Statement, create_statement
from miningflow.compile.functions import ModelFunction, named_functions
from miningflow.compile.names import table
from miningflow.export.frozen import Files, FrozenCase
from miningflow.export.names import safe_names
from miningflow.export.readme import script_readme
from miningflow.export.refusing import all_made, refusing
from miningflow.export.sources import SourceData
from miningflow.sql.clients import loading
from miningflow.sql.dialect import DIALECTS, NotInDialect, ended, one_line, render
from miningflow.sql.literal_table import tables_read, values_select
from miningflow.sql.raw_sources import column_definition
from miningflow.visible_text import visible

Kind = Literal["view", "table"]


@dataclass(frozen=True)
class _Part:
    """What makes one source or step: a file of the script."""

    name: str
    text: str
    made: tuple[tuple[Kind, exp.Table], ...]
    """Kind and name of what the statements make, in order."""


def script_files(frozen: FrozenCase) -> Files:
    """Writes the files of a script."""
    names = [*frozen.sources, *frozen.built()]
    parts = list(all_made(names, partial(_part_of, frozen)).values())
    functions = _functions(frozen)
    safe = safe_names(part.name for part in parts)
    width = len(str(len(parts)))
    files: Files = {}
    for number, part in enumerate(parts, start=1):
        files[f"steps/{number:0{width}}_{safe[part.name]}.sql"] = part.text
    texts = [_head(frozen) + _schema(frozen, frozen.request.schema)]
    texts += [part.text for part in parts]
    if functions:
        files["functions.sql"] = "\n".join(_function(frozen, f) for f in functions)
        texts.append(files["functions.sql"])
    files["all.sql"] = "\n".join(texts)
    files["remove.sql"] = _remove(frozen, parts, functions)
    if frozen.score is not None:
        files["score.sql"] = frozen.score.sql(frozen.dialect)
    if frozen.landed and DIALECTS[frozen.dialect].defines_tables:
        files.update(landing_files(frozen))
    return {"README.md": script_readme(frozen, files), **files}


def landing_files(frozen: FrozenCase) -> Files:
    """Writes what makes the tables that files are brought into, and what loads them there."""
    made, loads = [_schema(frozen, frozen.landing_schema)], []
    for source in frozen.landed:
        name = source.concept.name
        columns = [
            column_definition(n, kind, n == source.numbered, frozen.dialect)
            for n, kind in source.landing().items()
        ]
        target = frozen.raw(name)
        schema = exp.Schema(this=target, expressions=columns)
        tree = exp.Create(this=schema, kind="TABLE", exists=True)
        with refusing(frozen, name):
            made.append(f"{render(tree, frozen.dialect, f'rows of {name}')};\n")
        loads += _loads(frozen, source)
    written = {"landing.sql": "\n".join(made)}
    if loads:
        written["load.sql"] = "\n".join(loads) + "\n"
    return written


def _loads(frozen: FrozenCase, source: SourceData) -> list[str]:
    """Returns the lines that load the CSV files of a source, where the client can."""
    lines: list[str | None] = []
    for files in source.files if source.kind == "csv" else ():
        for path in source.paths(frozen.request.data_folder, files):
            target, between = frozen.raw(source.concept.name), files.delimiter
            lines.append(loading(target, files.columns, path, between, frozen.dialect))
    return [line for line in lines if line is not None]


def _head(frozen: FrozenCase) -> str:
    said = f"case '{frozen.name}', for {frozen.dialect}; everything learned is frozen in here"
    lines = [said, *visible(frozen.bound.case.about).splitlines()]
    return "".join(f"-- {one_line(line)}\n" for line in lines)


def _schema(frozen: FrozenCase, schema: str) -> str:
    if not DIALECTS[frozen.dialect].makes_schemas:
        return ""
    tree = exp.Create(this=table(schema), kind="SCHEMA", exists=True)
    return f"{ended(render(tree, frozen.dialect), frozen.dialect)}\n"


def _part_of(frozen: FrozenCase, name: str) -> _Part:
    return _source(frozen, name) if name in frozen.sources else _step(frozen, name)


def _source(frozen: FrozenCase, name: str) -> _Part:
    kind: Kind = "table" if frozen.sources[name].table is None else "view"
    query, comment = frozen.source_query(name), frozen.what(name)
    statement = create_statement(name, frozen.public(name), kind, query, comment)
    return _part(frozen, name, [(kind, statement)])


def _step(frozen: FrozenCase, name: str) -> _Part:
    comment = frozen.what(name)
    with refusing(frozen, name):
        query = frozen.step_query(name, frozen.public)
    statements: list[tuple[Kind, Statement]] = []
    for values in tables_read(frozen.tables(name), query):
        rows, target = values_select(values, frozen.dialect), frozen.public(values.name)
        said = f"{comment}: {values.name}"
        statements.append(("table", create_statement(name, target, "table", rows, said)))
    kind = frozen.layout[name]
    assert kind != "inline", "only what is built has a file"
    made = create_statement(name, frozen.public(name), kind, query, comment)
    return _part(frozen, name, [*statements, (kind, made)])


def _part(frozen: FrozenCase, name: str, statements: list[tuple[Kind, Statement]]) -> _Part:
    made = tuple((kind, statement.tree.this.copy()) for kind, statement in statements)
    about = "".join(f"-- {one_line(line)}\n" for line in frozen.about(name).splitlines())
    with refusing(frozen, name):
        texts = [ended(s.sql(frozen.dialect), frozen.dialect) for _, s in statements]
        text = about + "\n".join(f"{each}\n" for each in texts)
    return _Part(name, text, made)


def _functions(frozen: FrozenCase) -> list[ModelFunction]:
    """Returns the models as functions, where the dialect can have them."""
    if DIALECTS[frozen.dialect].functions is None:
        return []
    try:
        found = named_functions(frozen.bound, frozen.pieces, frozen.public, frozen.dialect)
        for function in found.values():
            function.create(frozen.request.schema, frozen.dialect)
    except NotInDialect:
        return []
    return list(found.values())


def _function(frozen: FrozenCase, function: ModelFunction) -> str:
    said = f"{function.feature} of rows of '{function.concept}', by step '{function.step}'"
    return f"-- {one_line(said)}\n{function.create(frozen.request.schema, frozen.dialect)};\n"


def _remove(frozen: FrozenCase, parts: list[_Part], functions: list[ModelFunction]) -> str:
    """Drops all that the script makes, last things first; nothing else is in danger."""
    lines = [f"{f.drop(frozen.request.schema, frozen.dialect)};" for f in functions]
    for part in reversed(parts):
        for kind, target in reversed(part.made):
            tree = exp.Drop(tables=[target], kind=kind.upper(), exists=True)
            lines.append(ended(render(tree, frozen.dialect), frozen.dialect))
    return "\n".join(lines) + "\n"
