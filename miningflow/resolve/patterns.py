"""Feature patterns: `claim_*`, `type:numeric`, `all`, `all except [id, since]`."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Collection

from miningflow.declare.concept import FEATURE_TYPES, Concept, Feature

_EXCEPT = re.compile(r"^all\s+except\s+\[?(?P<names>[^\]]*)\]?$")


def is_pattern(text: str, concept: Concept) -> bool:
    """Says whether a text stands for several features; an existing name never does."""
    if text in concept.features:
        return False
    return text == "all" or text.startswith(("type:", "all except")) or any(c in text for c in "*?")


def expand(
    text: str, concept: Concept, types: Collection[str], apart: Collection[str]
) -> tuple[tuple[Feature, ...], str]:
    """Expands a pattern; also gives what is wrong with it, or an empty text.

    Features of other types and those named by other parameters of the step are left out silently:
    `predictors: all` means all that can be predictors.
    """
    wanted: Callable[[Feature], bool]
    if text == "all":
        wanted = _anything
    elif text.startswith("type:"):
        kind = text.removeprefix("type:").strip()
        if kind not in FEATURE_TYPES:
            return (), f"there is no feature type {kind!r}; there are {', '.join(FEATURE_TYPES)}"

        def wanted(feature: Feature) -> bool:
            return feature.type == kind

    elif match := _EXCEPT.match(text):
        left_out = [name.strip() for name in match["names"].split(",") if name.strip()]
        unknown = [
            n for n in left_out if not any(fnmatch.fnmatchcase(f, n) for f in concept.features)
        ]
        if unknown:
            return (), f"{concept.name!r} has no feature {unknown[0]!r} to leave out"

        def wanted(feature: Feature) -> bool:
            return not any(fnmatch.fnmatchcase(feature.name, n) for n in left_out)

    else:

        def wanted(feature: Feature) -> bool:
            return fnmatch.fnmatchcase(feature.name, text)

    found = tuple(
        f
        for f in concept.features.values()
        if wanted(f) and f.name not in apart and (not types or f.type in types)
    )
    return found, "" if found else f"no feature of {concept.name!r} fits {text!r}"


def _anything(feature: Feature) -> bool:
    return True
