"""Files as table expressions, which DuckDB reads in this process, whatever the store is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from miningflow.engines.csv_header import Header, csv_header
from miningflow.engines.engine import FileError
from miningflow.errors import Mistake


def files_query(paths: Sequence[Path], delimiter: str | None) -> str:
    """Gives a table expression that reads files; CSV values come as text."""
    kinds = {_kind(p) for p in paths}
    if len(kinds) > 1:
        raise FileError(Mistake("a source cannot mix CSV and Parquet files"))
    if kinds == {"parquet"}:
        return f"read_parquet({_texts(paths)}, union_by_name = true)"
    alike: dict[Header, list[Path]] = {}
    for path in paths:
        alike.setdefault(csv_header(path, delimiter), []).append(path)
    reads = [_read_csv(some, header) for header, some in alike.items()]
    if len(reads) == 1:
        return reads[0]
    return f"({' UNION ALL BY NAME '.join(f'SELECT * FROM {read}' for read in reads)})"


def text(value: str) -> str:
    """Writes a text literal."""
    return "'" + value.replace("'", "''") + "'"


def _kind(path: Path) -> str:
    suffixes = [s.lower() for s in path.suffixes]
    if ".parquet" in suffixes:
        return "parquet"
    if {".csv", ".tsv", ".txt"} & set(suffixes):
        return "csv"
    raise FileError(Mistake(f"{path.name} is neither .csv (.tsv, .txt, also .gz) nor .parquet"))


def _read_csv(paths: Sequence[Path], header: Header) -> str:
    """Reads CSV files by the rules of RFC 4180: a row that does not fit is an error."""
    columns = ", ".join(f"{text(name)}: 'VARCHAR'" for name in header.columns)
    return (
        f"read_csv({_texts(paths)}, auto_detect = false, columns = {{{columns}}}, header = true, "
        f"delim = {text(header.delimiter)}, quote = '\"', escape = '\"')"
    )


def _texts(paths: Sequence[Path]) -> str:
    return "[" + ", ".join(text(str(p)) for p in paths) + "]"
