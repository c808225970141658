"""The operator that exports rows to a file."""

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
    """Writes a concept to a CSV or Parquet file, and passes it on unchanged.

    The file is written to `target/<case>/export/` and nowhere else, so a case from someone else
    cannot overwrite your files. It is written when the results of a run are published, and replaces
    the old file only when complete, so a run that fails leaves the file of the last good run.
    `exports.json` in the same folder records the step and the state of each file; if nothing
    changed, nothing is written.

    Rows are sorted by the key, if there is one. In CSV, the first line holds the names, and NULL is
    empty. The operator is called PrepareForYale in MiningMart.
    """

    family: ClassVar[Family] = "evaluation"
    alias: ClassVar[str] = "Export"
    finds: ClassVar[tuple[str, ...]] = ("save", "write", "download", "CSV", "Parquet")
    example: ClassVar[str] = """
    handed_over:
      operator: PrepareForExport
      input: Customer
      path: customers.csv
    """

    input: Concept = concept("the concept to export")
    path: str = export_path("the file to write, in the export folder of the case")
    format: str | None = choice(
        "the format; by default the extension of `path`", choices=FORMATS, default=None
    )

    def outline(self, notes: Notes) -> Concept:
        """Keeps all features; checks that the format is known."""
        if self.exported().format not in FORMATS:
            notes.error(
                "path",
                f"unknown format: {self.path!r} has no known extension",
                "use the extension .csv or .parquet, or give 'format'",
            )
        return self.input

    def exported(self) -> Export:
        """Returns the file to write and its format."""
        return Export(self.path, self.format or self.path.rpartition(".")[2].lower())

    def estimated(self, inputs: Mapping[str, ConceptEstimate], output: Concept) -> ConceptEstimate:
        """Keeps all rows and features."""
        whole = inputs[self.input.name]
        return carried(whole.rows, [whole], output)

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Selects everything."""
        return over(inputs[self.input.name])
