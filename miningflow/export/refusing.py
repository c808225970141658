"""Refuses what a dialect cannot do, by the name of the step that needs it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from miningflow.errors import CompileError, Mistake
from miningflow.export.frozen import FrozenCase
from miningflow.sql.dialect import NotInDialect

T = TypeVar("T")


def all_made(names: Iterable[str], make: Callable[[str], T]) -> dict[str, T]:
    """Makes something of each source or step; what cannot be made is reported together."""
    made: dict[str, T] = {}
    mistakes: list[Mistake] = []
    for name in names:
        try:
            made[name] = make(name)
        except CompileError as error:
            mistakes += error.mistakes
    if mistakes:
        raise CompileError(*mistakes)
    return made


@contextmanager
def refusing(frozen: FrozenCase, name: str) -> Iterator[None]:
    """Says of what cannot be printed which source or step it belongs to."""
    try:
        yield
    except NotInDialect as error:
        step = frozen.bound.steps.get(name)
        place = step.place() if step else frozen.bound.case.concepts[name].name.place
        what = "step" if step else "concept"
        message = f"{what} {name!r} cannot be exported: {error}"
        raise CompileError(Mistake(message, place, error.hint)) from None
