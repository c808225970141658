"""Numbers for words that the operator defines, such as what each kind of mistake costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from miningflow.declare.kinds.binding import Binding
from miningflow.declare.kinds.composed import MapOf
from miningflow.declare.kinds.kind import Schema
from miningflow.declare.kinds.numbers import Number
from miningflow.declare.kinds.words import Choice
from miningflow.declare.parameters import declared
from miningflow.nodes import Node, Scalar


@dataclass(frozen=True)
class NamedNumbers(MapOf[str, float, dict[str, float]]):
    """A map from some of several words to numbers."""

    word: ClassVar[str] = "named_numbers"

    @property
    def words(self) -> tuple[str, ...]:
        """Returns the words that may be used."""
        return cast(Choice, self.key).choices

    @property
    def written(self) -> str:
        """Returns in words what a case writes, with an example."""
        return f"a map of words to numbers, such as {{{self.words[0]}: 1}}"

    def takes(self) -> str:
        """Returns in words what a case writes."""
        return f"a map of {', '.join(f'`{word}`' for word in self.words)} to numbers"

    def schema(self) -> Schema:
        """Returns the schema of a map with some of the words."""
        return {
            "type": "object",
            "properties": {word: self.item.schema() for word in self.words},
            "additionalProperties": False,
            "minProperties": 1,
        }

    def made(
        self, found: list[tuple[str, float]], entries: list[tuple[Scalar, Node]], binding: Binding
    ) -> dict[str, float]:
        """Returns the map, in the order of the words, so that theirs does not matter."""
        given = dict(found)
        return {word: given[word] for word in self.words if word in given}


def named_numbers(text: str, words: Sequence[str]) -> dict[str, float] | None:
    """Declares a map from some of the words to numbers, which need not be given."""
    kind = NamedNumbers(Choice(tuple(words)), Number())
    found: Any = declared(kind, text, None)
    return cast("dict[str, float] | None", found)
