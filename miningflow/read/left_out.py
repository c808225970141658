"""Columns that a case leaves out on purpose, as a comment in their concept says."""

from __future__ import annotations

import re
from dataclasses import dataclass

from miningflow.read.yaml_edits import comments_in
from miningflow.read.yaml_text import yaml_comment

_LEFT_OUT = re.compile(r"(.+?) (?:is|are) left out\b")
_OTHERS = re.compile(r"(all |the )*other columns are left out\b", re.IGNORECASE)
_AND = re.compile(r",\s*(?:and\s+)?|\s+and\s+")


@dataclass(frozen=True)
class LeftOut:
    """What `# X is left out` and `# other columns are left out` say."""

    names: frozenset[str]
    others: bool

    def has(self, column: str) -> bool:
        """Returns whether a column is left out."""
        written = {column, yaml_comment(column)[2:]}
        return self.others or any(each.strip().casefold() in self.names for each in written)


def left_out(text: str, concept: str) -> LeftOut:
    """Reads the comments that stand alone in a concept of a case."""
    names: set[str] = set()
    others = False
    for comment in comments_in(text, ("concepts", concept)):
        match = _LEFT_OUT.match(comment)
        if _OTHERS.match(comment):
            others = True
        elif match:
            names |= {match[1], *_AND.split(match[1])}
    return LeftOut(frozenset(name.strip().casefold() for name in names), others)
