"""Reads expressions a second time, by a parser that shares nothing with that of MiningFlow.

A node is a tuple of its kind and its parts: `("+", left, right)`, `("call", "abs", (x,))`.
"""

from __future__ import annotations

import re
from typing import Any

Node = tuple[Any, ...]

TOKEN = re.compile(
    r"""[ \t\r\n]*(?:
    (?P<number>(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d+)?)
    |(?P<text>'(?:[^']|'')*')
    |(?P<quoted>"(?:[^"]|"")*")
    |(?P<word>[^\W\d]\w*)
    |(?P<sign>\|\||<>|!=|==|<=|>=|[-+*/%=<>(),])
    )""",
    re.VERBOSE,
)
COMPARISONS = {
    "=": "=",
    "==": "=",
    "<>": "<>",
    "!=": "<>",
    "<": "<",
    "<=": "<=",
    ">": ">",
    ">=": ">=",
}
_RESERVED = "and or not in between like ilike is null true false case when then else end"
RESERVED = frozenset(_RESERVED.split())


class NotInLanguage(Exception):
    """The text is no expression of the documented language."""


def parse(text: str) -> Node:
    """Returns the tree of an expression."""
    parser = _Parser(text)
    tree = parser.either()
    if parser.peek() != "":
        raise NotInLanguage(f"near {parser.peek()!r}")
    return tree


class _Parser:
    """Goes through the tokens, one method for each level of precedence."""

    def __init__(self, text: str) -> None:
        self.tokens: list[tuple[str, str]] = []
        at = 0
        while text[at:].strip(" \t\r\n"):
            found = TOKEN.match(text, at)
            if found is None:
                raise NotInLanguage(f"near {text[at : at + 10]!r}")
            kind = str(found.lastgroup)
            self.tokens.append((kind, found[kind]))
            at = found.end()
        self.at = 0

    def peek(self, ahead: int = 0) -> str:
        """Returns the next sign or keyword, or what else stands there."""
        if self.at + ahead >= len(self.tokens):
            return ""
        kind, written = self.tokens[self.at + ahead]
        return written.lower() if kind == "word" else written

    def took(self, *expected: str) -> bool:
        """Goes past words if they follow, one after the other."""
        if [self.peek(i) for i in range(len(expected))] != list(expected):
            return False
        self.at += len(expected)
        return True

    def take(self, expected: str) -> None:
        """Goes past a word that must follow."""
        if not self.took(expected):
            raise NotInLanguage(f"{expected!r} expected, got {self.peek()!r}")

    def either(self) -> Node:
        """Reads `a or b`."""
        tree = self.both()
        while self.took("or"):
            tree = ("or", tree, self.both())
        return tree

    def both(self) -> Node:
        """Reads `a and b`."""
        tree = self.condition()
        while self.took("and"):
            tree = ("and", tree, self.condition())
        return tree

    def condition(self) -> Node:
        """Reads `not a`, comparisons and what else has a truth value."""
        if self.took("not"):
            return ("not", self.condition())
        left = self.joined()
        while True:
            further = self.predicate(left)
            if further is None:
                return left
            left = further

    def predicate(self, left: Node) -> Node | None:
        """Reads what may follow a value to make a condition of it."""
        if self.peek() in COMPARISONS:
            sign = COMPARISONS[self.peek()]
            self.at += 1
            return (sign, left, self.joined())
        if self.took("is", "not", "null"):
            return ("not", ("is null", left))
        if self.took("is", "null"):
            return ("is null", left)
        negated = self.took("not")
        tree: Node
        if self.took("in"):
            self.take("(")
            tree = ("in", left, self.members())
        elif self.took("between"):
            low = self.joined()
            self.take("and")
            tree = ("between", left, low, self.joined())
        elif self.peek() in ("like", "ilike"):
            self.at += 1
            tree = (self.peek(-1), left, self.joined())
        elif negated:
            raise NotInLanguage("not after a value")
        else:
            return None
        return ("not", tree) if negated else tree

    def members(self) -> tuple[Node, ...]:
        """Reads a list up to its closing parenthesis."""
        if self.took(")"):
            return ()
        found = [self.either()]
        while self.took(","):
            found.append(self.either())
        self.take(")")
        return tuple(found)

    def joined(self) -> Node:
        """Reads `a || b`."""
        tree = self.sum()
        while self.took("||"):
            tree = ("||", tree, self.sum())
        return tree

    def sum(self) -> Node:
        """Reads `a + b - c`."""
        tree = self.product()
        while self.peek() in ("+", "-"):
            self.at += 1
            tree = (self.peek(-1), tree, self.product())
        return tree

    def product(self) -> Node:
        """Reads `a * b / c % d`."""
        tree = self.signed()
        while self.peek() in ("*", "/", "%"):
            self.at += 1
            tree = (self.peek(-1), tree, self.signed())
        return tree

    def signed(self) -> Node:
        """Reads `-a` and `+a`."""
        if self.took("-"):
            return ("negative", self.signed())
        if self.took("+"):
            return self.signed()
        return self.value()

    def value(self) -> Node:
        """Reads a literal, a feature, a call, a CASE or something in parentheses."""
        if self.took("("):
            tree = self.either()
            self.take(")")
            return tree
        if self.took("case"):
            return self.cases()
        if self.at >= len(self.tokens):
            raise NotInLanguage("something is missing at the end")
        kind, written = self.tokens[self.at]
        self.at += 1
        if kind == "number":
            return ("number", float(written), written)
        if kind == "text":
            return ("text", written[1:-1].replace("''", "'"))
        if kind == "quoted":
            return ("feature", written[1:-1].replace('""', '"'))
        if kind == "word":
            return self.word(written.lower())
        raise NotInLanguage(f"near {written!r}")

    def word(self, word: str) -> Node:
        """Reads what starts with a word."""
        if word in ("null", "true", "false"):
            return (word,)
        if word in RESERVED:
            raise NotInLanguage(f"near {word!r}")
        if word in ("date", "timestamp") and self.peek().startswith("'"):
            self.at += 1
            return ("time", self.peek(-1)[1:-1])
        if self.took("("):
            return ("call", word, self.members())
        return ("feature", word)

    def cases(self) -> Node:
        """Reads a CASE, of conditions or of values of a subject."""
        subject = None if self.peek() == "when" else self.either()
        branches = []
        while self.took("when"):
            when = self.either()
            self.take("then")
            branches.append((when, self.either()))
        otherwise = self.either() if self.took("else") else ("null",)
        self.take("end")
        if not branches:
            raise NotInLanguage("CASE without WHEN")
        return ("case", subject, tuple(branches), otherwise)
