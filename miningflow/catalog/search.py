"""Finds operators by words for what they do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from miningflow.catalog.catalog import Catalog
from miningflow.declare.operator import Operator
from miningflow.errors import closest, listed, suggestion

# How much a word counts by where it is found, and how much if it only begins in the same way.
BY_NAME, BY_PURPOSE, BY_TEXT = 4.0, 2.0, 1.0
NEARLY = 0.6
WHOLE = 10.0
# A word in the text further down counts only where no operator has it in a more telling place.
TELLING = BY_PURPOSE * NEARLY
MOST_HINTS = 5

_PART = re.compile(r"[^\W_]+")
_CAPITALIZED = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^A-Z\d]+|\d+")
_ENDINGS = frozenset(["", "d", "e", "ed", "er", "es", "s", "y", "ies", "se", "ze"]) | frozenset(
    ["al", "ation", "ations", "ication", "ing", "ings", "ion", "ions", "ment", "ming", "ning", "or"]
)
_EMPTY_WORDS = frozenset(
    ["a", "an", "and", "by", "for", "from", "in", "of", "the", "to", "value", "values", "with"]
)


@dataclass(frozen=True)
class _Index:
    """The words of one operator, with how much each counts."""

    weights: dict[str, float]
    phrases: frozenset[str]
    """What it is called as a whole, each written as one word."""


def search(words: Iterable[str], catalog: Catalog) -> list[type[Operator]]:
    """Returns the operators that most of the words fit, the best first."""
    asked = [word for text in words for word in _words(text)]
    telling = [word for word in asked if word not in _EMPTY_WORDS] or asked
    found: list[tuple[int, float, type[Operator]]] = []
    for cls in catalog.values():
        index = _index(cls)
        scores = [score for word in telling if (score := _score(word, index.weights))]
        whole = not index.phrases.isdisjoint(["".join(asked), "".join(telling)])
        if scores:
            found.append((len(scores), sum(scores) + WHOLE * whole, cls))
    most = max((fitting for fitting, _, _ in found), default=0)
    best = [(score, cls) for fitting, score, cls in found if fitting == most]
    clear = [(score, cls) for score, cls in best if score >= TELLING * most]
    ranked = sorted(clear or best, key=lambda each: (-each[0], each[1].family, each[1].__name__))
    return [cls for _, cls in ranked]


def search_hint(words: Sequence[str], catalog: Catalog) -> str:
    """Returns what to search for instead of words that no operator fits."""
    known = sorted({word for cls in catalog.values() for word in _index(cls).weights})
    names = [found for word in words if (found := closest(word, catalog.words))]
    similar = [found for word in words if (found := closest(word.casefold(), known))]
    if names or similar:
        return f"did you mean {(names or similar)[0]!r}?"
    return "`miningflow operators` lists all of them"


def meant(word: str, catalog: Catalog) -> type[Operator] | None:
    """Returns the operator that was probably meant by a misspelt name."""
    if any("".join(_words(word)) in _index(cls).phrases for cls in catalog.values()):
        found = [cls for cls in catalog.values() if word.strip().casefold() in _names(cls)]
        return found[0] if found else None  # a word for a purpose is not a misspelt name
    return catalog.find(closest(word, catalog.words) or "")


def operator_hint(word: str, catalog: Catalog) -> str:
    """Returns what to write instead of a name that no operator has."""
    if meant(word, catalog) is not None:
        return suggestion(word, catalog.words)
    found = search([word], catalog)
    if not found:
        return f"{suggestion(word, catalog, 'operators')}; `miningflow operators` explains them"
    names = [cls.alias or cls.__name__ for cls in found]
    if len(names) == 1:
        return f"did you mean {names[0]!r}?"
    return f"these may do: {listed(names, MOST_HINTS)}; `miningflow operators NAME` explains one"


def _index(cls: type[Operator]) -> _Index:
    texts = [cls.doc(), *(parameter.text for parameter in cls.parameters())]
    names = [cls.__name__, cls.alias, *cls.finds]
    weights: dict[str, float] = {}
    phrases = frozenset("".join(_words(name)) for name in names if name)
    for weight, words in (
        (BY_TEXT, [word for text in texts for word in _words(text) if len(word) > 1]),
        (BY_PURPOSE, [*_words(cls.purpose()), *_words(cls.family)]),
        (BY_NAME, [*(word for name in names for word in _words(name)), *phrases]),
    ):
        weights |= dict.fromkeys(words, weight)
    return _Index(weights, phrases)


def _words(text: str) -> list[str]:
    """Returns the words of a text, those of a name such as FillMean separately."""
    parts = [each for part in _PART.findall(text) for each in _CAPITALIZED.findall(part)]
    return [part.casefold() for part in parts]


def _score(word: str, weights: dict[str, float]) -> float:
    exact = weights.get(word, 0.0)
    near = max((weight for other, weight in weights.items() if _alike(word, other)), default=0.0)
    return max(exact, NEARLY * near)


def _alike(word: str, other: str) -> bool:
    """Returns whether words differ in their endings only: `impute` and `imputation`, `lags`."""
    pairs = zip(word, other, strict=False)
    same = len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))
    return same >= 3 and {word[same:], other[same:]} <= _ENDINGS


def _names(cls: type[Operator]) -> set[str]:
    return {name.casefold() for name in (cls.__name__, cls.alias) if name}
