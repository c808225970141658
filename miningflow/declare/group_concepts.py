"""Concepts with a row per group: what their key is, and what they still point to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from miningflow.declare import Concept, Feature, Notes
from miningflow.declare.estimates import Amount, ConceptEstimate, carried, grouped_rows
from miningflow.sql.conditions import when
from miningflow.sql.literals import column, value_of

LONGEST_NAME = 120


def group_concept(concept: Concept, by: Sequence[Feature], made: Iterable[Feature]) -> Concept:
    """Returns the concept of groups: what they were grouped by, then what was made of each.

    The key stays if it is grouped by; otherwise a single feature that is grouped by becomes it.
    """
    names = [feature.name for feature in by]
    kept = concept.only(names)
    features = {name: concept.features[name] for name in names}
    features.update((feature.name, feature) for feature in made)
    key = kept.key or (names[0] if len(names) == 1 else None)
    return Concept(concept.name, features, key, kept.reaches)


def group_estimate(whole: ConceptEstimate, by: Sequence[str], output: Concept) -> ConceptEstimate:
    """Estimates a concept of groups: how many there are, and the values that they are made by."""
    rows = grouped_rows(whole, by)
    one = Amount(None, 0.0, 1.0)
    known = {
        name: replace(whole.feature(name), missing=one.at_most(whole.feature(name).missing))
        for name in by
    }
    if len(by) > 1:  # NULL may be part of several groups
        known = {name: replace(f, missing=Amount()) for name, f in known.items()}
    return carried(rows, [ConceptEstimate(rows, known)], output)


def note_clashes(notes: Notes, made: Mapping[str, str], taken: Iterable[str], hint: str) -> None:
    """Notes new names that clash or that databases cannot use; `made` says by which parameter."""
    known = {name.casefold(): name for name in taken}
    for name, parameter in made.items():
        other = known.setdefault(name.casefold(), name)
        if other is not name:
            notes.error(parameter, f"{name!r} would be made, but {other!r} exists", hint)
        elif not name.isprintable() or len(name) > LONGEST_NAME:
            notes.error(parameter, f"{name[:40]!r} is not a name that databases can use", hint)


def where_it_is(feature: Feature, value: str, then: exp.Expression) -> exp.Expression:
    """Returns an expression in the rows in which a feature has a value, and NULL in all others."""
    has_it = column(feature.name).eq(value_of(feature.type, value))
    return when(has_it, then)


def counted(count: exp.Expression) -> exp.Expression:
    """Returns a count as a double, which numeric features are."""
    return exp.Cast(this=count, to=exp.DataType.build("double"))
