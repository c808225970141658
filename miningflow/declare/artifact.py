"""Artifacts as JSON and Arrow: what a step learned, stored without pickle."""

from __future__ import annotations

import dataclasses
import io
import json
import types
import typing
from typing import Any

import numpy as np
import pyarrow as pa


def pack(artifact: Any) -> tuple[str, bytes]:
    """Turns an artifact into JSON text and the Arrow bytes of its arrays."""
    arrays: list[np.ndarray[Any, Any]] = []
    text = json.dumps(_plain(artifact, arrays), ensure_ascii=False, sort_keys=True)
    return text, _to_arrow(arrays)


def unpack(cls: type[Any], text: str, arrow: bytes) -> Any:
    """Rebuilds an artifact of the given class."""
    return _typed(cls, json.loads(text), _from_arrow(arrow))


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


def _typed(hint: Any, value: Any, arrays: list[np.ndarray[Any, Any]]) -> Any:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return _typed(_alternative(arguments, value), value, arrays)
    if isinstance(value, dict) and "array" in value and "shape" in value:
        return arrays[value["array"]].reshape(value["shape"])
    if isinstance(origin, type) and dataclasses.is_dataclass(origin):  # a generic one, such as
        hints = typing.get_type_hints(origin)  # PerSegment[Average]
        return origin(
            **{
                name: _typed(_substituted(hints[name], arguments), value[name], arrays)
                for name in hints
            }
        )
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        hints = typing.get_type_hints(hint)
        fields = {
            f.name: _typed(hints[f.name], value[f.name], arrays)
            for f in dataclasses.fields(hint)
            if f.name in value
        }
        return hint(**fields)
    if origin is tuple:
        inner = arguments[0] if len(arguments) == 2 and arguments[1] is Ellipsis else None
        return tuple(
            _typed(inner if inner is not None else arguments[i], v, arrays)
            for i, v in enumerate(value)
        )
    if origin is dict:
        return {k: _typed(arguments[1], v, arrays) for k, v in value.items()}
    if origin is list:
        return [_typed(arguments[0], v, arrays) for v in value]
    if hint is float and value is not None:
        return float(value)
    return value


def _substituted(hint: Any, arguments: tuple[Any, ...]) -> Any:
    """Puts the arguments of a generic class into the type of one of its fields."""
    return hint[arguments] if getattr(hint, "__parameters__", ()) else hint


def _alternative(arguments: tuple[Any, ...], value: Any) -> Any:
    """Chooses the member of a union that was stored, by its class name."""
    if value is None:
        return type(None)
    if isinstance(value, dict) and "is" in value:
        return next(a for a in arguments if getattr(a, "__name__", "") == value["is"])
    return next(a for a in arguments if a is not type(None))


def _to_arrow(arrays: list[np.ndarray[Any, Any]]) -> bytes:
    if not arrays:
        return b""
    columns = [
        pa.array([a.astype(np.float64).ravel().tolist()], pa.list_(pa.float64())) for a in arrays
    ]
    table = pa.table(columns, names=[str(i) for i in range(len(arrays))])
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def _from_arrow(data: bytes) -> list[np.ndarray[Any, Any]]:
    if not data:
        return []
    table = pa.ipc.open_stream(data).read_all()
    return [
        np.asarray(table.column(i)[0].as_py(), dtype=np.float64) for i in range(table.num_columns)
    ]
