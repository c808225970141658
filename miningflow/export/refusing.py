"""Refuses what a dialect cannot do, by the name of the step that needs it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from miningflow.errors import CompileError, Diagnostic
from miningflow.export.frozen import FrozenCase
from miningflow.sql.dialect import NotInDialect

T = TypeVar("T")


def all_made(names: Iterable[str], make: Callable[[str], T]) -> dict[str, T]:
    """Makes something of each source or step; what cannot be made is reported together."""
    made: dict[str, T] = {}
    diagnostics: list[Diagnostic] = []
    for name in names:
        try:
            made[name] = make(name)
        except CompileError as error:
            diagnostics += error.diagnostics
    if diagnostics:
        raise CompileError(*diagnostics)
    return made


@contextmanager
def refusing(frozen: FrozenCase, name: str) -> Iterator[None]:
    """Adds to an error in printing the source or step that it belongs to."""
    try:
        yield
    except NotInDialect as error:
        step = frozen.bound.steps.get(name)
        place = step.place() if step else frozen.bound.case.concepts[name].name.place
        what = "step" if step else "concept"
        message = f"{what} {name!r} cannot be exported: {error}"
        raise CompileError(Diagnostic(message, place, error.hint)) from None
