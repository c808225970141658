"""Mutations of a case: its characters, its words and lines, and its tree of values."""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Sequence
from typing import Any

import yaml

CHARACTERS = (
    *("\0", "\x1b[2J", "\t", "\r", "\n", "\u2028", "\ufeff", "\ud800", "\ue000", "é", "𝔘", "'"),
    *('"', "\\", "{", "}", "[", "]", ":", ",", "#", "&a ", "*a", "!", "|", ">", "%", "@", "`", "-"),
)
WORDS = (
    *("''", "null", "~", "-1", "0", "1e999", ".nan", ".inf", "true", "{}", "[]", "[a", "*", "&a"),
    *("<<", "type:", "type:numeric", "all", "all except [", "all except", "{target}", "9" * 400),
    *("${HOME}", "!!int", "!!python/object:os.system", "---", "...", "? ", "- ", "x" * 5_000),
    *("2020-01-01", "0x1F", "1_000", "12:30:45", "%ilike", "/*", "--", "../..", "/etc/passwd"),
    *("for_each", "chain", "input", "operator", "steps", "concepts", "connect", "holdout"),
)
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 0.5, 10**30, float("nan"), float("-inf"), "", " ", "x", "all"),
    *([], {}, [[]], [None], {"": None}, {"x": {"x": {}}}, ["a", "a"], "type:numeric", "*", "é"),
    *("all except [", "{target}", "${HOME}", "a" * 3_000, "1 +", "(" * 300, "a.b.c", "\x1b]0;x"),
)
TOKENS = re.compile(r"\w+|[ \t]+|\n|[^\w\s]")


def mutated(texts: Sequence[str], rng: random.Random) -> str:
    """Returns one of the texts, changed in one to four places."""
    text = rng.choice(texts)
    level = rng.choices((_characters, _words, _lines, _tree), (2, 3, 2, 4), k=1)[0]
    for _ in range(rng.choice((1, 1, 1, 2, 3, 4))):
        text = level(text, texts, rng)
    return text


def _characters(text: str, texts: Sequence[str], rng: random.Random) -> str:
    at = rng.randint(0, len(text))
    end = at + rng.choice((0, 0, 1, 1, 2, 10, 200))
    new = "".join(rng.choices(CHARACTERS, k=rng.choice((0, 1, 1, 2)))) if rng.random() < 0.7 else ""
    if rng.random() < 0.02:
        return text[:at]
    return text[:at] + new + text[end:]


def _words(text: str, texts: Sequence[str], rng: random.Random) -> str:
    tokens = TOKENS.findall(text)
    if not tokens:
        return rng.choice(WORDS)
    at, other = rng.randrange(len(tokens)), rng.randrange(len(tokens))
    action = rng.choice(("drop", "double", "swap", "word", "word", "name", "name"))
    if action == "drop":
        tokens[at] = ""
    elif action == "double":
        tokens[at] *= rng.choice((2, 2, 50))
    elif action == "swap":
        tokens[at], tokens[other] = tokens[other], tokens[at]
    elif action == "word":
        tokens[at] = rng.choice(WORDS)
    else:  # a name where another name stood
        names = [index for index, token in enumerate(tokens) if token[0].isalpha()]
        foreign = [token for token in TOKENS.findall(rng.choice(texts)) if token[0].isalpha()]
        if names and foreign:
            tokens[rng.choice(names)] = rng.choice(foreign)
    return "".join(tokens)


def _lines(text: str, texts: Sequence[str], rng: random.Random) -> str:
    lines = text.splitlines(keepends=True) or [""]
    at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    action = rng.choice(("drop", "double", "move", "indent", "dedent", "foreign"))
    if action == "drop":
        del lines[at : at + rng.choice((1, 1, 3))]
    elif action == "double":
        lines.insert(other, lines[at])
    elif action == "move":
        lines[at], lines[other] = lines[other], lines[at]
    elif action == "indent":
        lines[at] = "  " + lines[at]
    elif action == "dedent":
        lines[at] = lines[at].removeprefix("  ")
    else:
        lines.insert(at, rng.choice(rng.choice(texts).splitlines(keepends=True)))
    return "".join(lines)


def _tree(text: str, texts: Sequence[str], rng: random.Random) -> str:
    try:
        root = yaml.safe_load(text)
        given = yaml.safe_load(rng.choice(texts))
    except (yaml.YAMLError, ValueError):  # an earlier mutation broke it
        return _lines(text, texts, rng)
    if not isinstance(root, dict | list) or not root:
        return text
    parent, key = _place(root, rng)
    value = parent[key]
    action = rng.choice(("drop", "value", "value", "foreign", "own", "rename", "wrap", "text"))
    if action == "drop":
        del parent[key]
    elif action == "value":
        parent[key] = copy.deepcopy(rng.choice(VALUES))
    elif action in ("foreign", "own"):
        source = given if action == "foreign" else root
        if isinstance(source, dict | list) and source:
            elsewhere, at = _place(source, rng)
            parent[key] = copy.deepcopy(elsewhere[at])
    elif action == "rename" and isinstance(parent, dict):
        renamed: Any = rng.choice((*WORDS, 1, None, True, 1.5))
        changed = {renamed if name == key else name: body for name, body in parent.items()}
        parent.clear()
        parent.update(changed)
    elif action == "wrap":
        parent[key] = rng.choice(([value], {"x": value}, [value, value], {str(key): value}))
    elif isinstance(value, str):
        parent[key] = _characters(value, texts, rng)
    return str(yaml.safe_dump(root, sort_keys=False, allow_unicode=True))


def _place(root: Any, rng: random.Random) -> tuple[Any, Any]:
    """Returns a place in a tree that has one: a mapping or list, and a key of it."""
    parent = root
    while True:
        keys = list(parent) if isinstance(parent, dict) else list(range(len(parent)))
        key = rng.choice(keys)
        inner = parent[key]
        if not isinstance(inner, dict | list) or not inner or rng.random() < 0.15:
            return parent, key
        parent = inner
