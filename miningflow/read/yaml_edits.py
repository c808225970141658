"""Edits YAML text in place, so that comments and layout of everything else stay as they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml

from miningflow.errors import Diagnostic, MiningFlowError, Place

_NULL = "tag:yaml.org,2002:null"


@dataclass
class YamlEdits:
    """The text of a file that can be read, and changes to it that are made together at the end."""

    text: str
    file: str
    splices: list[tuple[int, int, str]] = field(default_factory=list)
    """Start and end of a text to replace, and what to put there."""
    removed: set[int] = field(default_factory=set)
    """Where the keys of removed entries are."""
    grown: set[int] = field(default_factory=set)
    """Maps that got further entries."""

    def __post_init__(self) -> None:
        self.lines = self.text.splitlines(keepends=True)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))
        first = self.lines[0] if self.lines else ""
        self.ending = first[len(first.rstrip("\r\n")) :] or "\n"
        self.root: Any = yaml.compose(self.text, Loader=yaml.SafeLoader)
        self.times: dict[int, int] = {}
        for node in _nodes(self.root, set()):
            self.times[id(node)] = self.times.get(id(node), 0) + 1

    def has(self, path: Sequence[str]) -> bool:
        """Returns whether there is such an entry."""
        return self._entry(path)[1] is not None

    def takes_lines(self, path: Sequence[str]) -> bool:
        """Returns whether there is a map whose entries stand on lines of their own."""
        node = self._entry(path)[1]
        return isinstance(node, yaml.MappingNode) and not node.flow_style

    def append(self, path: Sequence[str], lines: Sequence[str], behind: str = "") -> None:
        """Adds lines to the end of a map; they are given without indent.

        A map that does not exist is made, at the top level behind the entry `behind`.
        """
        key, node = self._entry(path)
        if node is None:
            self._make(path, lines, behind)
        elif _is_empty(node):
            start, end = node.start_mark.index, node.end_mark.index
            if end > start:
                self.splices.append((len(self.text[:start].rstrip(" ")), end, ""))
            indent = " " * (key.start_mark.column + 2)
            self._insert(node.end_mark.line + 1, [indent + line for line in lines])
        elif node.flow_style:
            why = "is written in braces, so that no lines can be added"
            raise self._refused(path, node, why, "write each entry on a line by itself")
        else:
            self._refuse_shared(path)
            column = _column(node)
            self.grown.add(id(node))
            self._insert(self._end_of(node), [" " * column + line for line in lines])

    def put(self, path: Sequence[str], value: str, comment: str = "") -> None:
        """Adds an entry to a map, also to one in braces, or gives it another value.

        What stood in the comment of an entry stays behind the new comment.
        """
        node, parent = self._entry(path)[1], self._entry(path[:-1])[1]
        if node is not None:
            self._refuse_shared(path)
            self.splices.append((node.start_mark.index, node.end_mark.index, value))
            self._comment(node, comment)
        elif parent is not None and not _is_empty(parent) and parent.flow_style:
            self._refuse_shared(path[:-1])
            end = parent.end_mark.index - 1
            at = len(self.text[:end].rstrip())
            comma = "" if self.text[at - 1] == "," else ","
            self.grown.add(id(parent))
            self.splices.append((at, at, f"{comma} {path[-1]}: {value}"))
        else:
            line = f"{path[-1]}: {value}"
            self.append(path[:-1], [f"{line.ljust(30)}  {comment}" if comment else line])

    def remove(self, path: Sequence[str]) -> None:
        """Removes an entry of a map; the map itself with its last entry."""
        key, node = self._entry(path)
        if node is None:
            return
        parent = self._entry(path[:-1])[1]
        self._refuse_shared(path[:-1])
        left = [k for k, _ in parent.value if k.start_mark.index not in self.removed]
        if len(left) == 1 and len(path) > 1 and id(parent) not in self.grown:
            self.splices = [s for s in self.splices if not _within(s, parent)]
            self.remove(path[:-1])
            return
        self.removed.add(key.start_mark.index)
        if parent.flow_style:
            self.splices.append(self._between_commas(key, node, parent))
        else:
            first, last = key.start_mark.line, self._last_line(node)
            self.splices.append((self.starts[first], self.starts[last + 1], ""))

    def result(self) -> str:
        """Returns the text with all changes."""
        found: list[str] = []
        at = 0
        for start, end, new in sorted(self.splices, key=lambda splice: splice[:2]):
            found += [self.text[at:start], new]
            at = max(at, end)
        return "".join([*found, self.text[at:]])

    def _entry(self, path: Sequence[str]) -> tuple[Any, Any]:
        """Returns the nodes of a key and its value; None for a value that is not there."""
        key, node = self.root, self.root
        for name in path:
            pairs = node.value if isinstance(node, yaml.MappingNode) else []
            key, node = next(((k, v) for k, v in pairs if k.value == name), (key, None))
            if node is None:
                return key, None
        return key, node

    def _make(self, path: Sequence[str], lines: Sequence[str], behind: str) -> None:
        written = [f"{path[-1]}:", *(f"  {line}" for line in lines)]
        _, before = self._entry((behind,))
        if len(path) > 1 or before is None:
            self.append(path[:-1], written)
        else:
            self._insert(self._end_of(before), ["", *written])

    def _insert(self, at: int, lines: Sequence[str]) -> None:
        """Inserts lines before a line, or at the end."""
        start = self.starts[min(at, len(self.lines))]
        text = "".join(line.rstrip() + self.ending for line in lines)
        if start and self.text[start - 1] not in "\r\n":  # the last line has no end
            text = self.ending + text.removesuffix(self.ending)
        self.splices.append((start, start, text))

    def _comment(self, node: Any, comment: str) -> None:
        """Writes a comment behind a value, before one that is there."""
        if not comment:
            return
        end = node.end_mark.index
        line = self.lines[node.end_mark.line].rstrip("\r\n")
        rest = line[node.end_mark.column :]
        if not rest.strip():
            self.splices.append((end, end + len(rest), f"  {comment}"))
        elif rest.lstrip().startswith("#"):
            was = end + rest.index("#")
            self.splices.append((was, was + 1, f"{comment}; before:"))

    def _between_commas(self, key: Any, node: Any, parent: Any) -> tuple[int, int, str]:
        """Returns the part of a map in braces that an entry takes, with one of its commas."""
        start, end = key.start_mark.index, node.end_mark.index
        behind = self.text[end : parent.end_mark.index]
        if behind.lstrip().startswith(","):
            end += behind.index(",") + 1
            end += len(self.text[end:]) - len(self.text[end:].lstrip(" "))
            return start, end, ""
        before = self.text[:start].rstrip()
        return (len(before) - 1 if before.endswith(",") else start), end, ""

    def _end_of(self, node: Any) -> int:
        """Returns the line after a map, and after comments that are indented as it is."""
        column = _column(node)
        end = self._last_line(node) + 1
        while end < len(self.lines):
            line = self.lines[end]
            if not line.lstrip().startswith("#") or len(line) - len(line.lstrip()) < column:
                break
            end += 1
        return end

    def _last_line(self, node: Any) -> int:
        """Returns the last line of a node, without blank lines and comments behind it."""
        if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
            last = node.value[-1]
            key, value = last if isinstance(last, tuple) else (last, last)
            is_alias = value.start_mark.index < key.start_mark.index
            return self._last_line(key if is_alias else value)
        line = int(node.end_mark.line)
        if node.end_mark.column == 0 and line > node.start_mark.line:
            line -= 1
        while line > node.start_mark.line and not self.lines[line].strip():
            line -= 1
        return line

    def _refuse_shared(self, path: Sequence[str]) -> None:
        """Refuses to change what other places of the file refer to."""
        for depth in range(1, len(path) + 1):
            key, node = self._entry(path[:depth])
            is_alias = node is not None and node.start_mark.index < key.start_mark.index
            if is_alias or self.times.get(id(node), 1) > 1:
                why = "is shared with other places of the file by an anchor"
                raise self._refused(path[:depth], key, why, "write it out where it is to differ")

    def _refused(self, path: Sequence[str], node: Any, why: str, hint: str) -> MiningFlowError:
        mark = node.start_mark
        line = self.lines[mark.line].rstrip("\r\n")
        place = Place(self.file, mark.line + 1, mark.column + 1, line)
        message = f"{'.'.join(path)!r} {why}"
        return MiningFlowError(Diagnostic(message, place, f"{hint}; nothing was written"))


def comments_in(text: str, path: Sequence[str]) -> list[str]:
    """Returns the comments that stand alone within an entry of a map, or right behind it."""
    edits = YamlEdits(text, "")
    key, node = edits._entry(path)
    if not isinstance(node, yaml.MappingNode) or node.flow_style:
        return []
    inside = (line.strip() for line in edits.lines[key.start_mark.line : edits._end_of(node)])
    return [line.lstrip("#").strip() for line in inside if line.startswith("#")]


def _column(node: Any) -> int:
    """Returns where the entries of a map start; an anchor may precede them."""
    return int(node.value[0][0].start_mark.column)


def _is_empty(node: Any) -> bool:
    return node.tag == _NULL or (isinstance(node, yaml.CollectionNode) and not node.value)


def _within(splice: tuple[int, int, str], node: Any) -> bool:
    return bool(node.start_mark.index <= splice[0] and splice[1] <= node.end_mark.index)


def _nodes(node: Any, seen: set[int]) -> Iterator[Any]:
    """Returns every node, once for each place that refers to it."""
    yield node
    if id(node) in seen or not isinstance(node, yaml.CollectionNode):
        return
    seen.add(id(node))
    for part in node.value:
        for child in part if isinstance(part, tuple) else (part,):
            yield from _nodes(child, seen)
