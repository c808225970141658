"""Warnings about what steps learned: selections, intervals, segments, and nothing held out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from miningflow.warn.result_warning import ResultWarning

FEWEST_ROWS = 30
SEGMENTS_SHOWN = 5


def selection_warnings(
    step: str, kept: Sequence[str], dropped: Sequence[str], asked: int | None, segment: str = ""
) -> Iterator[ResultWarning]:
    """Warns of a selection that kept everything, or one; not if this was asked for."""
    if len(kept) + len(dropped) < 3 or asked == len(kept):
        return
    where = f"in {segment}, " if segment else ""
    if not dropped:
        yield ResultWarning(
            "selection_kept_everything",
            step,
            f"{where}all {len(kept)} features were kept",
            "leave the step out, or give 'keep' or another limit",
        )
    elif len(kept) == 1:
        yield ResultWarning(
            "selection_kept_one",
            step,
            f"{where}only {kept[0]!r} of {len(kept) + len(dropped)} features was kept",
            "check that it does not give the target away; give 'keep' to keep more",
        )


def one_interval(step: str, feature: str) -> ResultWarning:
    """Warns of a discretization that made one interval."""
    return ResultWarning(
        "one_interval",
        step,
        "all values are in one interval, so the feature says nothing",
        "choose more or other intervals, or leave the step out",
        (feature,),
    )


def small_segments(step: str, rows: Mapping[str, int]) -> Iterator[ResultWarning]:
    """Warns of segments that have too few rows to learn from."""
    small = {segment: n for segment, n in rows.items() if n < FEWEST_ROWS}
    if not small:
        return
    shown = [f"{segment} ({n:,})" for segment, n in sorted(small.items(), key=lambda e: e[1])]
    more = f" and {len(shown) - SEGMENTS_SHOWN} more" if len(shown) > SEGMENTS_SHOWN else ""
    yield ResultWarning(
        "small_segments",
        step,
        f"{len(small)} of {len(rows)} segments with fewer than {FEWEST_ROWS} rows to learn from: "
        f"{', '.join(shown[:SEGMENTS_SHOWN])}{more}",
        "divide into fewer segments, or merge small ones first",
    )


def no_holdout(models: Sequence[str]) -> ResultWarning:
    """Warns that nothing tells how good models are on rows that they have not seen."""
    return ResultWarning(
        "no_holdout",
        ", ".join(models[:SEGMENTS_SHOWN]) + (" …" if len(models) > SEGMENTS_SHOWN else ""),
        "no rows are held out, so nothing shows how good the model is on new rows",
        "add `holdout: {share: 0.3, seed: 1}` to the concept that the model learns from",
    )


def leak(
    step: str, feature: str, target: str, made_from_target: bool, selected: bool = False
) -> ResultWarning:
    """Warns of a predictor that the target was made from, or that was made from the target."""
    how = f"made from the target {target!r}" if made_from_target else f"what {target!r} is made of"
    what, so = (
        ("attribute", "the selection prefers it to what is known in time")
        if selected
        else ("predictor", "the model only repeats what is known")
    )
    return ResultWarning(
        "leak",
        step,
        f"this {what} is {how}, so {so}",
        f"leave it out of the {what}s",
        (feature,),
    )
