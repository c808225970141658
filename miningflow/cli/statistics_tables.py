"""How statistics and estimates are printed: a table per concept, a line per feature."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from miningflow.cli.output import echo, note, print_json, table
from miningflow.cli.tables import print_table
from miningflow.declare.concept_statistics import ConceptStatistics, FeatureStatistics
from miningflow.declare.estimates import Amount
from miningflow.verbs.estimate import Estimated
from miningflow.verbs.stats import CaseStatistics

TOP_SHOWN = 3
LONGEST_VALUE = 16
_BARS = "▁▂▃▄▅▆▇█"


def print_statistics(statistics: CaseStatistics, json: bool) -> None:
    """Prints statistics, and why some are missing."""
    if json:
        print_json(statistics.as_json())
        return
    for found in statistics.found:
        if found.concept in statistics:
            _print_concept(statistics[found.concept])
        else:
            echo(f"{found.concept}: {found.missing}")


def print_estimates(found: Sequence[Estimated], features: bool, json: bool) -> None:
    """Prints estimated beside real numbers: rows of all steps, or features of chosen ones."""
    if json:
        print_json({"concepts": [e.as_json() for e in found]})
        return
    shown = table("step", "operator", ">rows estimated", ">bounds", ">rows real")
    for e in found:
        rows = e.estimate.rows
        shown.add_row(e.concept, e.operator, _likely(rows), _bounds(rows), _real(e.rows))
    print_table(shown)
    for e in found if features else ():
        _print_features(e)
    if any(f.may_go for e in found for f in e.estimate.features.values()):
        echo(
            "? a selection may drop features" + (" with this mark" if features else "") + ":"
            " only a run can tell which"
        )
    if not features:
        note("name steps to see missing and distinct values of their features")


def _print_features(e: Estimated) -> None:
    shown = table(
        "feature",
        "",
        ">missing estimated",
        ">bounds",
        ">real",
        ">distinct estimated",
        ">bounds",
        ">real",
        title=e.concept,
    )
    for name, f in e.estimate.features.items():
        shown.add_row(
            name,
            "?" if f.may_go else "",
            _likely(f.missing),
            _bounds(f.missing),
            _real(e.real(name, "missing")),
            _likely(f.distinct),
            _bounds(f.distinct),
            _real(e.real(name, "distinct")),
        )
    print_table(shown)


def _likely(amount: Amount) -> str:
    if amount.certain:
        return f"{amount.low:,.0f}"
    return "unknown" if amount.likely is None else f"≈ {amount.likely:,.0f}"


def _bounds(amount: Amount) -> str:
    if amount.certain:
        return ""
    return f"{amount.low:,.0f} – " + ("?" if amount.high is None else f"{amount.high:,.0f}")


def _real(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def _print_concept(statistics: ConceptStatistics) -> None:
    about = "≈" if not statistics.exact else ""
    part = ", without those held out" if statistics.part == "learned" else ""
    shown = table(
        "feature",
        "type",
        ">missing",
        f">distinct{about}",
        ">min",
        f">median{about}",
        ">max",
        ">mean",
        ">deviation",
        "distribution",
        title=f"{statistics.concept}: {statistics.rows:,} rows{part}",
    )
    for f in statistics.features:
        numbers = [_number(f, v) for v in (f.minimum, f.median, f.maximum, f.mean)]
        spread = "" if f.deviation is None else _spread(f)
        missing = _missing(f, statistics.rows)
        shown.add_row(f.feature, f.type, missing, f"{f.distinct:,}", *numbers, spread, _shape(f))
    print_table(shown)


def _missing(f: FeatureStatistics, rows: int) -> str:
    odd = f" + {f.not_finite:,} not finite" if f.not_finite else ""
    if not f.missing:
        return f"–{odd}"
    return f"{f.missing:,} ({f.missing / rows:.0%}){odd}"


def _number(f: FeatureStatistics, value: float | None) -> str:
    if value is None:
        return ""
    if f.type == "time":
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=value)
        return moment.strftime("%Y-%m-%d" if value % 86_400 == 0 else "%Y-%m-%d %H:%M")
    whole = 10_000 <= abs(value) < 1e12
    return f"{value:,.0f}" if whole else f"{value:,.4g}"


def _spread(f: FeatureStatistics) -> str:
    assert f.deviation is not None
    if f.type == "time":
        return f"{f.deviation / 86_400:,.4g} days"
    return f"{f.deviation:,.4g}"


def _shape(f: FeatureStatistics) -> str:
    """Draws a histogram, or names the most frequent values."""
    if f.histogram and not f.top:
        most = max(f.histogram)
        return "".join(_BARS[round((len(_BARS) - 1) * n / most)] if n else " " for n in f.histogram)
    numbers = f.type == "numeric"
    values = [(f"{float(v):.6g}" if numbers else _short(v), n) for v, n in f.top[:TOP_SHOWN]]
    shown = [f"{value} {count:,}" for value, count in values]
    return ", ".join(shown) + (" …" if f.distinct > TOP_SHOWN and shown else "")


def _short(value: str) -> str:
    return value if len(value) <= LONGEST_VALUE else value[: LONGEST_VALUE - 1] + "…"
