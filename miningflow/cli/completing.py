"""Answers a shell that wants to complete a command line: one line for each candidate.

A line has a kind, the text to insert, and its help, with tabs between: `word`, `part` (no space
follows), `file`, or `files` if the shell is to complete names of files itself.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Sequence

from miningflow.cli.main import ASKED
from miningflow.visible_text import visible

# Takes the place of what is not typed yet; no shell passes it on.
_CURSOR = "\x1e"
_STARTING_NEXT = ("=", ".", "/", "+", "://")


def complete(arguments: Sequence[str]) -> int:
    """Prints candidates for a line up to the cursor; what fails has none.

    Some shells replace only what follows the last of certain characters, the second argument.
    """
    line, breaks = (*arguments, "", "")[:2]
    try:
        words, incomplete = split_line(line)
        found = list(_candidates(words, incomplete, breaks))
    except Exception:  # a message would end up in the middle of the line
        return 0
    sys.stdout.write("".join(f"{kind}\t{text}\t{said}\n" for kind, text, said in found))
    return 0


def split_line(line: str) -> tuple[list[str], str]:
    """Splits a line as a shell does into the words before the cursor and the one at it."""
    lexer = shlex.shlex(line + _CURSOR, posix=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    words: list[str] = []
    try:
        words.extend(lexer)
    except ValueError:  # a quote that is still open
        words.append(lexer.token)
    *before, last = words
    return before[1:], last.replace(_CURSOR, "")


def _candidates(words: list[str], incomplete: str, breaks: str) -> Iterator[tuple[str, str, str]]:
    # BashComplete is the machinery of typer that knows which parameter is meant
    from typer._completion_classes import BashComplete
    from typer.main import get_command

    from miningflow.cli.candidates import FileName
    from miningflow.cli.commands import app

    finder = BashComplete(get_command(app), {"obj": tuple(words)}, "miningflow", ASKED)
    cut = 1 + max((incomplete.rfind(mark) for mark in "=:" if mark in breaks), default=-1)
    for item in finder.get_completions(words, incomplete):
        if item.type in ("file", "dir"):
            yield "files", "", ""
            continue
        value = str(item.value)
        if visible(value) != value or "\n" in value or "\t" in value:
            continue
        kind = "part" if value.endswith(_STARTING_NEXT) else "word"
        kind = "file" if isinstance(item.value, FileName) else kind
        yield kind, value[cut:], visible(" ".join((item.help or "").split()))
