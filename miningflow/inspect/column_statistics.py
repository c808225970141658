"""Statistics of columns whose kind is known: their range, their different values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from miningflow.engines.csv_reading import CsvReading
from miningflow.inspect.facts import ColumnFacts
from miningflow.inspect.looked import EXACT_ROWS, Looked, value_of

FEW_ROWS = 5000
"""DuckDB counts the different values of so few rows faster in a list."""


def statistics(
    looked: Looked, columns: Sequence[ColumnFacts], rows: int, reading: CsvReading
) -> dict[str, ColumnFacts]:
    """Adds the statistics of several columns, which one query asks for."""
    asked = [_questions(looked, f"v{i}", facts, rows) for i, facts in enumerate(columns)]
    query = ", ".join(each for some in asked for each in some)
    values = ", ".join(
        f"{value_of(looked, facts, reading)} AS v{i}" for i, facts in enumerate(columns)
    )
    read = f"(SELECT {values} FROM {looked.relation}) looked_at"
    answers = list(looked.rows(f"SELECT {query} FROM {read}")[0])
    large = _large(looked, columns, values, rows)
    found: dict[str, ColumnFacts] = {}
    for i, (facts, some) in enumerate(zip(columns, asked, strict=True)):
        mine, answers = answers[: len(some)], answers[len(some) :]
        found[facts.name] = replace(_answered(facts, mine), large=large.get(i))
    return found


def _large(
    looked: Looked, columns: Sequence[ColumnFacts], values: str, rows: int
) -> dict[int, float | None]:
    """Asks for the sizes that few numbers exceed; of many rows, those of the sample.

    Quantiles of all rows would take more time than all other questions together.
    """
    numbers = [i for i, facts in enumerate(columns) if facts.kind == "number"]
    if not numbers or not looked.dialect.startswith("duckdb"):
        return {}
    query = ", ".join(f"approx_quantile(abs({_sane(f'v{i}', columns[i])}), 0.99)" for i in numbers)
    source = looked.relation if rows <= EXACT_ROWS else looked.sample
    answers = looked.rows(f"SELECT {query} FROM (SELECT {values} FROM {source}) looked_at")[0]
    return {i: _number(answer) for i, answer in zip(numbers, answers, strict=True)}


def _sane(value: str, facts: ColumnFacts) -> str:
    """Returns the expression of a number that is neither NaN nor infinite."""
    return (
        value if facts.family == "number" else f"CASE WHEN abs({value}) <= 1e150 THEN {value} END"
    )


def _questions(looked: Looked, value: str, facts: ColumnFacts, rows: int) -> tuple[str, ...]:
    if facts.kind == "other":
        return (f"count({value})",)
    estimates = rows > EXACT_ROWS and looked.approximates
    distinct = f"approx_count_distinct({value})" if estimates else f"count(DISTINCT {value})"
    if rows <= FEW_ROWS and looked.dialect.startswith("duckdb"):
        distinct = f"list_unique(list({value}))"  # a DISTINCT has threads to start
    asked = (f"count({value})", distinct)
    if facts.kind == "time":
        return (*asked, f"min({value})", f"max({value})")
    if facts.kind == "truth":
        return asked
    if facts.kind == "text":
        return (*asked, f"max(length({value}))")
    sane = _sane(value, facts)
    is_whole = facts.family == "number"
    return (
        *asked,
        f"min({sane})",
        f"max({sane})",
        f"avg({sane})",
        f"stddev_samp({sane})",
        "0" if is_whole else f"count(CASE WHEN {sane} <> floor({sane}) THEN 1 END)",
        "0" if is_whole else f"count({value}) - count({sane})",
    )


def _answered(facts: ColumnFacts, answers: Sequence[Any]) -> ColumnFacts:
    known = int(answers[0])
    if facts.kind == "other":
        return replace(facts, known=known)
    facts = replace(facts, known=known, distinct=min(int(answers[1] or 0), known))
    if facts.kind == "time":
        return replace(facts, minimum=answers[2], maximum=answers[3])
    if facts.kind == "truth":
        return facts
    if facts.kind == "text":
        return replace(facts, longest=int(answers[2] or 0))
    low, high, mean, deviation, fractional, not_finite = answers[2:]
    return replace(
        facts,
        minimum=_number(low),
        maximum=_number(high),
        mean=_number(mean),
        deviation=_number(deviation),
        is_whole=fractional == 0 and known > 0 and not not_finite,
        not_finite=int(not_finite),
    )


def _number(value: Any) -> float | None:
    found = None if value is None else float(value)
    return found if found is None or math.isfinite(found) else None
