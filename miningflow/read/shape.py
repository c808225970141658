"""Checks of shape while reading: is this a map, a list, a text; which names are known here."""

from __future__ import annotations

from collections.abc import Iterable

from miningflow.errors import Diagnostic, Place, closest, suggestion
from miningflow.nodes import Fields, Node, Scalar, kind_of


class Shape:
    """Checks that nodes are what they should be, and collects what is wrong."""

    def __init__(self, diagnostics: list[Diagnostic]) -> None:
        self.diagnostics = diagnostics
        self.unreadable: set[str] = set()
        """Names of parts of the case that have mistakes, so that nothing can be said of them."""

    def error(self, message: str, place: Place, hint: str = "") -> None:
        """Notes an error."""
        self.diagnostics.append(Diagnostic(message, place, hint))

    def fields(self, node: Node | None, what: str) -> Fields | None:
        """Returns a map, or notes that the node is not one; an empty node counts as missing."""
        if node is None or (isinstance(node, Scalar) and node.kind == "null"):
            return None
        if isinstance(node, Fields):
            return node
        self.error(f"{what} must be a map, got {kind_of(node)}", node.place)
        return None

    def entry(self, key: Scalar, node: Node, kind: str, advice: str) -> Fields | None:
        """Returns the map of a named part of the case, or notes that it has none."""
        body = self.fields(node, f"{kind} {key.text!r}")
        if body is None:
            self.unreadable.add(key.text)
            if isinstance(node, Scalar) and node.kind == "null":
                self.error(f"{kind} {key.text!r} is empty", key.place, advice)
        return body

    def scalar(self, node: Node | None, what: str) -> Scalar | None:
        """Returns a single value, or notes that the node is not one."""
        if node is None:
            return None
        if isinstance(node, Scalar) and node.kind != "null":
            return node
        given = "nothing" if isinstance(node, Scalar) else kind_of(node)
        self.error(f"{what} must be a single value, got {given}", node.place)
        return None

    def text(self, node: Node | None, what: str) -> str:
        """Returns the text of a single value, or nothing."""
        found = self.scalar(node, what)
        return found.text if found else ""

    def known(self, fields: Fields, names: Iterable[str], what: str) -> Fields:
        """Notes keys that have no meaning here; returns the map as it was probably meant.

        What stands below a misspelt key is read as if it were spelt correctly, so that the
        misspelling does not hide other mistakes.
        """
        allowed = tuple(names)
        entries = {key.text: (key, node) for key, node in fields}
        for key, node in fields:
            if key.text not in allowed:
                hint = suggestion(key.text, allowed, "keys")
                self.error(f"unknown key {key.text!r} in {what}", key.place, hint)
                meant = closest(key.text, allowed)
                if meant is not None:
                    entries.setdefault(meant, (key, node))
        return Fields(entries, fields.place)

    def required(self, fields: Fields, name: str, what: str) -> Node | None:
        """Returns a node that must be there, or notes that it is missing."""
        node = fields.get(name)
        if node is None:
            self.error(f"{what} needs {name!r}", fields.place)
        return node
