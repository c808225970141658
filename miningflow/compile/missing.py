"""Why a step has no SQL yet, or no results that are up to date."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

MissingKind = Literal[
    "waits", "not selected", "never built", "changed", "operator changed", "input changed"
]
Verb = Literal["learned", "ran"]


@dataclass(frozen=True)
class Missing:
    """The reason, as data for code and, by `str()`, as the end of a sentence about the step."""

    kind: MissingKind
    names: tuple[str, ...] = ()
    """The steps that it waits for, or the input that changed."""
    verb: Verb = "learned"
    """What the step did when it was last built, as far as the question is concerned."""

    def __str__(self) -> str:
        names = ", ".join(repr(name) for name in self.names)
        match self.kind:
            case "waits":
                return f"waits for {names}"
            case "not selected":
                return "was not selected"
            case "never built":
                return f"has not {'run' if self.verb == 'ran' else 'learned'} yet"
            case "changed":
                return f"was changed since it {self.verb}"
            case "operator changed":
                return f"{self.verb} with another version of its operator"
            case "input changed":
                return f"{self.verb} before {names} was changed"
