"""What operators that make features note about the names, and about a target among predictors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from miningflow.declare import Concept, Feature, Notes


def note_taken(
    notes: Notes, concept: Concept, outputs: Mapping[str, Sequence[str]], hint: str
) -> None:
    """Notes new features, by their parameters, that exist or are made twice.

    In the hint, `{parameter}` stands for the parameter.
    """
    taken = {f.casefold() for f in concept.features}
    for parameter, names in outputs.items():
        for name in names:
            if name.casefold() in taken:
                message = f"{concept.name!r} already has a feature {name!r}"
                notes.error(parameter, message, hint.format(parameter=parameter))
            taken.add(name.casefold())


def note_copied(notes: Notes, target: Feature, predictors: Sequence[Feature], model: str) -> None:
    """Notes a target that is among the predictors."""
    if any(f.name == target.name for f in predictors):
        notes.error(
            "predictors",
            f"the target {target.name!r} is among the predictors",
            f"remove {target.name!r}: with it the {model} would only copy the answer",
        )
