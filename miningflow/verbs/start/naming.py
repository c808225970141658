"""Names the tables of a new case after what the user named."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from miningflow import arguments
from miningflow.errors import Diagnostic, RunError
from miningflow.inspect.column_words import concept_name
from miningflow.inspect.given_sources import GivenSource, given_source
from miningflow.names import can_be_name

_NAMED = re.compile(r"([^\W\d]\w*)=(.+)", re.DOTALL)
_PARTS = re.compile(r"[A-Z][a-z]*|[0-9]+")


def named_sources(
    sources: Mapping[str, Any] | Sequence[str | Path] | str | Path,
) -> list[GivenSource]:
    """Finds what sources mean, and gives each table a name of its own."""
    if isinstance(sources, Mapping):
        found = [
            each
            for name, value in arguments.mapping(sources, "sources", "names to tables").items()
            for each in _named(_checked(name), _given(name, value))
        ]
        refuse_clashes(found)
        return found
    listed = [sources] if isinstance(sources, (str, Path)) else list(sources)
    if not listed:
        raise RunError(Diagnostic("no source is named", None, "name a file, folder or database"))
    found = []
    fixed: set[int] = set()
    for word in listed:
        text = arguments.location(word, "sources", "paths or addresses")
        name, meant = named_word(text)
        if name is not None:
            fixed.add(len(found))
            found += _named(name, meant)
        else:
            found += given_source(text)
    short = _without_prefix([f for i, f in enumerate(found) if i not in fixed])
    names = iter(short)
    found = [each if i in fixed else next(names) for i, each in enumerate(found)]
    refuse_clashes(found)
    return found


def named_word(word: str) -> tuple[str | None, str]:
    """Splits NAME=SOURCE, unless there is a file of that name."""
    match = None if Path(word).exists() else _NAMED.fullmatch(word)
    return (match[1], match[2]) if match else (None, word)


def _given(name: str, value: Any) -> Any:
    if value is None:
        message = f"the rows of {name!r} are None"
        raise RunError(Diagnostic(message, None, "give a file, a frame or a table"))
    return value


def refuse_clashes(sources: Sequence[GivenSource]) -> None:
    """Refuses two tables that would become the same concept."""
    seen: dict[str, GivenSource] = {}
    for each in sources:
        other = seen.setdefault(each.name.casefold(), each)
        if each.name and other is not each:
            raise RunError(
                Diagnostic(
                    f"both {other.shown} and {each.shown} would be called {each.name!r}",
                    None,
                    f"name them, for example `{each.name}2={each.shown}`",
                )
            )


def _named(name: str, value: Any) -> list[GivenSource]:
    if not isinstance(value, (str, Path)):
        return [GivenSource(name, f"the frame {name}", frame=value)]
    found = given_source(arguments.location(value, "sources", "paths or addresses"), name)
    if len(found) != 1 or not found[0].paths:
        message = f"{name!r} names one table, and {value} may have several"
        raise RunError(Diagnostic(message, None, "leave the name out"))
    return found


def _checked(name: str) -> str:
    if not can_be_name(name) or "." in name or "[" in name:
        hint = "use letters, such as Customer"
        raise RunError(Diagnostic(f"no concept can be called {name!r}", None, hint))
    return name


def _without_prefix(sources: Sequence[GivenSource]) -> list[GivenSource]:
    """Leaves out words that all names begin with: telecom_calls and telecom_bills."""
    parts = [_PARTS.findall(each.name) for each in sources]
    if len(sources) < 2 or not all(parts):
        return list(sources)
    shared = 0
    while all(len(p) > shared + 1 and p[shared] == parts[0][shared] for p in parts):
        shared += 1
    short = [concept_name("".join(p[shared:])) for p in parts]
    if not shared or len({s.casefold() for s in short}) < len(short):
        return list(sources)
    return [replace(each, name=name) for each, name in zip(sources, short, strict=True)]
