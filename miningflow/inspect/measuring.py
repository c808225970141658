"""Statistics of the columns of a table, computed where the table is."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from miningflow.engines.csv_reading import CsvReading
from miningflow.inspect.checked_forms import checked_reading, declared_forms
from miningflow.inspect.facts import ColumnFacts, Kind
from miningflow.inspect.looked import EXACT_ROWS, Looked, portions
from miningflow.inspect.text_forms import TextForm, Values, null_words, text_form

MOST_VALUES = 2000
SHOWN_VALUES = 60


def measure(
    looked: Looked,
    rows: int,
    types: dict[str, str],
    encoding: str,
    declared: CsvReading | None = None,
    times: Collection[str] = (),
) -> tuple[dict[str, ColumnFacts], CsvReading]:
    """Returns statistics of each column, and how a CSV file is read.

    If that is `declared`, values are read so, and it is not inferred; `times` are columns whose
    values are times, even if they could be numbers.
    """
    plain = CsvReading(encoding=encoding)
    values = {name: _sample_values(looked, name, kind, plain) for name, kind in types.items()}
    forms: dict[str, TextForm] = {}
    reading = plain
    texts = [n for n, kind in types.items() if looked.session.family(kind) == "text"]
    if declared is not None:
        reading, forms = declared, declared_forms(looked, rows, values, texts, declared, times)
    elif looked.is_text:
        words = null_words([values[name] for name in texts])
        forms = {name: text_form(values[name], words) for name in texts}
        reading, forms = checked_reading(looked, rows, forms, values, words, encoding)
    else:
        found = {name: text_form(values[name], ()) for name in texts}
        forms = {name: _plain_number(form) for name, form in found.items()}
    started = {
        name: _started(looked, name, sql_type, rows, forms.get(name), values[name], reading)
        for name, sql_type in types.items()
    }
    facts: dict[str, ColumnFacts] = {}
    for some in portions(list(started.values()), rows):
        facts.update(_measured(looked, some, rows, reading))
    return facts, reading


def value_of(looked: Looked, facts: ColumnFacts, reading: CsvReading) -> str:
    """Returns the expression of a column's values: a number, a time, or what is there."""
    column = looked.session.quoted(facts.name)
    known = reading.known(column) if looked.is_text else column
    if facts.kind == "number":
        if looked.is_text:
            return reading.number(known)
        return looked.session.typed(facts.name, facts.sql_type, "numeric")
    if facts.kind == "time" and looked.is_text:
        return reading.time(known)
    return known


def exact_distinct(looked: Looked, column: str, reading: CsvReading) -> int:
    """Counts the different values of a column, which may take long."""
    quoted = looked.session.quoted(column)
    known = reading.known(quoted) if looked.is_text else quoted
    found = looked.rows(f"SELECT count(DISTINCT {known}) FROM {looked.relation}")
    return int(found[0][0])


def _sample_values(looked: Looked, name: str, sql_type: str, plain: CsvReading) -> Values:
    """Returns the most frequent values of the sample, as text."""
    session, family = looked.session, looked.session.family(sql_type)
    if family == "other":
        return ()
    column = plain.known(session.quoted(name)) if looked.is_text else session.quoted(name)
    if not looked.is_text and family != "time":
        column = session.typed(name, sql_type, "text")
    elif family == "time":
        column = f"CAST({column} AS VARCHAR(60))" if looked.dialect == "postgres" else column
    most = MOST_VALUES if family == "text" else SHOWN_VALUES
    found = looked.rows(
        f"SELECT value, count(*) AS times FROM (SELECT {column} AS value FROM {looked.sample}) v "
        f"WHERE value IS NOT NULL GROUP BY value ORDER BY times DESC, value LIMIT {most}"
    )
    return tuple((str(value), int(times)) for value, times in found)


def _plain_number(form: TextForm) -> TextForm:
    """Keeps what text of a typed source can be read as: numbers with a point."""
    if form.form == "number" and form.decimal == "." and form.thousands is None:
        return form
    return TextForm("text", misfits=form.misfits, looks_like=form.looks_like)


