"""Which segmentations a step runs in, and which its output is divided by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from miningflow.declare.concept import Concept, Segmentation
from miningflow.declare.operator import Operator
from miningflow.declare.segmentation import SegmentingOperator, UnsegmentingOperator


class SegmentMistake(Exception):
    """Segments do not fit together; says why and what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def run_in(inputs: Sequence[Concept]) -> tuple[Segmentation, ...]:
    """Gives the segmentations of all inputs; a step runs once for each segment of these."""
    found: dict[str, Segmentation] = {}
    for concept in inputs:
        for segmentation in concept.segmentations:
            known = found.setdefault(segmentation.feature.casefold(), segmentation)
            if known != segmentation:
                raise SegmentMistake(
                    f"the concepts are segmented by different steps, {known.step!r} and "
                    f"{segmentation.step!r}, that both call the segment {known.feature!r}",
                    "put the segments of one together with Unsegment, "
                    "or give one of the steps an 'output' of its own",
                )
    return tuple(found.values())


def segmented(
    step: str, operator: Operator, output: Concept, within: tuple[Segmentation, ...]
) -> Concept:
    """Gives the output of a step with the segmentations that it is divided by."""
    divided = within
    if isinstance(operator, SegmentingOperator):
        divided = (*within, Segmentation(operator.output, step, operator.repeats))
    elif isinstance(operator, UnsegmentingOperator):
        divided = tuple(s for s in within if s.feature != operator.ended)
    names = {s.feature.casefold(): s for s in divided}
    for name in output.features:
        if name.casefold() in names:
            taken = names[name.casefold()]
            raise SegmentMistake(
                f"a feature cannot be called {name!r}: step {taken.step!r} calls the segment so",
                f"give the segmentation another 'output', or end it first with Unsegment "
                f"(segment {taken.feature!r})",
            )
    return replace(output, segmentations=divided)


def check_learn_on(concept: Concept, within: tuple[Segmentation, ...]) -> None:
    """Refuses to learn in segments of which the input knows nothing."""
    for segmentation in concept.segmentations:
        if segmentation not in within:
            raise SegmentMistake(
                f"{concept.name!r} is segmented by {segmentation.feature!r} "
                f"(step {segmentation.step!r}), and the input is not",
                "learn on a concept of the same segments, or put them together with Unsegment",
            )
