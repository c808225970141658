"""Follows what features are made from, to find predictors that give the target away."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain

from miningflow.declare.concept import Concept, Feature
from miningflow.errors import Diagnostic
from miningflow.resolve.bound import BoundStep

# Steps that put values of other rows into a row: what was may foretell what will be.
_OTHER_ROWS = ("series", "aggregation", "patterns", "evaluation")
# Parameters that only decide what is learned, and are not read for the value itself.
_ONLY_LEARNED = ("label", "sample_weight")

Origins = dict[str, frozenset[str]]
"""Feature → the features it was made from, on the way to the concept."""


@dataclass(frozen=True)
class Leak:
    """A predictor that was made from the target of a step, or the target from the predictor.

    The attributes that a selection chooses from by a target count as predictors.
    """

    step: BoundStep
    parameter: str
    feature: str
    target: str
    made_from_target: bool

    @property
    def is_selected(self) -> bool:
        """Returns whether a selection may keep it, rather than a model predict from it."""
        return self.parameter == "attributes"

    def diagnostic(self) -> Diagnostic:
        """Describes the leak, with the place of the predictors."""
        how = (
            f"is made from the target {self.target!r}"
            if self.made_from_target
            else f"is what the target {self.target!r} is made of"
        )
        return Diagnostic(
            f"{self.parameter[:-1]} {self.feature!r} of step {self.step.written_name!r} {how}",
            self.step.place(self.parameter),
            f"leave it out of the {self.parameter}, unless it is known before the target",
            "warning",
        )


def find_leaks(sources: Mapping[str, Concept], steps: Iterable[BoundStep]) -> list[Leak]:
    """Returns the leaks of all steps that predict a target."""
    origins: dict[str, Origins] = {
        name: dict.fromkeys(concept.features, frozenset()) for name, concept in sources.items()
    }
    leaks: list[Leak] = []
    for step in steps:
        before = [origins[name] for name in step.inputs if name in origins]
        known = {feature: made for each in reversed(before) for feature, made in each.items()}
        leaks += _leaks(step, known)
        origins[step.name] = _after(step, known)
    return leaks


def _leaks(step: BoundStep, known: Origins) -> list[Leak]:
    target: Feature | None = getattr(step.operator, "target", None)
    if target is None:
        return []
    parameter = "predictors" if step.operator.scores else "attributes"
    predictors: tuple[Feature, ...] = getattr(step.operator, parameter, ())
    of_target = known.get(target.name, frozenset())
    return [
        Leak(step, parameter, p.name, target.name, target.name in known.get(p.name, ()))
        for p in predictors
        if p.name in of_target or target.name in known.get(p.name, ())
    ]


def _after(step: BoundStep, known: Origins) -> Origins:
    """Returns the origins of the features that a step passes on or makes."""
    made = _made(step, known)
    read = set() if step.operator.family in _OTHER_ROWS else _read(step)
    whole = frozenset(chain(read, *(known.get(name, ()) for name in read)))
    return {
        name: whole - {name} if name in made else known.get(name, frozenset())
        for name in step.output.features
    }


def _made(step: BoundStep, known: Origins) -> set[str]:
    """Names the features that are new, or replaced."""
    new = set(step.output.features) - set(known)
    constructed = getattr(step.operator, "constructed", None)
    return new | ({constructed()} if constructed is not None else set())


def _read(step: BoundStep) -> set[str]:
    """Names the features that the values are made from; a model reads no target to predict."""
    names: set[str] = set()
    for parameter in step.operator.parameters():
        learned = parameter.name == "target" and step.operator.family == "learning"
        value = getattr(step.operator, parameter.name)
        if value is not None and not learned and parameter.name not in _ONLY_LEARNED:
            parts = parameter.kind.parts(value, vars(step.operator))
            names |= {name for concept, name in chain(*parts) if concept == step.inputs[0]}
    return names
