"""Data tests as SQL: conditions that find the rows that break a rule."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlglot import exp

from miningflow.declare.concept import Concept
from miningflow.resolve.data_tests import (
    Accepted,
    BoundDataTest,
    Holds,
    NotNull,
    Related,
    Rule,
    Unique,
    Within,
)
from miningflow.sql.block import Block, Join, Scan, Source, beside, grouped, over
from miningflow.sql.conditions import is_known, is_null
from miningflow.sql.literals import column, double, text, unused, value_of


def breaks(rule: Rule, concept: Concept) -> exp.Expression | None:
    """Returns the condition under which a row breaks a rule; None if one row cannot tell."""
    match rule:
        case NotNull(feature):
            return is_null(column(feature))
        case Accepted(feature, values):
            kind = concept.features[feature].type
            listed = [_literal(kind, value) for value in values]
            return exp.Not(this=exp.In(this=_comparable(concept, feature), expressions=listed))
        case Within(feature, low, high):
            kind = concept.features[feature].type
            outside: list[exp.Expression] = []
            if low is not None:
                outside.append(exp.LT(this=column(feature), expression=_literal(kind, low)))
            if high is not None:
                outside.append(exp.GT(this=column(feature), expression=_literal(kind, high)))
            return (
                outside[0] if len(outside) == 1 else exp.Or(this=outside[0], expression=outside[1])
            )
        case Holds(condition):
            return exp.Not(this=exp.Paren(this=condition.tree.copy()))
    return None


def breaking_rows(test: BoundDataTest, source: Source, concept: Concept) -> Block:
    """Returns the rows that break a rule, with all their features."""
    match test.rule:
        case Unique(features):
            return _repeated(source, concept, features)
        case Related(feature, to, key):
            return _unrelated(source, concept, feature, Scan(to, (key,)), key)
    condition = breaks(test.rule, concept)
    assert condition is not None
    return over(source).filter(condition)


def count_of_breaking(test: BoundDataTest, source: Source, concept: Concept) -> Block:
    """Counts the rows that break a rule."""
    count = exp.Count(this=exp.Star())
    if isinstance(test.rule, Unique):  # groups need less memory than a window over all rows
        times = unused("times", test.rule.features)
        alike = grouped(_known(source, test.rule.features), test.rule.features, {times: count})
        several = column(times) > exp.Literal.number(1)
        return grouped(alike.layered().filter(several), (), {"n": exp.Sum(this=column(times))})
    return grouped(breaking_rows(test, source, concept), (), {"n": count})


def _known(source: Source, features: tuple[str, ...]) -> Block:
    rows = over(source)
    for name in features:
        rows = rows.filter(is_known(column(name)))
    return rows


def _repeated(source: Source, concept: Concept, features: tuple[str, ...]) -> Block:
    rows = _known(source, features)
    times = unused("times", concept.features)
    alike = [column(name) for name in features]
    count = exp.Window(this=exp.Count(this=exp.Star()), partition_by=alike)
    several = column(times) > exp.Literal.number(1)
    found = rows.extend({times: count}).layered().filter(several)
    return found.project(concept.features)


def _unrelated(source: Source, concept: Concept, feature: str, target: Scan, key: str) -> Block:
    on = column(feature, "pointing").eq(column(key, "there"))
    joined = beside({"pointing": source, "there": target}, [Join("there", "left", on)])
    known = is_known(column(feature, "pointing"))
    lost = is_null(column(key, "there"))
    columns = {name: column(name, "pointing") for name in concept.features}
    return Block(columns, joined.inputs, joined.joins, where=(known, lost))


def _comparable(concept: Concept, feature: str) -> exp.Expression:
    """Compares keys as texts, since a case writes them so."""
    if concept.features[feature].type == "key":
        return exp.Cast(this=column(feature), to=exp.DataType.build("text"))
    return column(feature)


def _literal(kind: str, value: Any) -> exp.Expression:
    match value:
        case float():
            return double(value)
        case datetime():
            return value_of(kind, value.isoformat(" "))
        case _:
            return text(str(value))
