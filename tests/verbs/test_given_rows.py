"""New rows from Python: every kind of frame scores alike, or is refused by name."""

from __future__ import annotations

from collections.abc import Callable
from datetime import time
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pytest
from support.small_case import load, rows

from miningflow.errors import MiningFlowError
from miningflow.project import LoadedCase

TYPES = {"id": "key", "age": "numeric", "color": "nominal", "seen": "time", "buys": "binary"}
COLORS = ["red", "green", "blue", None]


def frame(count: int = 60) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "id": range(count),
            "age": [float(20 + 7 * i % 50) for i in range(count)],
            "color": [COLORS[i % 4] for i in range(count)],
            "seen": pd.to_datetime([f"2025-01-{i % 28 + 1:02}" for i in range(count)]),
            "buys": ["yes" if i % 3 else "no" for i in range(count)],
        }
    )


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> LoadedCase:
    folder = tmp_path_factory.mktemp("people")
    people = rows("id", TYPES, frame().astype(object).where(frame().notna(), None).to_dict("list"))
    steps = {
        "day": {
            "operator": "DateToNumeric",
            "input": "Person",
            "target": "seen",
            "part": "day",
            "output": "day",
        },
        "scored": {
            "operator": "PredictionWithDecisionTree",
            "input": "day",
            "target": "buys",
            "predictors": ["age", "color", "day"],
            "output": "chance",
        },
    }
    loaded = load(folder, {"Person": people}, steps)
    loaded.run(target=folder / "target")
    return loaded


def scores(case: LoadedCase, given: Any) -> list[dict[str, Any]]:
    found = case.score({"Person": given}, keep=["age", "color"]).to_pylist()
    return sorted(found, key=lambda row: str(row["id"]))


class Streamed:
    """A frame of another library that hands its rows to Arrow."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


class Interchanged:
    """A frame of another library that knows the interchange protocol only."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def __dataframe__(self, nan_as_null: bool = False, allow_copy: bool = True) -> object:
        return self.table.__dataframe__(nan_as_null, allow_copy)


def _views(given: pd.DataFrame) -> pa.Table:
    """Returns texts as polars stores them."""
    table = pa.Table.from_pandas(given, preserve_index=False)
    return table.set_column(2, "color", table["color"].cast(pa.string_view()))


def _with_index(given: pd.DataFrame) -> pd.DataFrame:
    return given.set_index(["id", pd.Index(range(len(given)))])


def _odd_columns(given: pd.DataFrame) -> pd.DataFrame:
    """Returns columns that no step reads, of types that no feature can have."""
    mixed = pd.Series([1, "a"] * (len(given) // 2), dtype=object)
    return given.assign(mixed=mixed, lists=[[1]] * len(given)).rename(columns={"buys": 3})


FRAMES: dict[str, Callable[[pd.DataFrame], Any]] = {
    "arrow table": lambda f: pa.Table.from_pandas(f, preserve_index=False),
    "arrow batch": lambda f: pa.RecordBatch.from_pandas(f, preserve_index=False),
    "arrow reader": lambda f: pa.Table.from_pandas(f, preserve_index=False).to_reader(),
    "stream": lambda f: Streamed(pa.Table.from_pandas(f, preserve_index=False)),
    "interchange": lambda f: Interchanged(pa.Table.from_pandas(f, preserve_index=False)),
    "string views": lambda f: Streamed(_views(f)),
    "relation": lambda f: duckdb.connect().from_df(f),
    "shuffled": lambda f: f.sample(frac=1, random_state=1),
    "key as index": lambda f: f.set_index("id"),
    "two levels": _with_index,
    "repeated index": lambda f: f.set_axis([0] * len(f)),
    "odd columns": _odd_columns,
    "categories": lambda f: f.assign(color=f["color"].astype("category")),
    "nullable": lambda f: f.convert_dtypes(),
    "arrow types": lambda f: f.convert_dtypes(dtype_backend="pyarrow"),
    "objects": lambda f: f.astype(object),
    "numbers as text": lambda f: f.assign(age=f["age"].astype(str)),
}


@pytest.fixture(scope="module")
def expected(case: LoadedCase) -> list[dict[str, Any]]:
    return scores(case, frame())


@pytest.mark.parametrize("kind", FRAMES)
def test_every_frame_scores_alike(
    case: LoadedCase, expected: list[dict[str, Any]], kind: str
) -> None:
    assert scores(case, FRAMES[kind](frame())) == expected


def test_no_rows_have_no_scores(case: LoadedCase) -> None:
    assert scores(case, frame().iloc[:0]) == []


REFUSED: dict[str, tuple[Callable[[pd.DataFrame], Any], str]] = {
    "none": (lambda f: None, "cannot be None"),
    "list": (lambda f: f.to_dict("records"), "cannot be a list"),
    "map": (lambda f: f.to_dict("list"), "cannot be a dict"),
    "array": (lambda f: f.to_numpy(), "cannot be a numpy.ndarray"),
    "series": (lambda f: f["age"], "cannot be a pandas.Series"),
    "column": (lambda f: pa.chunked_array([[1.0]]), "cannot be a pyarrow.lib.ChunkedArray"),
    "generator": (lambda f: iter(()), "cannot be a"),
    "number": (lambda f: 3, "cannot be a int"),
    "twice": (lambda f: pd.concat([f, f[["age"]]], axis=1), "two columns called 'age'"),
    "arrow twice": (
        lambda f: pa.table([[1], [1.0], [2.0]], names=["id", "age", "age"]),
        "two columns called 'age'",
    ),
    "mixed": (
        lambda f: f.assign(color=pd.Series([1, "a"] * 30, dtype=object)),
        "column 'color' of the rows of 'Person' has no single type: values of int, str",
    ),
    "durations": (
        lambda f: f.assign(age=pd.to_timedelta(f["age"], unit="D")),
        "column 'age' of the rows of 'Person' holds values of type duration",
    ),
    "lists": (lambda f: f.assign(color=[["red"]] * 60), "holds values of type list"),
    "bytes": (lambda f: f.assign(color=[b"red"] * 60), "holds values of type binary"),
    "times of day": (lambda f: f.assign(age=[time(12)] * 60), "holds values of type time64"),
    "complex": (lambda f: f.assign(age=f["age"] + 1j), "column 'age' of the rows of 'Person'"),
    "levels": (lambda f: pd.concat({"a": f}, axis=1), "has no column 'id'"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_cannot_be_rows_is_refused_by_name(case: LoadedCase, kind: str) -> None:
    make, said = REFUSED[kind]
    with pytest.raises(MiningFlowError) as caught:
        scores(case, make(frame()))
    assert said in str(caught.value)
    if "cannot be" in said:
        assert "give a pandas or polars frame" in str(caught.value)
