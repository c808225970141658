"""What the columns of a table hold: forms found in a sample, tried on all rows; statistics."""

from __future__ import annotations

from collections.abc import Collection

from miningflow.engines.csv_reading import CsvReading
from miningflow.inspect.checked_forms import checked_reading, declared_forms
from miningflow.inspect.column_statistics import statistics
from miningflow.inspect.facts import ColumnFacts, Kind
from miningflow.inspect.looked import Looked, portions
from miningflow.inspect.sampling import narrow_sample
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
    values: dict[str, Values] = {}
    for names in portions(list(types), 0):
        with narrow_sample(looked, names, len(types)) as sample:
            for name in names:
                values[name] = _sample_values(looked, sample, name, types[name], plain)
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
        facts.update(statistics(looked, some, rows, reading))
    return facts, reading


def _sample_values(
    looked: Looked, sample: str, name: str, sql_type: str, plain: CsvReading
) -> Values:
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
        f"SELECT value, count(*) AS times FROM (SELECT {column} AS value FROM {sample}) v "
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
