"""How the text of CSV files is read as values, written for DuckDB, which reads all files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields

# What follows the minutes or seconds of a time with a time zone: +02:00, Z, Europe/Berlin.
ZONED = r":[0-9]{2}([.][0-9]+)?\s*[A-Za-z+-]"
_ZONE_CODES = ("%z", "%Z")
ENCODINGS: Mapping[str, str] = {
    "utf-8": "utf-8-sig",
    "utf-16": "utf-16",
    "latin-1": "latin-1",
}
"""What DuckDB reads → the codec of Python for the header, without a mark of byte order."""


@dataclass(frozen=True)
class CsvReading:
    """The reading options of a CSV source."""

    decimal: str = "."
    thousands: str | None = None
    date_format: tuple[str, ...] = ()
    null_values: tuple[str, ...] = ()
    encoding: str = "utf-8"

    @property
    def given(self) -> dict[str, object]:
        """Returns the options that are not those of a plain file."""
        plain = {field.name: field.default for field in fields(self)}
        return {name: value for name, value in asdict(self).items() if value != plain[name]}

    def known(self, column: str) -> str:
        """Reads a column: spaces around a value mean nothing, and nothing at all is NULL."""
        tree = f"nullif(trim({column}), '')"
        for value in self.null_values:
            tree = f"nullif({tree}, {_text(value.strip())})"
        return tree

    def number(self, known: str) -> str:
        """Reads a number, NULL where the text is none."""
        if self.decimal == "." and self.thousands is None:
            return f"TRY_CAST({known} AS DOUBLE)"
        point = f"[{self.decimal}]"
        whole = "[0-9]+"
        plain = known
        if self.thousands is not None:
            whole = f"([0-9]{{1,3}}([{self.thousands}][0-9]{{3}})+|[0-9]+)"
            plain = f"replace({plain}, {_text(self.thousands)}, '')"
        form = f"^[+-]?({whole}({point}[0-9]*)?|{point}[0-9]+)([eE][+-]?[0-9]+)?$"
        plain = f"replace({plain}, {_text(self.decimal)}, '.')"
        return (
            f"CASE WHEN regexp_matches({known}, {_text(form)}) THEN TRY_CAST({plain} AS DOUBLE) END"
        )

    def time(self, known: str) -> str:
        """Reads a time, NULL where the text is none; one with a time zone becomes that of UTC."""
        if not self.date_format:
            zoned = _in_utc(f"TRY_CAST({known} AS TIMESTAMPTZ)")
            plain = f"TRY_CAST({known} AS TIMESTAMP)"
            return f"CASE WHEN {self.is_zoned(known)} THEN {zoned} ELSE {plain} END"
        tried = []
        for form in self.date_format:
            tree = f"try_strptime({known}, {_text(form)})"
            tried.append(_in_utc(tree) if any(code in form for code in _ZONE_CODES) else tree)
        return f"coalesce({', '.join(tried)}, NULL)"

    def is_zoned(self, known: str) -> str:
        """Returns the condition that a text is a time with a time zone."""
        return f"regexp_matches({known}, {_text(ZONED)})"

    @property
    def may_mix_zones(self) -> bool:
        """Returns whether only the values say if they have a time zone."""
        return not self.date_format


def _in_utc(tree: str) -> str:
    """Returns the time in UTC, whatever the time zone of the session is."""
    return f"make_timestamp(epoch_us({tree}))"


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
