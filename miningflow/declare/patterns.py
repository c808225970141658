"""Feature patterns: `claim_*`, `type:numeric`, `all`, `all except [id, since]`."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Collection

from miningflow.declare.concept import FEATURE_TYPES, Concept, Feature
from miningflow.errors import listed, suggestion

_EXCEPT = re.compile(r"all\s+except\s")
LONGEST_PATTERN = 20_000
MOST_WILDCARDS = 100


def is_pattern(text: str, concept: Concept) -> bool:
    """Returns whether a text stands for several features; an existing name never does."""
    if text in concept.features:
        return False
    return text == "all" or text.startswith(("type:", "all except")) or any(c in text for c in "*?")


class PatternError(Exception):
    """A pattern stands for nothing; the message says why, the hint what exists."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def expand(
    text: str, concept: Concept, types: Collection[str], apart: Collection[str]
) -> tuple[Feature, ...]:
    """Returns the features that a pattern stands for.

    Features of other types and those named by other parameters of the step are left out silently:
    `predictors: all` means all that can be predictors.
    """
    wanted: Callable[[Feature], bool]
    if len(text) > LONGEST_PATTERN:
        message = f"a pattern has at most {LONGEST_PATTERN} characters, got {len(text)}"
        raise PatternError(message, "")
    if text == "all":
        wanted = _anything
    elif text.startswith("type:"):
        kind = text.removeprefix("type:").strip()
        if kind not in FEATURE_TYPES:
            hint = suggestion(kind, FEATURE_TYPES, "types")
            raise PatternError(f"there is no feature type {kind!r}", hint)

        def wanted(feature: Feature) -> bool:
            return feature.type == kind

    elif match := _EXCEPT.match(text):
        left_out = _left_out(text[match.end() :], concept)

        def wanted(feature: Feature) -> bool:
            return feature.name not in left_out

    else:

        def wanted(feature: Feature) -> bool:
            return fnmatch.fnmatchcase(feature.name, text)

    meant = [f for f in concept.features.values() if wanted(f)]
    found = tuple(f for f in meant if f.name not in apart and (not types or f.type in types))
    if not found:
        raise _nothing(text, concept, meant, types)
    return found


def _nothing(
    text: str, concept: Concept, meant: list[Feature], types: Collection[str]
) -> PatternError:
    """Says why a pattern stands for no feature: none has the name, none the type, or all are used.

    `meant` are the features that the pattern alone describes.
    """
    kinds = " or ".join(types)
    fitting = [f.name for f in concept.features.values() if not types or f.type in types]
    hint = f"it has {listed(concept.features)}"
    if types:
        hint = f"features that are {kinds}: {listed(fitting) or 'none'}"
    if not meant:
        return PatternError(f"no feature of {concept.name!r} fits {text[:200]!r}", hint)
    typed = [f for f in meant if not types or f.type in types]
    if typed:
        used = listed(f.name for f in typed)
        message = f"{text!r} fits only {used}, which other parameters of the step name"
        return PatternError(message, hint)
    found = listed((f"{f.name} ({f.type})" for f in meant), most=5)
    message = f"{text!r} fits no feature of {concept.name!r} that is {kinds}, only {found}"
    return PatternError(message, hint)


def _left_out(names_of: str, concept: Concept) -> set[str]:
    """Finds the features that a list such as `[id, claim_*]` names."""
    names = [n.strip() for n in names_of.strip().removeprefix("[").removesuffix("]").split(",")]
    found: set[str] = set()
    wild = [name for name in names if any(c in name for c in "*?[")]
    if len(wild) > MOST_WILDCARDS:
        raise PatternError(
            f"a list has at most {MOST_WILDCARDS} names with wildcards, got {len(wild)}", ""
        )
    for name in filter(None, names):
        fitting = {name} & concept.features.keys()
        if not fitting and name in wild:
            fitting = set(fnmatch.filter(concept.features, name))
        if not fitting:
            hint = suggestion(name[:200], concept.features, "features")
            message = f"{concept.name!r} has no feature {name[:200]!r} to leave out"
            raise PatternError(message, hint)
        found |= fitting
    return found


def _anything(feature: Feature) -> bool:
    return True
