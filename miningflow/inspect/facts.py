"""What is known of a table before a case describes it: plain data, from statistics."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from miningflow.engines.csv_reading import CsvReading
from miningflow.engines.engine import TypeFamily

Kind = Literal["number", "text", "time", "truth", "other"]
"""What the values of a column are, whatever they are written as."""


@dataclass(frozen=True)
class ColumnFacts:
    """Statistics of a column."""

    name: str
    sql_type: str
    family: TypeFamily
    kind: Kind
    rows: int
    known: int
    distinct: int
    """How many different values there are; estimated where there are many rows."""
    minimum: object = None
    maximum: object = None
    mean: float | None = None
    deviation: float | None = None
    large: float | None = None
    """A size that only one value in a hundred exceeds."""
    is_whole: bool = False
    has_leading_zeros: bool = False
    not_finite: int = 0
    longest: int = 0
    frequent: tuple[tuple[str, int], ...] = ()
    """The most frequent values with their numbers of rows, of a sample."""
    sampled: int = 0
    """How many values of the sample are known."""
    date_format: str = ""
    other_date_format: str = ""
    """Another format that all values fit, so that the data do not decide."""
    misfits: tuple[str, ...] = ()
    """Values that keep the column from being a number or a time."""
    misfit_rows: int = 0
    looks_like: Literal["", "number", "time"] = ""
    """What the column would be without its misfits."""

    @property
    def missing(self) -> int:
        """Returns the number of rows without a value."""
        return self.rows - self.known

    @property
    def is_constant(self) -> bool:
        """Returns whether all known values are equal."""
        return self.known > 0 and self.distinct == 1

    @property
    def is_nearly_unique(self) -> bool:
        """Returns whether nearly every row has a value that no other has."""
        return self.distinct >= max(20, 0.9 * self.known)


@dataclass(frozen=True)
class TableFacts:
    """Statistics of a table, and how it is read."""

    name: str
    """The name of the concept that it becomes."""
    relation: str
    """What stands behind FROM."""
    sample: str
    """The same for some of its rows."""
    rows: int
    columns: dict[str, ColumnFacts]
    delimiter: str = ","
    reading: CsvReading = field(default_factory=CsvReading)
    is_text: bool = False
    """Whether all values are text, as in CSV files."""
    key: str | None = None
    """The column whose values are unique and known."""
    key_why: str = ""
    notes: tuple[str, ...] = ()
    """What looks wrong with the table as a whole."""
