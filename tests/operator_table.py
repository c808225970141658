"""The table of operators with their state, from what is there: `python tests/operator_table.py`.

Golden files, tests, cases and engines are counted, never written down. A test counts for an
operator if its texts name it, or those of something that it uses, such as a fixture.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from miningflow.catalog import installed

TESTS = Path(__file__).parent
ROOT = TESTS.parent
_OPERATOR = re.compile(r"\boperator: *['\"]?(\w+)")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class State:
    """What there is of one operator."""

    operator: str
    family: str
    version: int
    golden: tuple[str, ...]
    tests: int
    cases: tuple[str, ...]
    engines: tuple[str, ...]


def operator_table() -> list[State]:
    """Returns the state of every installed operator."""
    return [
        State(
            operator=name,
            family=cls.family,
            version=cls.version,
            golden=tuple(sorted(p.stem for p in (TESTS / "golden" / name).glob("*.sql"))),
            tests=_tests("operators", "run").get(name, 0),
            cases=tuple(sorted(p.stem for p in _cases() if name in _operators_of(p))),
            engines=_engines(name),
        )
        for name, cls in installed().items()
    ]


def _engines(name: str) -> tuple[str, ...]:
    """Names the engines on which what the operator computes is compared with DuckDB."""
    found = ["duckdb"] if _tests("operators", "run").get(name) else []
    if _tests("engines").get(name) or name in _compared():
        found += ["postgres", "spark"]
    return tuple(found)


@cache
def _compared() -> frozenset[str]:
    """Names the operators whose examples run on other engines, by asking that test."""
    sys.path.insert(0, str(TESTS / "conformance"))
    from test_other_engines import STEPS

    return frozenset(str(step["operator"]) for step in STEPS.values())


@cache
def _cases() -> tuple[Path, ...]:
    return tuple(sorted((ROOT / "cases").glob("*.yml")))


@cache
def _operators_of(case: Path) -> frozenset[str]:
    return frozenset(_OPERATOR.findall(case.read_text(encoding="utf-8")))


@cache
def _tests(*folders: str) -> Mapping[str, int]:
    """Counts for each operator the tests of some folders that name it."""
    counts: dict[str, int] = {}
    paths = [path for folder in folders for path in sorted((TESTS / folder).glob("test_*.py"))]
    for path in paths:
        words = _words_of_file(path)
        for test in (name for name in words if name.startswith("test_")):
            reached = _reached(test, words)
            for operator in (o for o in installed() if _in_text(o) in reached):
                counts[operator] = counts.get(operator, 0) + 1
    return counts


@cache
def _words_of_file(path: Path) -> Mapping[str, frozenset[str]]:
    """Returns for each thing that a file defines, or takes from another test file, its words."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found: dict[str, frozenset[str]] = {}
    for node in tree.body:
        for name in _defined(node):
            found[name] = found.get(name, frozenset()) | frozenset(_words(node))
        if isinstance(node, ast.ImportFrom) and node.module:
            other = path.parent / f"{node.module}.py"
            if other.exists():
                words = _words_of_file(other)
                found |= {a.name: _reached(a.name, words) for a in node.names if a.name in words}
    return found


def _defined(node: ast.stmt) -> list[str]:
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign(targets=targets):
            return [t.id for t in targets if isinstance(t, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
    return []


def _words(node: ast.AST) -> Iterator[str]:
    """Returns names, arguments (which may be fixtures) and the words of texts."""
    for inner in ast.walk(node):
        match inner:
            case ast.Name(id=word) | ast.arg(arg=word) | ast.Attribute(attr=word):
                yield word
            case ast.Constant(value=str(text)):
                yield from map(_in_text, _WORD.findall(text))


def _in_text(word: str) -> str:
    """Tells a word of a text from a name: `Mapping` is a type, too."""
    return f"'{word}'"


def _reached(name: str, words: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """Returns the words of a definition, and of all that it uses."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        for word in words.get(waiting.pop(), ()):
            if word not in found:
                found.add(word)
                waiting.append(word)
    return frozenset(found)


def main() -> None:
    """Prints the table."""
    shown = Table("operator", "family", box=box.SIMPLE_HEAD)
    for title in ("version", "tests"):
        shown.add_column(title, justify="right")
    for title in ("golden", "cases", "engines"):
        shown.add_column(title)
    states = operator_table()
    for s in sorted(states, key=lambda s: (s.family, s.operator)):
        lists = [", ".join(names) for names in (s.golden, s.cases, s.engines)]
        shown.add_row(s.operator, s.family, str(s.version), str(s.tests), *lists)
    console = Console()
    console.width = max(console.width, 150)
    console.print(shown)
    console.print(f"{len(states)} operators")


if __name__ == "__main__":
    main()