def _started(
    looked: Looked,
    name: str,
    sql_type: str,
    rows: int,
    form: TextForm | None,
    values: Values,
    reading: CsvReading,
) -> ColumnFacts:
    """Returns what the sample says about a column."""
    family = looked.session.family(sql_type)
    kinds: dict[str, Kind] = {"fraction": "number", "number": "number", "time": "time"}
    kind: Kind = kinds.get(family, "truth" if family == "truth" else "other")
    if form is not None:
        kind = form.form
    known = [(v, n) for v, n in values if v not in reading.null_values]
    digits = [v for v, _ in known if v.isdigit()]
    return ColumnFacts(
        name,
        sql_type,
        family,
        kind,
        rows,
        0,
        0,
        has_leading_zeros=any(len(v) > 1 and v[0] == "0" for v in digits) and form is not None,
        frequent=tuple(known[:SHOWN_VALUES]),
        sampled=sum(count for _, count in known),
        date_format=form.date_format if form else "",
        other_date_format=form.other_date_format if form else "",
        misfits=form.misfits if form else (),
        looks_like=form.looks_like if form else "",
    )


def _measured(
    looked: Looked, columns: Sequence[ColumnFacts], rows: int, reading: CsvReading
) -> dict[str, ColumnFacts]:
    """Asks for the statistics of several columns in one query."""
    asked = [_questions(looked, f"v{i}", facts, rows) for i, facts in enumerate(columns)]
    query = ", ".join(each for some in asked for each in some)
    values = ", ".join(
        f"{value_of(looked, facts, reading)} AS v{i}" for i, facts in enumerate(columns)
    )
    read = f"(SELECT {values} FROM {looked.relation}) looked_at"
    answers = list(looked.rows(f"SELECT {query} FROM {read}")[0])
    found: dict[str, ColumnFacts] = {}
    for facts, some in zip(columns, asked, strict=True):
        mine, answers = answers[: len(some)], answers[len(some) :]
        found[facts.name] = _answered(facts, mine)
    return found


def _questions(looked: Looked, value: str, facts: ColumnFacts, rows: int) -> tuple[str, ...]:
    if facts.kind == "other":
        return (f"count({value})",)
    estimates = rows > EXACT_ROWS and looked.approximates
    distinct = f"approx_count_distinct({value})" if estimates else f"count(DISTINCT {value})"
    asked = (f"count({value})", distinct)
    if facts.kind == "time":
        return (*asked, f"min({value})", f"max({value})")
    if facts.kind == "truth":
        return asked
    if facts.kind == "text":
        return (*asked, f"max(length({value}))")
    sane = value
    if facts.family != "number":
        sane = f"CASE WHEN abs({value}) <= 1e150 THEN {value} END"  # neither NaN nor infinite
    large = f"approx_quantile(abs({sane}), 0.99)" if looked.dialect.startswith("duckdb") else "NULL"
    return (
        *asked,
        f"min({sane})",
        f"max({sane})",
        f"avg({sane})",
        f"stddev_samp({sane})",
        large,
        f"count(CASE WHEN {sane} <> floor({sane}) THEN 1 END)",
        f"count({value}) - count({sane})",
    )


def _answered(facts: ColumnFacts, answers: Sequence[Any]) -> ColumnFacts:
    known = int(answers[0])
    if facts.kind == "other":
        return replace(facts, known=known)
    facts = replace(facts, known=known, distinct=min(int(answers[1]), known))
    if facts.kind == "time":
        return replace(facts, minimum=answers[2], maximum=answers[3])
    if facts.kind == "truth":
        return facts
    if facts.kind == "text":
        return replace(facts, longest=int(answers[2] or 0))
    low, high, mean, deviation, large, fractional, not_finite = answers[2:]
    return replace(
        facts,
        minimum=_number(low),
        maximum=_number(high),
        mean=_number(mean),
        deviation=_number(deviation),
        large=_number(large),
        is_whole=fractional == 0 and known > 0 and not not_finite,
        not_finite=int(not_finite),
    )


def _number(value: Any) -> float | None:
    found = None if value is None else float(value)
    return found if found is None or math.isfinite(found) else None


def same_values(looked: Looked, first: str, second: str) -> bool:
    """Returns whether two columns have the same value in every row."""
    a, b = looked.session.quoted(first), looked.session.quoted(second)
    found = looked.rows(f"SELECT count(*) FROM {looked.relation} WHERE {a} IS DISTINCT FROM {b}")
    return int(found[0][0]) == 0
