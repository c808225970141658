"""Why a stage runs, or does not: as data for code, and in words for people."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from miningflow.plan.recipe import Recipe

CauseKind = Literal[
    "new",
    "full",
    "from",
    "operator",
    "location",
    "data",
    "parameters",
    "other inputs",
    "inputs",
    "version",
    "builds",
    "compiler",
    "gone",
    "unchanged",
    "unpublished",
    "kept",
    "not selected",
]

_PARAMETERS_SHOWN = 3
_LONGEST_VALUE = 40


@dataclass(frozen=True)
class Change:
    """Something that was one thing when the stage was built, and is another now."""

    name: str
    old: Any
    new: Any


@dataclass(frozen=True)
class Cause:
    """Why the plan has this to do with a stage."""

    kind: CauseKind
    changes: tuple[Change, ...] = ()
    """The parameters that changed, or the one part of the recipe that did."""
    names: tuple[str, ...] = ()
    """The inputs that changed, or the step named with `--from`."""

    @property
    def forced(self) -> bool:
        """Returns whether the stage runs, and learns, only because that was asked for."""
        return self.kind in ("full", "from")

    def __str__(self) -> str:
        match self.kind:
            case "full":
                return "--full"
            case "from":
                return f"--from {self.names[0]}"
            case "operator":
                return f"operator changed: {self.changes[0].old} → {self.changes[0].new}"
            case "location":
                return f"reads {self.changes[0].new} instead of {self.changes[0].old}"
            case "kept":
                return f"unchanged: {self.changes[0].old} that run {self.names[0]} was given"
            case "data":
                return "its data changed"
            case "parameters":
                return _parameters_in_words(self.changes)
            case "other inputs":
                return "its inputs changed"
            case "inputs":
                return f"{', '.join(repr(name) for name in self.names)} changed"
            case "version":
                return f"operator {self.changes[0].name} has a new version"
            case "builds":
                return f"built as {self.changes[0].new} instead of {self.changes[0].old}"
            case "compiler":
                return "compiled by another version of MiningFlow"
            case "gone":
                return "its result is gone from the store"
            case "unpublished":
                return "built by a run that did not finish"
            case "new" | "unchanged" | "not selected":
                return self.kind


def difference(old: Recipe, new: Recipe) -> Cause:
    """Returns why a new recipe is not the old one."""
    if old.operator != new.operator:
        return Cause("operator", (Change("operator", old.operator, new.operator),))
    places = old.parameters.get("location"), new.parameters.get("location")
    if places[0] != places[1] and ("given" in old.parameters or "given" in new.parameters):
        return Cause("location", (Change("location", *places),))
    if old.source != new.source:
        return Cause("data")
    if old.parameters != new.parameters:
        return Cause("parameters", _changed_parameters(old.parameters, new.parameters))
    if set(old.inputs) != set(new.inputs):
        return Cause("other inputs")
    changed = tuple(name for name, mark in new.inputs.items() if old.inputs[name] != mark)
    if changed:
        return Cause("inputs", names=changed)
    if old.version != new.version:
        return Cause("version", (Change(new.operator, old.version, new.version),))
    if old.builds != new.builds:
        return Cause("builds", (Change("builds", old.builds, new.builds),))
    return Cause("compiler")


def _changed_parameters(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[Change, ...]:
    names = [n for n in {**old, **new} if old.get(n) != new.get(n)]
    return tuple(Change(n, old.get(n), new.get(n)) for n in names)


def _parameters_in_words(changes: tuple[Change, ...]) -> str:
    shown = [f"{c.name}: {_short(c.old)} → {_short(c.new)}" for c in changes[:_PARAMETERS_SHOWN]]
    return "changed " + "; ".join(shown) + (" …" if len(changes) > _PARAMETERS_SHOWN else "")


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 3] + "…"
