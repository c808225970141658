"""A declaration has the type of its values, so that mypy sees a wrong default or annotation.

Each `type: ignore` here is a test: mypy --strict reports one that ignores nothing.
"""

from __future__ import annotations

import typing

import pytest
from support.example_case import OPERATORS

from miningflow.declare import (
    Concept,
    Feature,
    Operator,
    boolean,
    choice,
    concept,
    feature,
    features,
    integer,
    literals,
    new_feature,
    number,
    operator,
)


@operator
class Wrong(Operator):
    """An operator whose every declaration mypy refuses."""

    input: Concept = concept("may be missing", default=None)  # type: ignore[assignment]
    target: Feature = feature("may be missing", default=None)  # type: ignore[assignment]
    single: tuple[Feature, ...] = feature("is a single one")  # type: ignore[assignment]
    several: Feature = features("are several")  # type: ignore[assignment]
    count: int = integer("has a text as default", default="x")  # type: ignore[call-overload]
    word: str = integer("is a number")  # type: ignore[assignment]
    limit: float = number("has a text as limit", minimum="1")  # type: ignore[call-overload]
    size: float = number("may be missing", default=None)  # type: ignore[assignment]
    answer: bool = boolean("has a word as default", default="yes")  # type: ignore[call-overload]
    kernel: str = choice("has a number", ["1", "2"], default=1)  # type: ignore[call-overload]
    output: str = new_feature("may be missing", default=None)  # type: ignore[assignment]
    values: str = literals("are several")  # type: ignore[assignment]


@operator
class Right(Operator):
    """The same declarations as they should be."""

    input: Concept | None = concept("may be missing", default=None)
    target: Feature | None = feature("may be missing", default=None)
    single: Feature = feature("is a single one")
    several: tuple[Feature, ...] = features("are several")
    count: int = integer("has a number as default", default=1)
    word: int = integer("is a number")
    limit: float = number("has a number as limit", minimum=1)
    size: float | None = number("may be missing", default=None)
    answer: bool = boolean("has an answer as default", default=True)
    kernel: str = choice("has a word as default", ["1", "2"], default="1")
    output: str | None = new_feature("may be missing", default=None)
    values: tuple[str, ...] = literals("are several")


def _fits(cls: type[Operator]) -> dict[str, bool]:
    """Returns for each parameter whether its field may be None exactly if its default is None."""
    hints = typing.get_type_hints(cls)
    return {
        p.name: (type(None) in typing.get_args(hints[p.name])) == (p.default is None)
        for p in cls.parameters()
    }


def test_a_default_of_none_needs_a_field_that_may_be_none() -> None:
    assert [n for n, fits in _fits(Wrong).items() if not fits] == [
        "input",
        "target",
        "size",
        "output",
    ]
    assert all(_fits(Right).values())


@pytest.mark.parametrize("cls", OPERATORS, ids=lambda o: o.__name__)
def test_what_may_be_none_is_none_by_default(cls: type[Operator]) -> None:
    """Checks what mypy cannot see: an obligatory parameter fits a field that may be None."""
    assert all(_fits(cls).values())
