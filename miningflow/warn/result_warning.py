"""A warning about a result, how many of a kind become one, and how a build keeps its warnings."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

NOTE = "warning "
"""How a note begins that is a warning."""
NAMES_SHOWN = 6


@dataclass(frozen=True)
class ResultWarning:
    """Something that makes a result doubtful: what it is about, what is wrong, what to do."""

    kind: str
    """The name of the warning in docs/warnings.md."""
    step: str
    message: str
    remedy: str
    features: tuple[str, ...] = ()
    """The features that it is about; the message does not repeat them."""
    times: int = 1
    """For how many turns of a loop it stands."""

    @property
    def subject(self) -> str:
        """Returns what the warning is about, for the beginning of a line."""
        turns = f" ({self.times} turns)" if self.times > 1 else ""
        about = f": {shortened(self.features)}" if self.features else ""
        return f"{self.step}{turns}{about}" if self.step else shortened(self.features)

    def __str__(self) -> str:
        return f"{self.subject}: {self.message}" if self.subject else self.message


def collapsed(warnings: Iterable[ResultWarning], turns: bool = False) -> tuple[ResultWarning, ...]:
    """Makes one warning of those that say the same of several features.

    With `turns`, each is about another turn of a loop, and they are counted.
    """
    found: dict[tuple[str, str, str, str], ResultWarning] = {}
    for warning in warnings:
        key = warning.kind, warning.step, warning.message, warning.remedy
        if key not in found:
            found[key] = warning
            continue
        before = found[key]
        features = tuple(dict.fromkeys([*before.features, *warning.features]))
        times = before.times + warning.times if turns else before.times
        found[key] = replace(before, features=features, times=times)
    return tuple(found.values())


def shortened(names: Sequence[str]) -> str:
    """Lists a few names; of many, the first and the last."""
    if len(names) <= NAMES_SHOWN:
        return ", ".join(names)
    return f"{names[0]} … {names[-1]} ({len(names)} features)"


def as_notes(warnings: Iterable[ResultWarning]) -> tuple[str, ...]:
    """Writes warnings as notes of a build."""
    return tuple(NOTE + json.dumps(asdict(warning)) for warning in warnings)


def from_notes(notes: Iterable[str]) -> tuple[tuple[str, ...], tuple[ResultWarning, ...]]:
    """Separates the notes of a build from its warnings; what is damaged stays a note."""
    plain: list[str] = []
    warnings: list[ResultWarning] = []
    for note in notes:
        found = _parsed(note.removeprefix(NOTE)) if note.startswith(NOTE + "{") else None
        if found is None:
            plain.append(note)
        else:
            warnings.append(found)
    return tuple(plain), tuple(warnings)


def _parsed(text: str) -> ResultWarning | None:
    try:
        data: Any = json.loads(text)
    except ValueError:
        return None
    if not isinstance(data, dict) or set(data) != {f.name for f in fields(ResultWarning)}:
        return None
    features, times = data.pop("features"), data.pop("times")
    texts = [*data.values(), *features] if isinstance(features, list) else [None]
    if not all(isinstance(value, str) for value in texts) or not isinstance(times, int):
        return None
    return ResultWarning(**data, features=tuple(features), times=times)
