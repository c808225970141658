"""Rows from Python: frames of pandas, polars, DuckDB and others become Arrow tables.

Only the columns that are read are converted, so that others may hold anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from miningflow.errors import Diagnostic, RunError, listed

if TYPE_CHECKING:
    import pandas as pd

TAKEN = (
    "give a pandas or polars frame, an Arrow table, a DuckDB relation or any other frame that "
    "Arrow can read, or name a file or a table of the store"
)
_EMPTY = {"numeric": pa.float64(), "time": pa.timestamp("us"), "key": pa.int64()}


@dataclass(frozen=True, eq=False)
class GivenRows:
    """The columns of given rows that may be read, and the names of all that there are."""

    table: pa.Table
    names: tuple[str, ...]


def given_table(concept: str, rows: Any, read: Collection[str]) -> pa.Table:
    """Returns the columns of new rows that may be read, as an Arrow table with plain types."""
    table = given_rows(concept, rows, read).table
    columns = [_plain(table.column(name)) for name in table.column_names]
    if not columns:  # without columns a table knows no number of rows
        return table
    return pa.table(columns, names=table.column_names)


def given_rows(concept: str, rows: Any, read: Collection[str]) -> GivenRows:
    """Returns the columns of given rows that may be read, without a copy where Arrow needs none."""
    import pandas as pd

    wanted = {name.casefold() for name in read}
    if isinstance(rows, pd.DataFrame):
        found = _from_pandas(concept, rows, wanted)
    else:
        whole = _arrow(concept, rows)
        found = GivenRows(_with_columns(whole, wanted), tuple(whole.column_names))
    table = found.table
    _check_names(concept, table.column_names)
    for at, name in enumerate(table.column_names):
        _check_type(concept, name, table.schema.field(at).type)
        table = table.set_column(at, name, _known(table.column(at)))
    return GivenRows(table, found.names)


def with_type(column: pa.ChunkedArray, kind: str) -> pa.ChunkedArray:
    """Casts a column without any value to the type of its feature."""
    if kinds.is_null(column.type):
        return column.cast(_EMPTY.get(kind, pa.string()))
    return column


def _arrow(concept: str, rows: Any) -> pa.Table:
    if isinstance(rows, pa.Table):
        return rows
    try:
        if hasattr(rows, "__arrow_c_stream__"):
            return pa.RecordBatchReader.from_stream(rows).read_all()
        if hasattr(rows, "__arrow_c_array__"):
            return pa.Table.from_batches([pa.record_batch(rows)])
        if hasattr(rows, "__dataframe__"):
            from pyarrow.interchange import from_dataframe

            return from_dataframe(rows)
    except Exception as error:  # a frame of another library may fail in any way
        why = f": {str(error).splitlines()[0]}" if str(error) else ""
        raise _refused(concept, rows, why) from None
    raise _refused(concept, rows)


def _from_pandas(concept: str, frame: pd.DataFrame, wanted: Collection[str]) -> GivenRows:
    """Converts the columns one by one; a named index counts as a column."""
    levels = [name for name in frame.index.names if name is not None and name not in frame.columns]
    if levels:
        unnamed = [i for i, name in enumerate(frame.index.names) if name not in levels]
        kept = frame.droplevel(unnamed) if unnamed else frame
        frame = kept.reset_index()
    names = [str(name) for name in frame.columns]
    chosen = [i for i, name in enumerate(names) if name.casefold() in wanted]
    _check_names(concept, [names[i] for i in chosen])
    arrays = []
    for i in chosen:
        column = frame.iloc[:, i]
        try:
            arrays.append(pa.array(column, from_pandas=True))
        except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
            found = sorted({type(value).__name__ for value in column.dropna()})
            reason = f"values of {listed(found, 4)}" if len(found) > 1 else str(error)
            raise RunError(
                Diagnostic(
                    f"column {names[i]!r} of the rows of {concept!r} has no single type: {reason}",
                    None,
                    f"convert it first, for example with frame[{names[i]!r}].astype(str)",
                )
            ) from None
    table = pa.table(arrays, names=[names[i] for i in chosen]) if arrays else pa.table({})
    return GivenRows(table, tuple(names))


def _with_columns(table: pa.Table, wanted: Collection[str]) -> pa.Table:
    chosen = [i for i, name in enumerate(table.column_names) if name.casefold() in wanted]
    return table.select(chosen)


def _check_names(concept: str, names: Collection[str]) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise RunError(
            Diagnostic(
                f"the rows of {concept!r} have two columns called {twice[0]!r}",
                None,
                "rename or drop one of them",
            )
        )


def _known(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Returns a column in a type that DuckDB knows."""
    if kinds.is_run_end_encoded(column.type):
        chunks = [pc.run_end_decode(chunk) for chunk in column.chunks]
        return pa.chunked_array(chunks, column.type.value_type)
    return column.cast(pa.float32()) if kinds.is_float16(column.type) else column


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Returns a column in a type that every engine reads."""
    if kinds.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if kinds.is_large_string(column.type) or kinds.is_string_view(column.type):
        return column.cast(pa.string())
    return column


def _check_type(concept: str, name: str, found: pa.DataType) -> None:
    """Refuses what no feature can hold."""
    if kinds.is_dictionary(found) or kinds.is_run_end_encoded(found):
        found = found.value_type
    if (
        isinstance(found, pa.BaseExtensionType)
        or kinds.is_nested(found)
        or kinds.is_duration(found)
        or kinds.is_interval(found)
        or kinds.is_time(found)
        or _is_binary(found)
    ):
        raise RunError(
            Diagnostic(
                f"column {name!r} of the rows of {concept!r} holds values of type {found}, "
                "which no feature can have",
                None,
                "convert them to numbers, texts, dates or times first"
                + (", for example to a number of days" if kinds.is_duration(found) else ""),
            )
        )


def _is_binary(found: pa.DataType) -> bool:
    return bool(
        kinds.is_binary(found)
        or kinds.is_large_binary(found)
        or kinds.is_fixed_size_binary(found)
        or kinds.is_binary_view(found)
    )


def _refused(concept: str, rows: Any, why: str = "") -> RunError:
    kind = "None" if rows is None else f"a {type(rows).__module__}.{type(rows).__qualname__}"
    kind = kind.replace("builtins.", "")
    hint = "collect it first, with `.collect()`" if hasattr(rows, "collect") else TAKEN
    return RunError(Diagnostic(f"the rows of {concept!r} cannot be {kind}{why}", None, hint))
