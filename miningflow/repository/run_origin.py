"""Where a run comes from: the text of the column `program`, written and read here alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

_RUN = "miningflow run"
_VERIFY = "miningflow verify"
_MOVE = "miningflow move from "


@dataclass(frozen=True)
class RunOrigin:
    """What a run was for: `run` itself, or another verb that runs a case."""

    kind: Literal["run", "verify", "move"] = "run"
    moved_from: str = ""
    """The store whose artifacts a `move` took over."""

    def as_text(self) -> str:
        """Writes the origin for the repository."""
        match self.kind:
            case "run":
                return _RUN
            case "verify":
                return _VERIFY
            case "move":
                return f"{_MOVE}{self.moved_from}"


def origin_from_text(text: object) -> RunOrigin:
    """Reads an origin back; an unknown text is a run."""
    if text == _VERIFY:
        return RunOrigin("verify")
    if isinstance(text, str) and text.startswith(_MOVE):
        return RunOrigin("move", text.removeprefix(_MOVE))
    return RunOrigin()
