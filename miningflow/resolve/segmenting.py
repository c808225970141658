"""Which segmentations a step runs in, and which its output is divided by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from miningflow.declare.concept import Concept, Segmentation
from miningflow.declare.operator import Operator
from miningflow.declare.segmentation import SegmentingOperator, UnsegmentingOperator


class SegmentError(Exception):
    """Segments do not fit together; the message says why, the hint what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def run_in(inputs: Sequence[Concept]) -> tuple[Segmentation, ...]:
    """Returns the segmentations of all inputs; a step runs once for each segment of these."""
    found: dict[str, Segmentation] = {}
    for concept in inputs:
        for segmentation in concept.segmentations:
            known = found.setdefault(segmentation.feature.casefold(), segmentation)
            if known != segmentation:
                raise SegmentError(
                    f"the concepts are segmented by different steps, {known.step!r} and "
                    f"{segmentation.step!r}, that both call the segment {known.feature!r}",
                    "put the segments of one together with Unsegment, "
                    "or give one of the steps a different 'output'",
                )
    return tuple(found.values())


def segmented(
    step: str, operator: Operator, output: Concept, within: tuple[Segmentation, ...]
) -> Concept:
    """Returns the output of a step with the segmentations that it is divided by."""
    divided = within
    if isinstance(operator, SegmentingOperator):
        divided = (*within, Segmentation(operator.output, step, operator.repeats))
    elif isinstance(operator, UnsegmentingOperator):
        divided = tuple(s for s in within if s.feature != operator.ended)
    names = {s.feature.casefold(): s for s in divided}
    for name in output.features:
        if name.casefold() in names:
            taken = names[name.casefold()]
            raise SegmentError(
                f"a feature cannot be called {name!r}: "
                f"step {taken.step!r} has segments of that name",
                f"give the segmentation another 'output', or end it first with Unsegment "
                f"(segment {taken.feature!r})",
            )
    return replace(output, segmentations=divided)


def check_learn_on(concept: Concept, within: tuple[Segmentation, ...]) -> None:
    """Refuses to learn in segments of which the input knows nothing."""
    for segmentation in concept.segmentations:
        if segmentation not in within:
            raise SegmentError(
                f"{concept.name!r} is segmented by {segmentation.feature!r} "
                f"(step {segmentation.step!r}), but the input is not",
                "learn on a concept of the same segments, or put them together with Unsegment",
            )
