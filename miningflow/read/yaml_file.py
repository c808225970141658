"""From a YAML file to nodes: PyYAML's composed nodes keep the place of everything."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from miningflow.errors import Diagnostic, Place, ReadError
from miningflow.nodes import Fields, Items, Node, Scalar, ScalarKind

MOST_BYTES = 10_000_000
MOST_NODES = 500_000
# PyYAML's C composer crashes the process at 100,000 levels; reading below takes two calls a level.
DEEPEST = 100

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
Placing = Callable[[Any], Place]
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_yaml(path: Path, diagnostics: list[Diagnostic]) -> Fields:
    """Reads a file whose top level is a map; collects what is wrong inside it."""
    return parse_yaml(text_of(path), str(path), diagnostics)


def parse_yaml(text: str, file: str, diagnostics: list[Diagnostic]) -> Fields:
    """Reads YAML text whose top level is a map."""
    lines = text.splitlines()

    def place(mark: Any) -> Place:  # the C parser has its own kind of mark
        shown = lines[mark.line] if mark.line < len(lines) else ""
        return Place(file, mark.line + 1, mark.column + 1, shown)

    try:
        deep = _too_deep(text, place)
        root = None if deep else yaml.compose(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        raise ReadError(_not_yaml(error, place)) from None
    except yaml.YAMLError as error:
        reason = str(error).splitlines()[0]
        where = _character(text, error, file)
        raise ReadError(Diagnostic(f"this is not YAML: {reason}", where)) from None
    if deep is not None:
        raise ReadError(_deep(deep))
    if root is None:
        raise ReadError(Diagnostic("the file is empty", Place(file, 1, 1), "see `miningflow init`"))
    if not isinstance(root, yaml.MappingNode):
        raise ReadError(Diagnostic("the top level must be a map of names", place(root.start_mark)))
    size, depth = _size(root, {})
    if size > MOST_NODES:
        raise ReadError(
            Diagnostic(
                f"with its anchors written out this file has more than {MOST_NODES:,} nodes",
                place(root.start_mark),
                "anchors that refer to anchors multiply; write the parts out, or split the case",
            )
        )
    if depth > DEEPEST:
        raise ReadError(_deep(place(root.start_mark)))
    node = _Converter(place, diagnostics).convert(root)
    assert isinstance(node, Fields)
    return node


def text_of(path: Path) -> str:
    """Returns the text of a file, which must be UTF-8 and of a reasonable size."""
    where = Place(str(path), 1, 1)
    try:
        if path.is_dir():
            raise ReadError(
                Diagnostic(f"{path} is a folder, not a case file", None, "name a .yml file in it")
            )
        with path.open("rb") as file:  # a device has no size and no end
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise ReadError(
                Diagnostic(
                    f"the file has more than the {MOST_BYTES:,} bytes that a case may have",
                    where,
                    "is this really a case? data belong in files or tables that a case names",
                )
            )
        return content.decode("utf-8")
    except FileNotFoundError:
        raise ReadError(Diagnostic(f"no file {path}", None, _nearby(path))) from None
    except UnicodeDecodeError as error:
        raise ReadError(
            Diagnostic(
                f"the file is not UTF-8 text (byte {error.start})",
                where,
                "save it as UTF-8; is this really a case?",
            )
        ) from None
    except OSError as error:
        raise ReadError(Diagnostic(f"cannot read {path}: {error.strerror}")) from None


def _too_deep(text: str, place: Placing) -> Place | None:
    """Finds where the nesting gets too deep; events come from a loop, which no depth can crash."""
    depth = 0
    for event in yaml.parse(text, Loader=_LOADER):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > DEEPEST:
                return place(event.start_mark)
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
    return None


def _deep(where: Place) -> Diagnostic:
    return Diagnostic(f"this is nested too deeply: more than {DEEPEST} levels", where)


def _not_yaml(error: yaml.MarkedYAMLError, place: Placing) -> Diagnostic:
    """Returns what the parser reports, where, and where the construct began that it was in."""
    context, problem = error.context or "", error.problem or ""
    reason = f"{context}, {problem}" if problem.startswith("but ") else problem or context
    mark: Any = error.problem_mark or error.context_mark
    where = place(mark)
    hint = ""
    if "\t" in where.text:
        hint = "YAML is indented with spaces, not with tabs"
    elif "another document" in reason:
        hint = "a file holds one case: put what follows '---' in a separate file"
    elif "all except [" in where.text:
        hint = "put a pattern with brackets into quotes: 'all except [id]'"
    elif error.context_mark is not None and error.context_mark.line < mark.line:
        hint = f"{context} that begins at line {error.context_mark.line + 1}"
    return Diagnostic(f"this is not YAML: {reason}", where, hint)


def _character(text: str, error: yaml.YAMLError, file: str) -> Place:
    """Finds the character that YAML does not take; the C reader counts in bytes."""
    wrong = getattr(error, "character", None)
    at = text.find(chr(wrong) if isinstance(wrong, int) else str(wrong))
    before = text[: max(at, 0)]
    return Place(file, before.count("\n") + 1, at - before.rfind("\n") if at >= 0 else 1)


def _nearby(path: Path) -> str:
    folder = path.parent
    if not folder.is_dir():
        return f"there is no folder {folder}"
    files = sorted(f.name for f in folder.iterdir() if f.suffix in (".yml", ".yaml"))[:12]
    return f"in {folder}: {', '.join(files)}" if files else f"there is no .yml file in {folder}"


def _size(node: yaml.Node, known: dict[int, tuple[int, int]]) -> tuple[int, int]:
    """Counts nodes and levels as if all aliases were written out; one in itself is endless."""
    if id(node) in known:
        return known[id(node)]
    known[id(node)] = (MOST_NODES + 1, 1)
    size, depth = 1, 0
    for part in node.value if isinstance(node, yaml.CollectionNode) else ():
        for child in part if isinstance(part, tuple) else (part,):
            child_size, child_depth = _size(child, known)
            size, depth = size + child_size, max(depth, child_depth)
    known[id(node)] = (size, depth + 1)
    return known[id(node)]


class _Converter:
    """Turns composed nodes into ours and notes duplicate keys and odd tags."""

    def __init__(self, place: Placing, diagnostics: list[Diagnostic]) -> None:
        self.place = place
        self.diagnostics = diagnostics

    def convert(self, node: yaml.Node) -> Node:
        """Converts a node and all below it."""
        where = self.place(node.start_mark)
        if node.tag not in _PLAIN_TAGS:
            self.diagnostics.append(
                Diagnostic(f"the tag {node.tag} has no meaning in a case", where)
            )
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
                self.diagnostics.append(Diagnostic("a name must be a single value", key.place))
            elif key_node.tag == "tag:yaml.org,2002:merge":
                for part in value.items if isinstance(value, Items) else (value,):
                    if isinstance(part, Fields):
                        merged.append(part)
                    else:
                        self.diagnostics.append(Diagnostic("'<<' takes a map, or maps", part.place))
            elif key.text in entries:
                first = entries[key.text][0].place
                self.diagnostics.append(
                    Diagnostic(
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
