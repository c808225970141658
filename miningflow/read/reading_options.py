"""Reads how the values of a CSV file are written: its delimiter, decimal sign, dates, encoding."""

from __future__ import annotations

import codecs
import re

from miningflow.engines.csv_reading import ENCODINGS, CsvReading
from miningflow.nodes import Fields, Items, Scalar
from miningflow.read.shape import Shape

READING_OPTIONS = (
    "delimiter",
    "decimal",
    "thousands",
    "date_format",
    "null_values",
    "encoding",
)
_CODE = re.compile(r"%(-?.|$)")
_CODES = frozenset("aAbBcdDfgGHIjmMnpSuUvVwWxXyYzZ%") | {f"-{c}" for c in "dHIjmMSUWy"}


def reading_options(body: Fields, shape: Shape) -> tuple[Scalar | None, CsvReading]:
    """Reads the options of a source; each that cannot be followed is refused at its place."""
    _refuse_typed(body, shape)
    delimiter = _sign(body, "delimiter", shape)
    decimal, thousands = _sign(body, "decimal", shape), _sign(body, "thousands", shape)
    for sign in (decimal, thousands):
        if sign is not None and (sign.text.isalnum() or sign.text in "+-\\"):
            shape.error(f"{sign.text!r} cannot stand within a number", sign.place)
    point = decimal.text if decimal else "."
    if thousands is not None and thousands.text == point:
        shape.error(
            f"{point!r} cannot be both 'decimal' and 'thousands'",
            thousands.place,
            "write for example `decimal: ','` and `thousands: '.'`",
        )
    return delimiter, CsvReading(
        decimal=point,
        thousands=thousands.text if thousands else None,
        date_format=_date_formats(body, shape),
        null_values=tuple(value.text for value in _values(body, "null_values", shape)),
        encoding=_encoding(body, shape),
    )


def _refuse_typed(body: Fields, shape: Shape) -> None:
    """Refuses options where values have types: in tables and Parquet files."""
    file = body.get("file")
    is_parquet = isinstance(file, Scalar) and file.text.lower().endswith(".parquet")
    if "table" not in body and not is_parquet:
        return
    what = "a table" if "table" in body else "a Parquet file"
    for key, _ in body:
        if key.text in READING_OPTIONS:
            shape.error(
                f"{key.text!r} is for CSV files; the values of {what} have types", key.place
            )


def _sign(body: Fields, name: str, shape: Shape) -> Scalar | None:
    """Reads a single character; a tab may be written as it is in many languages."""
    given = shape.scalar(body.get(name), f"{name!r}")
    if given is None:
        return None
    written = "\t" if given.text == "\\t" else given.text
    if len(written) != 1 or written in '"\r\n' or len(written.encode()) > 1:
        hint = {"delimiter": "write for example ';' or '\\t'", "decimal": "write ','"}
        shape.error(
            f"{name!r} must be a single ASCII character, got {given.text!r}",
            given.place,
            hint.get(name, "write for example '.'"),
        )
        return None
    return Scalar(written, given.kind, given.place)


def _values(body: Fields, name: str, shape: Shape) -> list[Scalar]:
    """Reads a value, or a list of values."""
    node = body.get(name)
    found: list[Scalar] = []
    for each in node.items if isinstance(node, Items) else [node]:
        # `null` itself may be what a file has where it has no value
        value = each if isinstance(each, Scalar) else shape.scalar(each, f"a value of {name!r}")
        found += [value] if value is not None and value.text else []
    return found


def _date_formats(body: Fields, shape: Shape) -> tuple[str, ...]:
    formats = _values(body, "date_format", shape)
    for given in formats:
        codes = [code[0] for code in _CODE.finditer(given.text)]
        wrong = [code for code in codes if code[1:] not in _CODES]
        if wrong or not codes:
            problem = f"unknown code {wrong[0]!r} in" if wrong else "no code such as %Y in"
            shape.error(
                f"{problem} the date format {given.text!r}",
                given.place,
                "31.12.2024 is '%d.%m.%Y', 12/31/24 13:45 is '%m/%d/%y %H:%M'",
            )
    return tuple(given.text for given in formats)


def _encoding(body: Fields, shape: Shape) -> str:
    given = shape.scalar(body.get("encoding"), "'encoding'")
    if given is None:
        return "utf-8"
    try:
        name = codecs.lookup(given.text).name
    except (LookupError, ValueError):
        name = given.text
    found = {codecs.lookup(known).name: known for known in ENCODINGS}.get(name)
    if found is None:
        shape.error(
            f"the encoding {given.text!r} cannot be read",
            given.place,
            f"these can: {', '.join(ENCODINGS)}; convert the file, for example with "
            f"`iconv -f {name} -t utf-8`",
        )
    return found or "utf-8"
