"""Declared parameters: what an operator takes, as data that binding, docs and schema share."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from miningflow.declare.kinds.kind import Kind

NOT_GIVEN: Any = dataclasses.MISSING


@dataclass(frozen=True)
class Parameter:
    """One declared parameter of an operator."""

    name: str
    kind: Kind[Any]
    text: str
    default: Any = NOT_GIVEN
    later: bool = False
    """Whether stores may be older than the parameter: its default then leaves the fingerprint."""

    @property
    def obligatory(self) -> bool:
        """Returns whether a step must give it: it has no default."""
        return self.default is NOT_GIVEN

    def plain(self, value: Any) -> Any:
        """Returns a value, which may not be given, as plain data for the fingerprint."""
        return None if value is None else self.kind.plain(value)


def declared(kind: Kind[Any], text: str, default: Any = NOT_GIVEN, later: bool = False) -> Any:
    """Returns the field of an operator class that declares a parameter."""
    parameter = Parameter("", kind, text, default, later)
    return dataclasses.field(default=default, metadata={"parameter": parameter}, kw_only=True)


def parameters_of(cls: type[Any]) -> tuple[Parameter, ...]:
    """Returns the declared parameters of an operator class, in order."""
    if cls not in _KNOWN:
        _KNOWN[cls] = _parameters(cls)
    return _KNOWN[cls]


_KNOWN: dict[type[Any], tuple[Parameter, ...]] = {}


def _parameters(cls: type[Any]) -> tuple[Parameter, ...]:
    return tuple(
        dataclasses.replace(f.metadata["parameter"], name=f.name)
        for f in dataclasses.fields(cls)
        if "parameter" in f.metadata
    )
