"""Words whose meaning the operator defines: true or false, a choice, a path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, overload

from miningflow.declare.kinds.binding import Binding
from miningflow.declare.kinds.kind import Kind, Schema
from miningflow.declare.kinds.written import NAME
from miningflow.declare.parameters import NOT_GIVEN, declared
from miningflow.errors import suggestion
from miningflow.nodes import Node, Scalar

LIST_OF_EXPORTS = "exports.json"
"""The file in an export folder that lists the others."""

LONGEST_PATH = 200


def _is_true(scalar: Scalar) -> bool:
    return scalar.text.lower() in ("true", "yes", "on")


@dataclass(frozen=True)
class Boolean(Kind[bool]):
    """True or false."""

    word: ClassVar[str] = "boolean"

    def takes(self) -> str:
        """Returns in words what a case writes."""
        return "true or false"

    def schema(self) -> Schema:
        """Returns the schema of true or false."""
        return {"type": "boolean"}

    def bind(self, node: Node, binding: Binding) -> bool:
        """Reads the word."""
        scalar = binding.scalar(node, "true or false")
        if scalar.kind != "boolean":
            binding.wrong(f"takes true or false, got {scalar.text!r}", node)
        return _is_true(scalar)


@dataclass(frozen=True)
class Choice(Kind[str]):
    """One of several words; of `always` and `never`, also true and false."""

    choices: tuple[str, ...]
    synonyms: tuple[tuple[str, str], ...] = ()
    """Other words, and which choice each means: a step has the same fingerprint with either."""

    word: ClassVar[str] = "choice"

    def takes(self) -> str:
        """Returns in words what a case writes."""
        words = " or ".join(f"`{c}`" for c in self.choices)
        also = " and ".join(f"`{word}` for `{meant}`" for word, meant in self.synonyms)
        return f"{words}, also {also}" if also else words

    def schema(self) -> Schema:
        """Returns the schema of the words."""
        if "always" in self.choices:
            return {"enum": [*self.choices, True, False]}
        return {"type": "string", "enum": [*self.choices, *dict(self.synonyms)]}

    def bind(self, node: Node, binding: Binding) -> str:
        """Reads the word."""
        scalar = binding.scalar(node, "a word")
        if scalar.kind == "boolean" and "always" in self.choices:
            return "always" if _is_true(scalar) else "never"
        meant = dict(self.synonyms).get(scalar.text, scalar.text)
        if meant not in self.choices:
            known = [*self.choices, *dict(self.synonyms)]
            hint = suggestion(scalar.text, known, "choices")
            binding.wrong(f"cannot be {scalar.text!r}", node, hint)
        return meant


@dataclass(frozen=True)
class ExportPath(Kind[str]):
    """A file within the export folder of the case."""

    word: ClassVar[str] = "export_path"

    def takes(self) -> str:
        """Returns in words what a case writes."""
        return "a path such as scores.csv"

    def schema(self) -> Schema:
        """Returns the schema of a path that is not absolute."""
        return {**NAME, "pattern": r"^[^/~.\\:][^\\:]*$"}

    def bind(self, node: Node, binding: Binding) -> str:
        """Reads the path, and refuses one that leads out of the folder."""
        path = binding.scalar(node, "a path")
        problem = _wrong_export_path(path.text)
        if problem:
            binding.wrong(problem, path, "for example scores.csv, or march/scores.parquet")
        return path.text


def _wrong_export_path(text: str) -> str:
    """Returns why a text cannot be a file in an export folder; nothing if it can.

    A case comes from anywhere, so it must not reach out of the folder in any way of writing.
    """
    parts = text.split("/")
    if not text.isprintable() or len(text) > LONGEST_PATH:
        return f"takes a path of at most {LONGEST_PATH} printable characters"
    if "\\" in text or ":" in text:
        return "takes a path without backslashes and colons"
    if text.startswith(("/", "~")):
        return f"takes a path within the export folder, got {text!r}, which leads elsewhere"
    if ".." in parts:
        return f"takes a path within the export folder, got {text!r}, which leads out of it"
    if any(not part.strip() or part.startswith(".") for part in parts):
        return "takes a path whose parts are not empty and do not begin with a dot"
    if parts[-1].casefold() == LIST_OF_EXPORTS:
        return f"cannot be {text!r}, which is where exports are listed"
    return ""


@overload
def boolean(text: str, default: bool = ...) -> bool: ...
@overload
def boolean(text: str, default: None) -> bool | None: ...
def boolean(text: str, default: Any = NOT_GIVEN) -> Any:
    """Declares true or false."""
    return declared(Boolean(), text, default)


@overload
def choice(
    text: str, choices: Sequence[str], default: str = ..., synonyms: Mapping[str, str] = ...
) -> str: ...
@overload
def choice(
    text: str, choices: Sequence[str], default: None, synonyms: Mapping[str, str] = ...
) -> str | None: ...
def choice(
    text: str,
    choices: Sequence[str],
    default: Any = NOT_GIVEN,
    synonyms: Mapping[str, str] = MappingProxyType({}),
) -> Any:
    """Declares one of several words; `synonyms` maps other words to what they mean."""
    return declared(Choice(tuple(choices), tuple(synonyms.items())), text, default)


def export_path(text: str) -> str:
    """Declares a file within the export folder of the case."""
    found: str = declared(ExportPath(), text)
    return found
