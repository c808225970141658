"""What evaluations share: a truth, parts of the rows, and scores that speak for a class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from sqlglot import exp

from miningflow.declare import (
    PREDICTED_CLASS,
    Concept,
    Feature,
    FeatureType,
    Notes,
    Operator,
    concept,
    operator,
)
from miningflow.declare.operator import Family
from miningflow.sql.block import Block, Source, over
from miningflow.sql.conditions import when
from miningflow.sql.literals import column, text
from miningflow.sql.sampling import in_share

from .measures import PART


@operator
class WithTruth(Operator):
    """Shared by operators that compare rows with the truth, separately for each part of them."""

    family: ClassVar[Family] = "evaluation"
    builds: ClassVar[Literal["view", "table"]] = "table"

    input: Concept = concept("the concept with the truth and the prediction")

    def in_parts(self, inputs: Mapping[str, Source], given: Mapping[str, Feature | None]) -> Block:
        """Returns the rows with their part, and with the features that are given by other names."""
        columns = {name: column(f.name) for name, f in given.items() if f is not None}
        return over(inputs[self.input.name]).derive({**columns, PART: self.part()})

    def table_of(self, names: Mapping[str, FeatureType]) -> Concept:
        """Returns the concept of a table with a part and other features, which have these types."""
        types: dict[str, FeatureType] = {PART: "nominal", **names}
        return Concept(self.input.name, {n: Feature(n, kind) for n, kind in types.items()})

    def part(self) -> exp.Expression:
        """Says whether a row was held out."""
        held_out = [
            in_share(r.feature, r.holdout.seed, r.holdout.share)
            for r in self.input.holdouts
            if r.holdout is not None
        ]
        if not held_out:
            return text("all")
        return when(exp.or_(*held_out), text("held out"), text("learned"))


def note_other_class(
    parameter: str, score: Feature | None, positive: str | None, notes: Notes
) -> None:
    """Notes a score whose high values do not speak for the positive class."""
    if score is None or positive is None:
        return
    favoured, name = score.rises_with, score.name
    if favoured is None or favoured == positive:
        return
    if favoured == PREDICTED_CLASS:
        notes.error(
            parameter,
            f"{name!r} is about the predicted class, whichever it is, so it cannot rank rows "
            f"by {positive!r}",
            f"give the model `positive: {positive}`, or leave {parameter!r} out",
        )
    else:
        notes.error(
            parameter,
            f"high values of {name!r} speak for {favoured!r}, and 'positive' is {positive!r}",
            f"set `positive: {favoured}` here, or make {positive!r} the positive class of "
            "the model",
        )
