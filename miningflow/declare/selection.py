"""Feature selection: operators that mark features as deselected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from miningflow.declare.concept import Concept, Feature
from miningflow.declare.estimates import ConceptEstimate
from miningflow.declare.kinds.concepts import concept
from miningflow.declare.operator import Family, Notes, Operator, operator
from miningflow.declare.rows import TrainingRows
from miningflow.declare.typed_data import Shown
from miningflow.html.page import FrameHtml
from miningflow.learn.selection.contestant import Contestant
from miningflow.sql.block import Block, Source, over

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Trial:
    """One subset that a search tried, or one feature that was scored: its value decided."""

    level: int
    kept: tuple[str, ...]
    changed: str
    value: Shown
    accepted: bool


@dataclass(frozen=True)
class Selection(FrameHtml):
    """What a selection found: features kept and dropped, why, scores, the trace of the search."""

    kept: tuple[str, ...]
    dropped: tuple[str, ...]
    reason: str
    scores: dict[str, Shown]
    trace: tuple[Trial, ...] = ()
    measure: str = "error"
    """What the values of the trace are."""

    def to_frame(self) -> pd.DataFrame:
        """Returns the trace: a row for each subset that was tried, in order."""
        import pandas as pd

        columns = ["level", "changed", self.measure, "taken", "features", "kept"]
        rows = [[t.level, t.changed, t.value, t.accepted, len(t.kept), t.kept] for t in self.trace]
        return pd.DataFrame(rows, columns=columns)


@operator
class FeatureSelection(Operator):
    """An operator that deselects features; conceptually its output has all features of its input.

    The compiler drops the columns that the artifact names. A subclass learns a `Selection`.
    """

    family: ClassVar[Family] = "selection"
    learns: ClassVar[type[Any] | None] = Selection
    contestant: ClassVar[Contestant | None] = None
    """How the operator takes part in `miningflow compare`; subclasses do not inherit this."""

    input: Concept = concept("the concept whose features are selected")

    def candidates(self) -> tuple[Feature, ...]:
        """Returns the superset that features may be dropped from."""
        attributes: tuple[Feature, ...] = getattr(self, "attributes")  # noqa: B009 - of the subclass
        return attributes

    def known(self, rows: TrainingRows) -> TrainingRows:
        """Returns the rows to select by; a subclass may fill NULLs, or refuse them."""
        return rows

    def least(self) -> int:
        """Returns how many of the candidates always remain."""
        return 1

    def outline(self, notes: Notes) -> Concept:
        """Keeps every feature; says so if one may never be dropped."""
        target: Feature | None = getattr(self, "target", None)
        for feature in self.candidates():
            if target is not None and feature.name == target.name:
                notes.error(
                    "attributes",
                    f"the target {feature.name!r} cannot be among the attributes",
                    f"remove {feature.name!r} from the list",
                )
            elif feature.name in self.input.bound_features:
                notes.error(
                    "attributes",
                    f"{feature.name!r} is the key or part of a relation and can never be dropped",
                    f"remove {feature.name!r} from the list",
                )
        return self.input

    def estimated(self, inputs: Mapping[str, ConceptEstimate], output: Concept) -> ConceptEstimate:
        """Keeps the rows; which of the candidates go, only a run can tell."""
        rows = inputs[self.input.name]
        candidates = {f.name for f in self.candidates()}
        features = {
            name: replace(f, may_go=f.may_go or name in candidates)
            for name, f in rows.features.items()
        }
        return replace(rows, features=features)

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Keeps the columns that were not dropped."""
        dropped = set(artifact.dropped)
        kept = [name for name in self.input.features if name not in dropped]
        return over(inputs[self.input.name]).project(kept)
