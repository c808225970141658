"""Operators have one name and at most one short name, and no word means two of them."""

from __future__ import annotations

from typing import ClassVar

import pytest

from miningflow.catalog import Catalog, installed
from miningflow.declare import Operator
from miningflow.errors import MiningFlowError


class Doubling(Operator):
    """Doubles a number."""

    alias: ClassVar[str] = "Double"
    finds: ClassVar[tuple[str, ...]] = ("twice",)


class Tripling(Doubling):
    """Triples a number."""


def test_short_names_are_words_and_differ_by_more_than_case() -> None:
    catalog = installed()
    assert all(word.isidentifier() for word in catalog.words)
    assert len({word.casefold() for word in catalog.words}) == len(catalog.words)
    assert all(len(cls.alias) < 30 for cls in catalog.values())


def test_an_operator_is_found_by_either_name_and_listed_by_its_own() -> None:
    catalog = Catalog([Doubling])
    assert catalog.find("Doubling") is catalog.find("Double") is Doubling
    assert catalog.find("double") is None
    assert list(catalog) == ["Doubling"]
    assert "Double" not in catalog
    assert catalog.words == ("Doubling", "Double")


def test_a_subclass_inherits_neither_short_name_nor_search_words() -> None:
    assert (Tripling.alias, Tripling.finds) == ("", ())
    assert Catalog([Doubling, Tripling]).words == ("Doubling", "Tripling", "Double")


def test_two_libraries_with_the_same_word_are_an_error_that_names_both() -> None:
    here = type("Quadrupling", (Operator,), {"alias": "Double", "__module__": "acme.operators"})
    with pytest.raises(MiningFlowError) as caught:
        Catalog([Doubling, here])
    said = str(caught.value)
    assert "two installed operators are called 'Double'" in said
    assert "Doubling of test_catalog" in said.replace("tests.catalog.", "")
    assert "Quadrupling of acme.operators" in said
    assert "uninstall one of the two libraries" in said


def test_a_short_name_cannot_be_the_name_of_another_operator() -> None:
    other = type("Double", (Operator,), {})
    with pytest.raises(MiningFlowError, match="two installed operators are called 'Double'"):
        Catalog([other, Doubling])
    same = type("Doubling", (Operator,), {})
    with pytest.raises(MiningFlowError, match="two installed operators are called 'Doubling'"):
        Catalog([same, Doubling])
