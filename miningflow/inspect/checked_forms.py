"""How the text of all rows of a file is read: forms that a sample suggests, or declared ones."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from miningflow.engines.csv_reading import CsvReading
from miningflow.inspect.looked import Looked, portions
from miningflow.inspect.text_forms import (
    AMONG_NUMBERS,
    ANYWHERE,
    TextForm,
    Values,
    common_reading,
)


def checked_reading(
    looked: Looked,
    rows: int,
    forms: dict[str, TextForm],
    values: dict[str, Values],
    words: tuple[str, ...],
    encoding: str,
) -> tuple[CsvReading, dict[str, TextForm]]:
    """Tries forms found in the sample on all rows; a column that does not fit is text."""
    while True:
        decimal, thousands, formats = common_reading(forms)
        reading = CsvReading(decimal, thousands, formats, words, encoding)
        misfits = _misfits(looked, rows, forms, reading)
        if not misfits:
            return reading, forms
        among = {v for some in misfits.values() for v, _ in some}
        new = [w for w in (*ANYWHERE, *AMONG_NUMBERS) if w in among and w not in words]
        words = (*words, *new)
        for name, some in misfits.items():
            left = tuple(value for value, _ in some if value not in words)
            if left and not new:
                like = forms[name].form
                looks_like = like if like != "text" else ""
                forms[name] = TextForm("text", misfits=left[:3], looks_like=looks_like)


def declared_forms(
    looked: Looked,
    rows: int,
    values: Mapping[str, Values],
    names: Sequence[str],
    reading: CsvReading,
    times: Collection[str],
) -> dict[str, TextForm]:
    """Returns what all values of each column are, if they are read in a given way."""
    first, second = TextForm("number"), TextForm("time")
    tried = {name: second if name in times else first for name in names}
    others = _misfits(looked, rows, tried, reading)
    tried |= {name: first if name in times else second for name in others}
    left = _misfits(looked, rows, {name: tried[name] for name in others}, reading)
    return {**tried, **{n: _mixed(values[n], others[n], n in times) for n in left}}


def _mixed(values: Values, misfits: Values, are_times: bool) -> TextForm:
    """Describes a text column, most of whose values may be numbers or times."""
    wrong = {value for value, _ in misfits}
    if 2 * sum(n for v, n in values if v in wrong) >= sum(n for _, n in values):
        return TextForm("text")
    shown = tuple(value for value, _ in misfits[:3])
    return TextForm("text", misfits=shown, looks_like="time" if are_times else "number")


def _misfits(
    looked: Looked, rows: int, forms: dict[str, TextForm], reading: CsvReading
) -> dict[str, Values]:
    """Returns columns with values that are not of their form, and some of these values."""
    wanted = [name for name, form in forms.items() if form.form != "text"]
    found: dict[str, Values] = {}
    for some in portions(wanted, rows):
        casts = {name: _cast(looked, name, forms[name], reading) for name in some}
        counts = ", ".join(
            f"count(*) FILTER (WHERE {known} IS NOT NULL AND {cast} IS NULL)"
            for known, cast in casts.values()
        )
        counted = looked.rows(f"SELECT {counts} FROM {looked.relation}")[0]
        for name, count in zip(some, counted, strict=True):
            if count:
                known, cast = casts[name]
                misfit = looked.rows(
                    f"SELECT {known} AS value, count(*) AS times FROM {looked.relation} "
                    f"WHERE {known} IS NOT NULL AND {cast} IS NULL "
                    "GROUP BY value ORDER BY times DESC, value LIMIT 100"
                )
                found[name] = tuple((str(v), int(n)) for v, n in misfit)
    return found


def _cast(looked: Looked, name: str, form: TextForm, reading: CsvReading) -> tuple[str, str]:
    known = reading.known(looked.session.quoted(name))
    return known, reading.number(known) if form.form == "number" else reading.time(known)
