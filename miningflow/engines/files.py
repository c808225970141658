"""Files as table expressions, which DuckDB reads in this process, whatever the store is."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from miningflow.engines.column_names import distinct_names
from miningflow.engines.csv_header import Header, csv_header
from miningflow.engines.engine import FileError
from miningflow.errors import Diagnostic
from miningflow.names import literal_path

if TYPE_CHECKING:  # asking for a case loads no Arrow
    import pyarrow as pa

# The name of a folder, such as `age=99`, is no data.
_NO_HIVE = "hive_partitioning = false"


def files_query(
    paths: Sequence[Path],
    delimiter: str | None,
    encoding: str = "utf-8",
    buffer: int | None = None,
) -> str:
    """Returns a table expression that reads files; CSV values come as text.

    `buffer` is how many bytes of a CSV file each thread holds, if not DuckDB's 32 million.
    """
    kinds = {_kind(p) for p in paths}
    if len(kinds) > 1:
        raise FileError(Diagnostic("a source cannot mix CSV and Parquet files"))
    if kinds == {"parquet"}:
        return _read_parquet(paths)
    alike: dict[Header, list[Path]] = {}
    for path in paths:
        alike.setdefault(csv_header(path, delimiter, encoding), []).append(path)
    return _together([_read_csv(some, header, encoding, buffer) for header, some in alike.items()])


def fraction_columns(paths: Sequence[Path]) -> list[str]:
    """Names the columns of Parquet files whose numbers may have digits behind the point."""
    import pyarrow as pa

    found: list[str] = []
    for path in paths:
        with suppress(FileError):  # loading it says what is wrong
            for column in _parquet_schema(path):
                is_decimal = pa.types.is_decimal(column.type) and column.type.scale > 0
                if pa.types.is_floating(column.type) or is_decimal:
                    found.append(column.name)
    return found


def parquet_columns(path: Path) -> tuple[str, ...]:
    """Names the columns of a Parquet file."""
    return tuple(_parquet_schema(path).names)


def column_names(path: Path, delimiter: str | None, encoding: str) -> tuple[str, ...]:
    """Names the columns of a file; equal ones have their position behind the name."""
    if _kind(path) == "parquet":
        return distinct_names(parquet_columns(path))
    return csv_header(path, delimiter, encoding).columns


def text(value: str) -> str:
    """Writes a text literal."""
    return "'" + value.replace("'", "''") + "'"


def _kind(path: Path) -> str:
    suffixes = [s.lower() for s in path.suffixes]
    if ".parquet" in suffixes:
        return "parquet"
    if {".csv", ".tsv", ".txt"} & set(suffixes):
        return "csv"
    raise FileError(Diagnostic(f"{path.name} is neither .csv (.tsv, .txt, also .gz) nor .parquet"))


def _read_parquet(paths: Sequence[Path]) -> str:
    """Reads Parquet files, columns by name; DuckDB would give `v` the values of `V`."""
    written = {path: tuple(_parquet_schema(path).names) for path in paths}
    if all(distinct_names(names) == names for names in written.values()):
        return f"read_parquet({_texts(paths)}, union_by_name = true, {_NO_HIVE})"
    return _together(
        [
            f"read_parquet({_texts([path])}, {_NO_HIVE}) AS file({_listed(distinct_names(names))})"
            for path, names in written.items()
        ]
    )


def _parquet_schema(path: Path) -> pa.Schema:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.read_schema(path)
    except (OSError, pa.ArrowException) as error:
        reason = str(error).splitlines()[0]
        raise FileError(
            Diagnostic(f"{path.name} is not a Parquet file: {reason}", None, "is it complete?")
        ) from None


def _read_csv(paths: Sequence[Path], header: Header, encoding: str, buffer: int | None) -> str:
    """Reads CSV files by the rules of RFC 4180: a row that does not fit is an error."""
    columns = ", ".join(f"{text(name)}: 'VARCHAR'" for name in header.columns)
    return (
        f"read_csv({_texts(paths)}, auto_detect = false, columns = {{{columns}}}, header = true, "
        f"delim = {text(header.delimiter)}, quote = '\"', escape = '\"', {_NO_HIVE}"
        + (f", encoding = {text(encoding)}" if encoding != "utf-8" else "")
        + (f", buffer_size = {buffer})" if buffer is not None else ")")
    )


def _together(reads: Sequence[str]) -> str:
    if len(reads) == 1:
        return reads[0]
    return f"({' UNION ALL BY NAME '.join(f'SELECT * FROM {read}' for read in reads)})"


def _listed(names: Sequence[str]) -> str:
    return ", ".join('"' + name.replace('"', '""') + '"' for name in names)


def _texts(paths: Sequence[Path]) -> str:
    """Writes paths for DuckDB, which interprets `~` and patterns, but not in these."""
    return "[" + ", ".join(text(literal_path(str(p.absolute()))) for p in paths) + "]"
