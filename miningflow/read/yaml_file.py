"""From a YAML file to nodes: PyYAML's composed nodes keep the place of everything."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import yaml

from miningflow.errors import Mistake, Place, ReadError
from miningflow.read.nodes import Fields, Items, Node, Scalar, ScalarKind

MOST_BYTES = 10_000_000
MOST_NODES = 500_000
DEEPEST = 500

_STACKED = re.compile(r"(?:[-?][ \t]+){100}|^ {1000}", re.MULTILINE)

_KINDS: dict[str, ScalarKind] = {
    "tag:yaml.org,2002:int": "integer",
    "tag:yaml.org,2002:float": "number",
    "tag:yaml.org,2002:bool": "boolean",
    "tag:yaml.org,2002:null": "null",
}
_PLAIN_TAGS = {
    *_KINDS,
    "tag:yaml.org,2002:str",
    "tag:yaml.org,2002:timestamp",
    "tag:yaml.org,2002:map",
    "tag:yaml.org,2002:seq",
    "tag:yaml.org,2002:merge",
    "tag:yaml.org,2002:value",
}
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_yaml(path: Path, mistakes: list[Mistake]) -> Fields:
    """Reads a file whose top level is a map; collects what is wrong inside it."""
    return parse_yaml(_text_of(path), str(path), mistakes)


def parse_yaml(text: str, file: str, mistakes: list[Mistake]) -> Fields:
    """Reads YAML text whose top level is a map."""
    lines = text.splitlines()

    def place(mark: yaml.Mark) -> Place:
        shown = lines[mark.line] if mark.line < len(lines) else ""
        return Place(file, mark.line + 1, mark.column + 1, shown)

    if _too_deep(text):
        raise ReadError(Mistake("this YAML is nested too deeply", Place(file, 1, 1)))
    try:
        root = yaml.compose(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = place(mark) if mark else Place(file, 1, 1)
        raise ReadError(
            Mistake(f"this is not YAML: {error.problem or error.context}", where, _yaml_hint(where))
        ) from None
    except yaml.YAMLError as error:
        reason = str(error).splitlines()[0]
        raise ReadError(Mistake(f"this is not YAML: {reason}", Place(file, 1, 1))) from None
    if root is None:
        raise ReadError(Mistake("the file is empty", Place(file, 1, 1), "see `miningflow init`"))
    if not isinstance(root, yaml.MappingNode):
        raise ReadError(Mistake("the top level must be a map of names", place(root.start_mark)))
    if _size(root, {}) > MOST_NODES:
        raise ReadError(
            Mistake(
                f"with its anchors written out this file has more than {MOST_NODES:,} nodes",
                place(root.start_mark),
                "anchors that refer to anchors multiply; write the parts out, or split the case",
            )
        )
    node = _Converter(place, mistakes).convert(root)
    assert isinstance(node, Fields)
    return node


def _text_of(path: Path) -> str:
    where = Place(str(path), 1, 1)
    try:
        size = path.stat().st_size
        if path.is_dir():
            raise ReadError(
                Mistake(f"{path} is a folder, not a case file", None, "name a .yml file in it")
            )
        if size > MOST_BYTES:
            raise ReadError(
                Mistake(
                    f"the file has {size:,} bytes; a case may have {MOST_BYTES:,}",
                    where,
                    "is this really a case? data belong into files or tables that a case names",
                )
            )
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ReadError(Mistake(f"no file {path}", None, _nearby(path))) from None
    except UnicodeDecodeError as error:
        raise ReadError(
            Mistake(f"the file is not UTF-8 text (byte {error.start})", where)
        ) from None
    except OSError as error:
        raise ReadError(Mistake(f"cannot read {path}: {error.strerror}")) from None


def _too_deep(text: str) -> bool:
    """Says whether brackets, dashes or indentation nest so deeply that the C parser would crash."""
    depth = deepest = 0
    for bracket in re.findall(r"[\[\]{}]", text):
        depth = depth + 1 if bracket in "[{" else max(0, depth - 1)
        deepest = max(deepest, depth)
    return deepest > DEEPEST or _STACKED.search(text) is not None


def _nearby(path: Path) -> str:
    folder = path.parent
    if not folder.is_dir():
        return f"there is no folder {folder}"
    files = sorted(f.name for f in folder.iterdir() if f.suffix in (".yml", ".yaml"))[:12]
    return f"in {folder}: {', '.join(files)}" if files else f"there is no .yml file in {folder}"


def _yaml_hint(where: Place) -> str:
    if "\t" in where.text:
        return "YAML is indented with spaces, not with tabs"
    return ""


def _size(node: yaml.Node, known: dict[int, int]) -> int:
    """Counts the nodes as if every alias were written out; one that holds itself is endless."""
    if id(node) in known:
        return known[id(node)]
    known[id(node)] = MOST_NODES + 1
    total = 1
    if isinstance(node, yaml.SequenceNode):
        total += sum(_size(child, known) for child in node.value)
    elif isinstance(node, yaml.MappingNode):
        total += sum(_size(key, known) + _size(value, known) for key, value in node.value)
    known[id(node)] = total
    return total


class _Converter:
    """Turns composed nodes into ours and notes duplicate keys and odd tags."""

    def __init__(self, place: Callable[[yaml.Mark], Place], mistakes: list[Mistake]) -> None:
        self.place = place
        self.mistakes = mistakes

    def convert(self, node: yaml.Node) -> Node:
        """Converts a node and all below it."""
        where = self.place(node.start_mark)
        if node.tag not in _PLAIN_TAGS:
            self.mistakes.append(Mistake(f"the tag {node.tag} has no meaning in a case", where))
        if isinstance(node, yaml.ScalarNode):
            return Scalar(node.value, _KINDS.get(node.tag, "text"), where)
        if isinstance(node, yaml.SequenceNode):
            return Items(tuple(self.convert(child) for child in node.value), where)
        assert isinstance(node, yaml.MappingNode)
        return self._fields(node, where)

    def _fields(self, node: yaml.MappingNode, where: Place) -> Fields:
        entries: dict[str, tuple[Scalar, Node]] = {}
        merged: list[Fields] = []
        for key_node, value_node in node.value:
            key = self.convert(key_node)
            value = self.convert(value_node)
            if not isinstance(key, Scalar):
                self.mistakes.append(Mistake("a name must be a single value", key.place))
            elif key_node.tag == "tag:yaml.org,2002:merge":
                parts = value.items if isinstance(value, Items) else (value,)
                merged += [part for part in parts if isinstance(part, Fields)]
            elif key.text in entries:
                first = entries[key.text][0].place
                self.mistakes.append(
                    Mistake(
                        f"{key.text!r} is given twice",
                        key.place,
                        f"the first is at line {first.line}; remove or rename one of them",
                    )
                )
            else:
                entries[key.text] = (key, value)
        for fields in merged:
            for name, entry in fields.entries.items():
                entries.setdefault(name, entry)
        return Fields(entries, where)
