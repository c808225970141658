"""Tests that artifacts come back as they were stored, and that their bytes keep their format."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest

from miningflow.declare.artifact import pack, unpack

ARRAYS: dict[str, list[npt.NDArray[Any]]] = {
    "none": [],
    "empty": [np.zeros(0)],
    "empty matrix": [np.zeros((0, 3))],
    "scalar": [np.array(2.5)],
    "vector": [np.array([1.0, -0.0, 1.7e308, 5e-324])],
    "matrix": [np.arange(12.0).reshape(3, 4)],
    "transposed": [np.arange(12.0).reshape(3, 4).T],
    "every second": [np.arange(10.0)[::2], np.arange(12.0).reshape(3, 4)[:, ::-2]],
    "integers and flags": [np.array([3, -4]), np.array([True, False])],
}


@dataclass(frozen=True)
class Learned:
    """An artifact with arrays."""

    title: str
    arrays: tuple[npt.NDArray[np.float64], ...]


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_come_back_with_their_shape(name: str) -> None:
    """Stores arrays of any shape and layout, and reads them as doubles."""
    found = unpack(Learned, *pack(Learned(name, tuple(ARRAYS[name]))))
    assert found.title == name
    assert len(found.arrays) == len(ARRAYS[name])
    for before, after in zip(ARRAYS[name], found.arrays, strict=True):
        assert after.dtype == np.float64
        assert after.shape == before.shape
        expected = before.astype(np.float64)
        assert after.tobytes() == expected.tobytes()  # also signs of zero, and NaN


@pytest.mark.parametrize("name", [name for name in ARRAYS if name != "none"])
def test_bytes_keep_their_format(name: str) -> None:
    """Writes one row of list<double> columns, byte for byte as stores hold it since 0.1."""
    arrays = ARRAYS[name]
    table = pa.table(
        [pa.array([a.astype(np.float64).ravel().tolist()], pa.list_(pa.float64())) for a in arrays],
        names=[str(i) for i in range(len(arrays))],
    )
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    assert pack(Learned(name, tuple(arrays)))[1] == sink.getvalue()


def test_stored_arrays_cannot_be_changed() -> None:
    """Returns views that are read-only, since an artifact is frozen."""
    found = unpack(Learned, *pack(Learned("fixed", (np.arange(3.0),))))
    with pytest.raises(ValueError, match="read-only"):
        found.arrays[0][0] = 1.0
