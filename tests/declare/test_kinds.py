"""Every kind of parameter is one class with its own word, and some operator declares it."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import pytest
from support.example_case import OPERATORS

from miningflow.declare.kinds.kind import Kind
from miningflow.declare.parameters import Parameter


def _all(kind: type[Any]) -> Iterator[type[Kind[Any]]]:
    for found in kind.__subclasses__():
        yield from _all(found)
        if not inspect.isabstract(found):
            yield found


KINDS = sorted(set(_all(Kind)), key=lambda kind: kind.__name__)
DECLARED: list[Parameter] = [p for operator in OPERATORS for p in operator.parameters()]


def _used(kind: Kind[Any]) -> Iterator[type[Kind[Any]]]:
    yield type(kind)
    for part in vars(kind).values():
        if isinstance(part, Kind):
            yield from _used(part)


def test_every_kind_is_declared_by_some_operator() -> None:
    assert {found for p in DECLARED for found in _used(p.kind)} == set(KINDS)


def test_every_kind_has_its_own_word() -> None:
    assert len({kind.word for kind in KINDS}) == len(KINDS)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_kind_is_plain_data(kind: type[Kind[Any]]) -> None:
    params = getattr(kind, "__dataclass_params__", None)
    assert params is not None
    assert params.frozen


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_kind_that_shrinks_says_how(kind: type[Kind[Any]]) -> None:
    if kind.parts is not Kind.parts:  # it names features: each is needed, or some can stay
        assert (kind.needs_each is Kind.needs_each) == (kind.keep is not Kind.keep)
