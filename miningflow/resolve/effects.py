"""Effects of a removal, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from miningflow.errors import Place
from miningflow.html.page import FrameHtml

if TYPE_CHECKING:
    import pandas as pd

Kind = Literal["breaks", "shrinks", "loses"]


@dataclass(frozen=True)
class Effect:
    """One thing that would break, shrink or go."""

    kind: Kind
    where: str
    """A step, `relation NAME`, `test NAME` and so on."""
    said: str
    place: Place
    parameter: str = ""
    through: str = ""
    """The step that breaks before, and takes this one with it."""


@dataclass(frozen=True)
class Impact(FrameHtml):
    """What would become of a case without some features."""

    features: tuple[str, ...]
    """What is removed, each as `Concept.feature`."""
    effects: tuple[Effect, ...]
    lost: Mapping[str, tuple[str, ...]]
    """Step that would still run → features that it would no longer have."""

    def as_json(self) -> dict[str, Any]:
        """Returns the impact as plain data for programs."""
        return {
            "features": list(self.features),
            "effects": [
                {
                    "kind": e.kind,
                    "where": e.where,
                    "parameter": e.parameter,
                    "said": e.said,
                    "through": e.through,
                    "file": e.place.file,
                    "line": e.place.line,
                    "column": e.place.column,
                }
                for e in self.effects
            ],
            "lost": {name: list(features) for name, features in self.lost.items()},
        }

    def to_frame(self) -> pd.DataFrame:
        """Returns a row for each effect, with its place in the file."""
        import pandas as pd

        columns = ["kind", "where", "parameter", "said", "through", "file", "line", "column"]
        return pd.DataFrame(self.as_json()["effects"], columns=columns)
