"""The rules that exported tables are tested by: those of the case, and that keys are keys."""

from __future__ import annotations

from collections.abc import Iterator

from miningflow.compile.data_tests import breaking_rows
from miningflow.errors import Place
from miningflow.export.frozen import FrozenCase
from miningflow.resolve.data_tests import BoundDataTest, NotNull, Rule, Unique
from miningflow.sql.block import Block


def rules_of(frozen: FrozenCase) -> list[BoundDataTest]:
    """Returns all rules, each once; those about deselected features have nothing to test."""
    found: dict[tuple[str, str], BoundDataTest] = {}
    for test in frozen.bound.data_tests:
        present = frozen.concept(test.concept).features
        if all(feature in present for feature in test.features):
            found.setdefault((test.concept, repr(test.rule)), test)
    for name in (*frozen.sources, *frozen.built()):
        if frozen.layout.get(name) != "inline":
            for rule in _key_rules(frozen, name):
                test = BoundDataTest(name, rule, _said(rule), "error", _place(frozen, name))
                found.setdefault((name, repr(rule)), test)
    return list(found.values())


def breaking(frozen: FrozenCase, test: BoundDataTest) -> Block:
    """Returns the rows that break a rule."""
    piece = frozen.pieces[test.concept]
    return breaking_rows(test, piece.source(), piece.presence.concept)


def _key_rules(frozen: FrozenCase, name: str) -> Iterator[Rule]:
    concept = frozen.concept(name)
    if concept.key is None:
        return
    repeated = [s.feature for s in concept.segmentations if s.repeats]
    if concept.features[concept.key].type == "key":  # a group may be that of NULL
        yield NotNull(concept.key)
    yield Unique((concept.key, *repeated))


def _said(rule: Rule) -> str:
    match rule:
        case Unique(features):
            return f"{', '.join(features)} is unique"
        case NotNull(feature):
            return f"{feature} is never missing"
    raise AssertionError(rule)


def _place(frozen: FrozenCase, name: str) -> Place:
    step = frozen.bound.steps.get(name)
    return step.place() if step else frozen.bound.case.concepts[name].name.place
