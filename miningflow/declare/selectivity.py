"""Which share of rows satisfies a condition, judged by value counts and histograms."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import reduce

from sqlglot import exp

from miningflow.declare.concept_statistics import FeatureStatistics
from miningflow.declare.estimates import Amount, ConceptEstimate, FeatureEstimate

ANY = Amount(None, 0.0, 1.0)
"""A share of which nothing is known."""


def share_of(condition: exp.Expression, rows: ConceptEstimate) -> Amount:
    """Returns the share of rows for which a condition is true; conditions count as independent."""
    match condition:
        case exp.Paren():
            return share_of(condition.this, rows)
        case exp.And():
            return both(share_of(condition.this, rows), share_of(condition.expression, rows))
        case exp.Or():
            return either(share_of(condition.this, rows), share_of(condition.expression, rows))
        case exp.Not():
            return _negated(condition.this, rows)
        case exp.Is() if isinstance(condition.expression, exp.Null):
            feature = _feature(condition.this, rows)
            return ANY if feature is None else _missing(feature, rows)
        case exp.EQ() | exp.NEQ() | exp.LT() | exp.LTE() | exp.GT() | exp.GTE():
            return _compared(condition, rows)
        case exp.Between():
            low = exp.GTE(this=condition.this.copy(), expression=condition.args["low"].copy())
            high = exp.GT(this=condition.this.copy(), expression=condition.args["high"].copy())
            return _minus(_compared(low, rows), _compared(high, rows))
        case exp.In() if condition.expressions:
            parts = [
                _compared(exp.EQ(this=condition.this.copy(), expression=value.copy()), rows)
                for value in condition.expressions
            ]
            return reduce(_apart, parts)
    return ANY


def both(one: Amount, other: Amount) -> Amount:
    """Returns the share of rows for which two conditions hold, as if they were independent."""
    high = min(_high(one), _high(other))
    likely = None
    if one.likely is not None and other.likely is not None:
        likely = one.likely * other.likely
    return Amount(likely, max(0.0, one.low + other.low - 1), high)


def either(one: Amount, other: Amount) -> Amount:
    """Returns the share of rows for which one of two conditions holds."""
    likely = None
    if one.likely is not None and other.likely is not None:
        likely = one.likely + other.likely - one.likely * other.likely
    return Amount(likely, max(one.low, other.low), min(1.0, _high(one) + _high(other)))


def known_share(feature: FeatureEstimate, rows: ConceptEstimate) -> Amount:
    """Returns the share of rows in which a feature is not NULL."""
    return _others(_missing(feature, rows))


def _negated(inner: exp.Expression, rows: ConceptEstimate) -> Amount:
    """Returns the share for which a condition is false: neither true nor unknown."""
    bare = inner
    while isinstance(bare, exp.Paren):
        bare = bare.this
    if isinstance(bare, exp.Is) and isinstance(bare.expression, exp.Null):
        return _others(share_of(bare, rows))
    true = share_of(bare, rows)
    unknown = [
        _missing(f, rows) for c in bare.find_all(exp.Column) if (f := _feature(c, rows)) is not None
    ]
    nulls = reduce(either, unknown) if unknown else ANY
    return _minus(_others(nulls), true)


def _compared(comparison: exp.Expression, rows: ConceptEstimate) -> Amount:
    feature = _feature(comparison.this, rows)
    value = _value(comparison.expression)
    seen = feature.seen if feature else None
    total = None if seen is None else _total(seen)
    if seen is None or value is None or feature is None or not total:
        return ANY
    if isinstance(comparison, exp.EQ | exp.NEQ):
        equal = _equal(seen, value, total)
        if isinstance(comparison, exp.NEQ):
            equal = _minus(Amount.exactly(1), equal)
        shares = equal
    elif isinstance(value, str):
        return ANY
    else:
        below = _below(seen, value, total, isinstance(comparison, exp.LTE | exp.GT))
        upwards = isinstance(comparison, exp.GT | exp.GTE)
        shares = _minus(Amount.exactly(1), below) if upwards else below
    known = known_share(feature, rows)
    found = known.times(shares)
    return found if feature.sure else Amount(found.likely, 0, known.high)


def _equal(seen: FeatureStatistics, value: float | str, total: int) -> Amount:
    """Returns the share of known values that equal one."""
    counts = {_as_number(v) if seen.type == "numeric" else v: n for v, n in seen.top}
    if value in counts:
        return Amount.exactly(counts[value] / total)
    rest = total - sum(counts.values())
    if not rest and counts:
        return Amount.exactly(0)
    if _outside(seen, value):
        return Amount.exactly(0)
    most = min([rest, *counts.values()])  # it is none of the most frequent ones
    others = max(1, seen.distinct - len(counts))
    return Amount(rest / others / total, 0, most / total)


def _outside(seen: FeatureStatistics, value: float | str) -> bool:
    if isinstance(value, str) or seen.minimum is None or seen.maximum is None:
        return False
    return not seen.minimum <= value <= seen.maximum


def _below(seen: FeatureStatistics, value: float, total: int, inclusive: bool) -> Amount:
    """Returns the share of known values below a number."""
    if sum(n for _, n in seen.top) == total and seen.type == "numeric":
        values = [(_as_number(v), n) for v, n in seen.top]
        count = sum(n for v, n in values if v < value or (inclusive and v == value))
        return Amount.exactly(count / total)
    if seen.minimum is None or seen.maximum is None:
        return ANY
    if value < seen.minimum or (value == seen.minimum and not inclusive):
        return Amount.exactly(0)
    if value > seen.maximum or (value == seen.maximum and inclusive):
        return Amount.exactly(1)
    if not seen.histogram:
        return ANY
    width = (seen.maximum - seen.minimum) / len(seen.histogram)
    place = (value - seen.minimum) / width
    whole = min(int(place), len(seen.histogram) - 1)
    before, here = sum(seen.histogram[:whole]), seen.histogram[whole]
    likely = (before + (place - whole) * here) / total
    # the very edge of a bin may have been rounded into its neighbour
    edge = place - whole < 1e-9
    low = before - (seen.histogram[whole - 1] if edge and whole else 0)
    return Amount(min(1.0, likely), low / total, (before + here) / total)


def _feature(tree: exp.Expression, rows: ConceptEstimate) -> FeatureEstimate | None:
    bare = tree.unnest()
    if isinstance(bare, exp.Cast) and isinstance(bare.this, exp.Column):
        bare = bare.this
    return rows.features.get(bare.name) if isinstance(bare, exp.Column) else None


def _value(tree: exp.Expression) -> float | str | None:
    """Reads a literal: a number, a text, or a time as seconds since 1970."""
    match tree.unnest():
        case exp.Neg(this=exp.Literal() as literal) if not literal.is_string:
            return -float(literal.name)
        case exp.Literal() as literal:
            return str(literal.name) if literal.is_string else float(literal.name)
        case exp.Cast(this=exp.Literal() as literal) if literal.is_string:
            try:
                moment = datetime.fromisoformat(literal.name)
            except ValueError:
                return None
            return (moment - datetime(1970, 1, 1)).total_seconds()
    return None


def _missing(feature: FeatureEstimate, rows: ConceptEstimate) -> Amount:
    if feature.missing.high == 0:
        return Amount.exactly(0)
    if feature.missing.certain and rows.rows.certain and rows.rows.low:
        return Amount.exactly(feature.missing.low / rows.rows.low)
    likely = None
    if feature.missing.likely is not None and rows.rows.likely:
        likely = min(1.0, feature.missing.likely / rows.rows.likely)
    return Amount(likely, 0, 1)


def _total(seen: FeatureStatistics) -> int | None:
    """Counts the known values that can be compared; NaN compares differently everywhere."""
    return None if seen.not_finite else seen.known


def _as_number(text: str) -> float:
    return float(text)


def _others(share: Amount) -> Amount:
    likely = None if share.likely is None else 1 - share.likely
    return Amount(likely, 1 - _high(share), 1 - share.low)


def _minus(whole: Amount, part: Amount) -> Amount:
    likely = None
    if whole.likely is not None and part.likely is not None:
        likely = max(0.0, whole.likely - part.likely)
    high = max(0.0, _high(whole) - part.low)
    return Amount(likely, max(0.0, whole.low - _high(part)), high)


def _apart(one: Amount, other: Amount) -> Amount:
    """Adds shares of conditions that cannot hold together."""
    added = one.plus(other)
    return Amount(added.likely, added.low, min(1.0, _high(one) + _high(other)))


def _high(share: Amount) -> float:
    return 1.0 if share.high is None else share.high


def all_known(features: Sequence[FeatureEstimate], rows: ConceptEstimate) -> Amount:
    """Returns the share of rows in which all these features are known."""
    return reduce(both, (known_share(f, rows) for f in features), Amount.exactly(1))
