"""Sources that no case can read become files that it can: frames and sheets of workbooks."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from miningflow.errors import Diagnostic, RunError
from miningflow.inspect.column_words import concept_name
from miningflow.inspect.given_sources import GivenSource
from miningflow.names import file_name


@contextmanager
def as_files(sources: Sequence[GivenSource]) -> Iterator[list[GivenSource]]:
    """Writes frames as Parquet and sheets as CSV into a temporary folder."""
    with TemporaryDirectory(prefix="miningflow-") as name:
        folder = Path(name)
        found: list[GivenSource] = []
        for source in sources:
            if source.frame is not None:
                found.append(_written_frame(source, folder))
            elif source.workbook is not None:
                found += _sheets(source, source.workbook, folder)
            else:
                found.append(source)
        yield found


def _written_frame(source: GivenSource, folder: Path) -> GivenSource:
    """Writes a frame that can be passed on as Arrow."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    frame = source.frame
    try:
        if isinstance(frame, pa.Table):
            table = frame
        elif hasattr(frame, "__arrow_c_stream__"):
            table = pa.table(frame)
        else:
            raise TypeError(type(frame).__name__)
    except (TypeError, ValueError, pa.ArrowException) as error:
        hint = "pass a path, or a frame of pandas, polars or Arrow"
        raise RunError(
            Diagnostic(f"the source {source.name!r} is no table: {error}", None, hint)
        ) from None
    table = table.select([c for c in table.column_names if not c.startswith("__index_level_")])
    path = folder / f"{file_name(source.name)}.parquet"
    pq.write_table(table, path)
    return replace(source, paths=(path,), frame=None, is_made=True)


def _sheets(source: GivenSource, path: Path, folder: Path) -> list[GivenSource]:
    """Writes each sheet that has rows as CSV; the first row names the columns."""
    try:
        import openpyxl
    except ImportError:
        hint = "pip install 'miningflow[excel]', or save the sheets as CSV"
        raise RunError(
            Diagnostic(f"{path.name} needs openpyxl, which is not installed", None, hint)
        ) from None
    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except Exception as error:  # openpyxl passes on what zip files and XML parsers raise
        message = f"{path.name} is no Excel workbook: {type(error).__name__}"
        raise RunError(Diagnostic(message, None, "save it as .xlsx again")) from None
    found: list[GivenSource] = []
    empty: list[str] = []
    try:
        for sheet in book.worksheets:
            title = sheet.title
            file = folder / f"{file_name(path.stem)}_{file_name(title)}.csv"
            if _write_sheet(sheet, file) < 2:
                empty.append(f"the sheet {title} has no rows, and was left out")
                continue
            plain = title.casefold().startswith(("sheet", "tabelle"))
            name = concept_name(path.stem if plain and len(book.worksheets) == 1 else title)
            shown = f"{path.name}, sheet {title}"
            found.append(GivenSource(name, shown, (file,), is_made=True))
    finally:
        book.close()
    if not found:
        raise RunError(Diagnostic(f"no sheet of {path.name} has rows", None, "a case needs rows"))
    return [replace(found[0], notes=(*source.notes, *empty)), *found[1:]]


def _write_sheet(sheet: Any, file: Path) -> int:
    """Writes a sheet row by row; returns the number of rows that are not empty."""
    rows = 0
    width = 0
    with file.open("w", encoding="utf-8", newline="") as target:
        writer = csv.writer(target)
        for row in sheet.iter_rows(values_only=True):
            if all(value is None or value == "" for value in row):
                continue
            if not rows:
                width = max(i for i, value in enumerate(row) if value not in (None, "")) + 1
            writer.writerow([_cell(value) for value in (*row, *([None] * width))[:width]])
            rows += 1
    return rows


def _cell(value: Any) -> str:
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case datetime():
            midnight = (value.hour, value.minute, value.second) == (0, 0, 0)
            return value.date().isoformat() if midnight else value.isoformat(" ", "seconds")
        case date():
            return value.isoformat()
        case float() if value.is_integer() and abs(value) < 1e15:
            return str(int(value))
        case _:
            return str(value)
