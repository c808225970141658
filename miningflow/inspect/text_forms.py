"""What the text of CSV columns stands for: numbers, times, missing values; judged by a sample."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Values = Sequence[tuple[str, int]]
"""Values with how many rows have them."""
Form = Literal["number", "time", "text"]

_NUMBER = re.compile(r"[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?")
_EXPONENT = r"([eE][+-]?[0-9]+)?"
_COMMA = re.compile(r"[+-]?([0-9]+(,[0-9]*)?|,[0-9]+)" + _EXPONENT)
_POINT_GROUPS = re.compile(r"[+-]?[0-9]{1,3}([.][0-9]{3})+(,[0-9]*)?")
_COMMA_GROUPS = re.compile(r"[+-]?[0-9]{1,3}(,[0-9]{3})+([.][0-9]*)?")
_ISO = re.compile(
    r"\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2}([.]\d{1,9})?)?\s*(Z|[+-]\d{2}(:?\d{2})?)?)?"
)
_CODE = re.compile(r"[A-Z]{2}")

ANYWHERE = ("NA", "N/A", "n/a", "#N/A", "NULL", "null", "NaN", "nan", "<NA>", "\\N", "?")
"""Words for a missing value wherever they occur."""
AMONG_NUMBERS = (
    *("na", "-", "--", ".", "..", "*", "None", "none", "NONE", "nil", "NIL", "missing"),
    *("Missing", "unknown", "Unknown", "k. A.", "k.A.", "#", "x", "nicht bekannt", "inf", "-inf"),
)
"""Words for a missing value among numbers or times only."""

DATE_FORMATS = (
    "%d.%m.%Y", "%d.%m.%y", "%m/%d/%Y", "%d/%m/%Y", "%m/%d/%y", "%d/%m/%y", "%Y/%m/%d",
    "%d-%m-%Y", "%m-%d-%Y", "%d %b %Y", "%d-%b-%Y", "%d-%b-%y", "%b %d, %Y", "%B %d, %Y",
    "%b %d %Y", "%B %d %Y", "%d %B %Y", "%Y%m%d",
)  # fmt: skip
_CLOCKS = ("", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p", "T%H:%M:%S")
MOST_MISFITS = 0.1


@dataclass(frozen=True)
class TextForm:
    """How the values of a column are written."""

    form: Form
    decimal: str = "."
    thousands: str | None = None
    date_format: str = ""
    other_date_format: str = ""
    misfits: tuple[str, ...] = ()
    looks_like: Literal["", "number", "time"] = ""


def null_words(columns: Iterable[Values]) -> tuple[str, ...]:
    """Finds the words that stand for a missing value in a file."""
    found: dict[str, None] = {}
    for values in columns:
        present = [value for value, _ in values]
        others = [v for v in present if v not in ANYWHERE and v not in AMONG_NUMBERS]
        form = _form_of(others) if others else TextForm("text")
        among_codes = all(_CODE.fullmatch(v) for v in present) and len(present) > 5
        for word in present:
            is_word = word in ANYWHERE and not (among_codes and word == "NA")
            if is_word or (word in AMONG_NUMBERS and form.form != "text"):
                found[word] = None
    return tuple(found)


def text_form(values: Values, words: Sequence[str]) -> TextForm:
    """Returns the form that all values have, or the one that nearly all have with the others."""
    known = [(value, rows) for value, rows in values if value not in words]
    if not known:
        return TextForm("text")
    form = _form_of([value for value, _ in known])
    if form.form != "text":
        return form
    rows = sum(count for _, count in known)
    for fits, looks_like in ((_NUMBER, "number"), (_ISO, "time")):
        misfits = [(v, count) for v, count in known if not fits.fullmatch(v)]
        if sum(count for _, count in misfits) <= MOST_MISFITS * rows:
            shown = tuple(value for value, _ in misfits[:3])
            like: Literal["number", "time"] = "number" if looks_like == "number" else "time"
            return TextForm("text", misfits=shown, looks_like=like)
    return TextForm("text")


def common_reading(forms: Mapping[str, TextForm]) -> tuple[str, str | None, tuple[str, ...]]:
    """Returns the decimal sign, the thousands sign and the date formats of a whole file."""
    signs = [f for f in forms.values() if f.form == "number"]
    decimal = "," if any(f.decimal == "," for f in signs) else "."
    thousands = next((f.thousands for f in signs if f.thousands and f.decimal == decimal), None)
    formats = dict.fromkeys(f.date_format for f in forms.values() if f.form == "time")
    if not any(formats):
        return decimal, thousands, ()
    iso = [f for f in formats if f]
    return decimal, thousands, (*iso, "%Y-%m-%d") if "" in formats else tuple(iso)


def is_number(text: str) -> bool:
    """Returns whether a text is a number, written with a point."""
    return _NUMBER.fullmatch(text) is not None


def is_time(text: str) -> bool:
    """Returns whether a text is a date or a time, in one of the known forms."""
    return _form_of([text]).form == "time"


def _form_of(values: Sequence[str]) -> TextForm:
    if all(_NUMBER.fullmatch(v) for v in values):
        dates = _eight_digits(values)
        return TextForm("time", date_format=dates) if dates else TextForm("number")
    if all(_COMMA_GROUPS.fullmatch(v) or _NUMBER.fullmatch(v) for v in values):
        # 0,125 has no groups of thousands, and neither has a column in which all have three digits
        groups = [v for v in values if "," in v]
        plain = any("." in v or v.count(",") > 1 for v in values) or len(groups) < len(values)
        if plain and not any(v.lstrip("+-").startswith("0,") for v in groups):
            return TextForm("number", ".", ",")
    if all(_COMMA.fullmatch(v) for v in values):
        return TextForm("number", ",")
    if all(_POINT_GROUPS.fullmatch(v) or _COMMA.fullmatch(v) for v in values):
        return TextForm("number", ",", ".")
    if all(_ISO.fullmatch(v) for v in values):
        return TextForm("time")
    return _dated(values)


def _eight_digits(values: Sequence[str]) -> str:
    """Returns the format of dates such as 20241231, which all values must be."""
    if len(values) < 2 or not all(len(v) == 8 and v[:2] in ("19", "20") for v in values):
        return ""
    return "%Y%m%d" if all(_parses(v, "%Y%m%d") for v in values) else ""


def _dated(values: Sequence[str]) -> TextForm:
    if not all(any(c.isdigit() for c in v) and 6 <= len(v) <= 30 for v in values):
        return TextForm("text")
    fitting = [
        date + clock
        for date in DATE_FORMATS
        for clock in _CLOCKS
        if all(_parses(value, date + clock) for value in values)
    ]
    if not fitting:
        return TextForm("text")
    other = fitting[1] if len(fitting) > 1 else ""
    return TextForm("time", date_format=fitting[0], other_date_format=other)


def _parses(value: str, form: str) -> bool:
    try:
        datetime.strptime(value, form)
    except ValueError:
        return False
    return True
