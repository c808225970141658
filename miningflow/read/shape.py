"""Checks of shape while reading: is this a map, a list, a text; which names are known here."""

from __future__ import annotations

from collections.abc import Iterable

from miningflow.errors import Mistake, Place, suggestion
from miningflow.read.nodes import Fields, Node, Scalar, kind_of


class Shape:
    """Asks nodes for what they should be and collects what they are not."""

    def __init__(self, mistakes: list[Mistake]) -> None:
        self.mistakes = mistakes

    def mistake(self, message: str, place: Place, hint: str = "") -> None:
        """Notes a mistake."""
        self.mistakes.append(Mistake(message, place, hint))

    def fields(self, node: Node | None, what: str) -> Fields | None:
        """Gives a map, or notes that it is none; nothing written counts as nothing."""
        if node is None or (isinstance(node, Scalar) and node.kind == "null"):
            return None
        if isinstance(node, Fields):
            return node
        self.mistake(f"{what} must be a map, and is {kind_of(node)}", node.place)
        return None

    def scalar(self, node: Node | None, what: str) -> Scalar | None:
        """Gives a single value, or notes that it is none."""
        if node is None:
            return None
        if isinstance(node, Scalar) and node.kind != "null":
            return node
        given = "empty" if isinstance(node, Scalar) else kind_of(node)
        self.mistake(f"{what} must be a single value, and is {given}", node.place)
        return None

    def text(self, node: Node | None, what: str) -> str:
        """Gives the text of a single value, or nothing."""
        found = self.scalar(node, what)
        return found.text if found else ""

    def known(self, fields: Fields, names: Iterable[str], what: str) -> None:
        """Notes names that mean nothing here."""
        allowed = tuple(names)
        for key, _ in fields:
            if key.text not in allowed:
                self.mistake(
                    f"{what} has no {key.text!r}",
                    key.place,
                    suggestion(key.text, allowed, "names here"),
                )

    def required(self, fields: Fields, name: str, what: str) -> Node | None:
        """Gives a node that must be there, or notes that it is missing."""
        node = fields.get(name)
        if node is None:
            self.mistake(f"{what} needs {name!r}", fields.place)
        return node
