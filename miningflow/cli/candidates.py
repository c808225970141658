"""What may stand in an argument or option, for completion: read quickly, and never an error.

A case is only read, as it is while somebody writes it; no store is opened.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

import typer

if TYPE_CHECKING:
    from miningflow.read import Case

EXPORTS = ("script", "dbt", "sqlmesh")
METRICS = ("error", "accuracy", "f1", "auc")
STORES = ("duckdb:///", "duckdb://", "postgresql://", "local", "spark://", "sc://")
_CASES = (".yml", ".yaml")
_MOST_FILES = 1000
_LARGEST_CASE = 1_000_000


class FileName(str):
    """The path of a file, or of a folder with a slash at its end."""


def case_files(incomplete: str) -> list[str]:
    """Returns YAML files, and folders that may hold some."""
    return list(_files(incomplete, _CASES))


def any_files(incomplete: str) -> list[str]:
    """Returns files and folders."""
    return list(_files(incomplete, ("",)))


def complete_paths(command: Callable[..., Any]) -> None:
    """Lets arguments and options that are paths complete files, unless they know better.

    The annotations of the command are objects already, so that what is set here stays.
    """
    for hint in get_type_hints(command, include_extras=True).values():
        plain, *described = get_args(hint) or (hint,)
        if Path in (plain, *get_args(plain)):
            for parameter in described:
                parameter.autocompletion = parameter.autocompletion or any_files


def steps(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Returns the steps of the case on the line, with their operators."""
    case = _case(ctx)
    return [] if case is None else _steps(case)


def nodes(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Returns the concepts and steps of the case on the line."""
    case = _case(ctx)
    return [] if case is None else _concepts(case) + _steps(case)


def selections(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Returns steps as `--select` names them, behind a plus sign if there is one."""
    plus = "+" if incomplete.startswith("+") else ""
    return [(plus + name, said) for name, said in nodes(ctx, incomplete)]


def tested(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Returns the tests of the case on the line, and the steps that have data tests."""
    case = _case(ctx)
    if case is None:
        return []
    return [(name, "test") for name in case.tests] + nodes(ctx, incomplete)


def features(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Returns concepts and steps; after a point, the features of a concept."""
    case = _case(ctx)
    if case is None:
        return []
    name, point, _ = incomplete.partition(".")
    if not point:
        return _concepts(case) + _steps(case)
    known = {
        feature.text: kind.text
        for concept in case.concepts.values()
        if concept.name.text == name or name in case.steps
        for feature, kind in concept.features
    }
    return [(f"{name}.{feature}", kind) for feature, kind in known.items()]


def inputs(ctx: typer.Context, incomplete: str) -> list[str | tuple[str, str]]:
    """Returns concepts and an equals sign; behind it, files."""
    name, equals, path = incomplete.partition("=")
    if equals:
        return [FileName(f"{name}={file}") for file in _files(path, ("",))]
    case = _case(ctx)
    return [] if case is None else [(f"{name}=", said) for name, said in _concepts(case)]


def operators(incomplete: str) -> list[tuple[str, str]]:
    """Returns the installed operators, also by their short names."""
    from miningflow.catalog import installed

    found = installed().items()
    names = [(name, cls.family) for name, cls in found]
    return names + [(cls.alias, name) for name, cls in found if cls.alias]


def selectors(incomplete: str) -> list[tuple[str, str]]:
    """Returns the selectors that can be compared."""
    from miningflow.catalog import installed

    found = {}
    for name, cls in installed().items():
        contestant = vars(cls).get("contestant")
        if contestant is not None:
            found[contestant.name] = name
    return list(found.items())


def metrics(incomplete: str) -> list[str]:
    """Returns the metrics that selectors are compared by."""
    return list(METRICS)


def forms(incomplete: str) -> list[str]:
    """Returns the forms of an export."""
    return list(EXPORTS)


def dialects(incomplete: str) -> list[tuple[str, str]]:
    """Returns the dialects of SQL."""
    from miningflow.sql.dialects import DIALECTS

    return [(name, known.title) for name, known in DIALECTS.items()]


def stores(incomplete: str) -> list[str]:
    """Returns how addresses of stores begin, and connection files."""
    return [*STORES, *case_files(incomplete)]


def _case(ctx: typer.Context) -> Case | None:
    """Reads the first case file on the line, if it can be read."""
    from miningflow.errors import MiningFlowError
    from miningflow.read import read_case

    words: Iterable[str] = ctx.obj or ()
    for path in (Path(word).expanduser() for word in words if word.endswith(_CASES)):
        try:
            if path.is_file() and path.stat().st_size <= _LARGEST_CASE:
                return read_case(path)
        except (MiningFlowError, OSError):
            return None
    return None


def _steps(case: Case) -> list[tuple[str, str]]:
    written = {step.name.text: step.operator.text for step in case.steps.values()}
    return list(written.items())


def _concepts(case: Case) -> list[tuple[str, str]]:
    return [(concept.name.text, "concept") for concept in case.concepts.values()]


def _files(incomplete: str, endings: tuple[str, ...]) -> Iterator[FileName]:
    folder, _, start = incomplete.rpartition("/")
    written = f"{folder}/" if "/" in incomplete else ""
    try:
        with os.scandir(Path(written or ".").expanduser()) as entries:
            some = islice(entries, _MOST_FILES)
            found = sorted((entry.name, entry.is_dir()) for entry in some)
    except OSError:
        return
    for name, is_folder in found:
        if not name.startswith(start) or (name.startswith(".") and not start.startswith(".")):
            continue
        if is_folder:
            yield FileName(f"{written}{name}/")
        elif name.endswith(endings):
            yield FileName(written + name)
