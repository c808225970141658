"""Artifacts as JSON and Arrow: what a step learned, stored without pickle."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import numpy as np
import pyarrow as pa

from miningflow.declare.typed_data import UnfitDataError, plain_data, typed

_DOUBLES = pa.list_(pa.float64())


def pack(artifact: Any) -> tuple[str, bytes]:
    """Turns an artifact into JSON text and the Arrow bytes of its arrays."""
    arrays: list[np.ndarray[Any, Any]] = []
    text = json.dumps(_plain(artifact, arrays), ensure_ascii=False, sort_keys=True)
    return text, _to_arrow(arrays)


def unpack(cls: Any, text: Any, arrow: bytes) -> Any:
    """Rebuilds an artifact of the given class; raises UnfitDataError if the data are not one."""
    arrays = _from_arrow(arrow)

    def array(value: Any) -> np.ndarray[Any, Any]:
        if not isinstance(value, dict) or any(not _is_count(n) for n in value.get("shape", ())):
            raise ValueError("no number and shape")
        if not _is_count(value["array"]):
            raise ValueError("no number")
        found: np.ndarray[Any, Any] = arrays[value["array"]].reshape(value["shape"])
        return found

    return typed(cls, plain_data(text), array)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _plain(value: Any, arrays: list[np.ndarray[Any, Any]]) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: _plain(getattr(value, f.name), arrays) for f in dataclasses.fields(value)}
        return {"is": type(value).__name__, **fields}
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return {"array": len(arrays) - 1, "shape": list(value.shape)}
    if isinstance(value, dict):
        return {str(k): _plain(v, arrays) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v, arrays) for v in value]
    if isinstance(value, np.generic):
        return value.item()
    return value


def _to_arrow(arrays: list[np.ndarray[Any, Any]]) -> bytes:
    """Writes one row with a column of type list<double> for each array."""
    if not arrays:
        return b""
    batch = pa.record_batch(
        [_list_of_doubles(array) for array in arrays], names=[str(i) for i in range(len(arrays))]
    )
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    stored: bytes = sink.getvalue().to_pybytes()
    return stored


def _list_of_doubles(array: np.ndarray[Any, Any]) -> pa.ListArray:
    flat = pa.array(np.asarray(array, dtype=np.float64).ravel())
    return pa.ListArray.from_arrays(pa.array([0, len(flat)], pa.int32()), flat)


def _from_arrow(data: bytes) -> list[np.ndarray[Any, Any]]:
    """Returns views of the stored bytes, which nobody can write to."""
    if not data:
        return []
    try:
        with pa.ipc.open_stream(data) as stream:
            if any(field.type != _DOUBLES for field in stream.schema):
                raise UnfitDataError((), "arrays of another type than double")
            batch = stream.read_next_batch()
        batch.validate(full=True)
    except (pa.ArrowException, OSError, StopIteration) as error:
        raise UnfitDataError((), f"not arrays: {str(error)[:100]}") from None
    if batch.num_rows != 1 or any(column.null_count for column in batch.columns):
        raise UnfitDataError((), "not one row of arrays")
    found = [column.flatten() for column in batch.columns]
    if any(values.null_count for values in found):
        raise UnfitDataError((), "arrays with holes")
    return [values.to_numpy() for values in found]
