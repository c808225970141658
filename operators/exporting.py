"""Operators that hand rows over to other programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from miningflow.declare import (
    Concept,
    Export,
    Notes,
    Operator,
    choice,
    concept,
    export_path,
    operator,
)
from miningflow.declare.estimates import ConceptEstimate, carried
from miningflow.declare.operator import Family
from miningflow.sql.block import Block, Source, over

FORMATS = ("csv", "parquet")


@operator
class PrepareForExport(Operator):
    """Writes a concept to a CSV or Parquet file, and passes it on as it is.

    The file goes to `target/<case>/export/` and nowhere else: a case that comes from others cannot
    write over your files. It is written when the results of a run are published, beside the old one
    first, so that a run that fails leaves the file of the last good one. `exports.json` beside it
    says which step and state each file holds; if nothing changed, nothing is written.

    Rows are in the order of the key, if there is one. In CSV, the first line has the names, and
    NULL is empty. Called PrepareForYale in MiningMart.
    """

    family: ClassVar[Family] = "evaluation"
    example: ClassVar[str] = """
    handed_over:
      operator: PrepareForExport
      input: Customer
      path: customers.csv
    """

    input: Concept = concept("the concept to write")
    path: str = export_path("the file, within the export folder of the case")
    format: str | None = choice(
        "the format, if the ending of `path` does not say it", choices=FORMATS, default=None
    )

    def outline(self, notes: Notes) -> Concept:
        """Keeps all features; the format must be known."""
        if self.exported().format not in FORMATS:
            notes.mistake(
                "path",
                f"the ending of {self.path!r} does not say the format",
                "end it in .csv or .parquet, or give 'format'",
            )
        return self.input

    def exported(self) -> Export:
        """Names the file."""
        return Export(self.path, self.format or self.path.rpartition(".")[2].lower())

    def estimated(self, inputs: Mapping[str, ConceptEstimate], output: Concept) -> ConceptEstimate:
        """Keeps all rows and features."""
        whole = inputs[self.input.name]
        return carried(whole.rows, [whole], output)

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Selects everything."""
        return over(inputs[self.input.name])
