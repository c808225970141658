"""Ordered scales that categories are often taken from."""

from __future__ import annotations

from collections.abc import Sequence

_SCALES = (
    ("very low", "low", "medium", "high", "very high"),
    ("low", "moderate", "high"),
    ("very small", "small", "medium", "large", "very large"),
    ("xxs", "xs", "s", "m", "l", "xl", "xxl"),
    ("very poor", "poor", "fair", "average", "good", "very good", "excellent"),
    ("po", "fa", "ta", "gd", "ex"),
    ("bad", "fair", "good", "very good", "excellent"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    ("none", "mild", "moderate", "severe"),
    ("fair", "good", "very good", "premium", "ideal"),
    ("niedrig", "mittel", "hoch"),
    ("klein", "mittel", "groß"),
    ("nie", "selten", "manchmal", "oft", "immer"),
    ("primary", "secondary", "tertiary"),
    ("first", "second", "third", "fourth", "fifth"),
    ("bronze", "silver", "gold", "platinum"),
    ("junior", "middle", "senior"),
)


def scale_of(values: Sequence[str]) -> tuple[str, ...]:
    """Returns values in the order of a known scale, or nothing if they are of none."""
    folded = {value.strip().casefold().replace("_", " "): value for value in values}
    if len(folded) < 3 or len(folded) < len(values):
        return ()
    for scale in _SCALES:
        if set(folded) <= set(scale):
            return tuple(folded[each] for each in scale if each in folded)
    return ()
