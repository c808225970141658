"""The words and signs of expressions, and what to say about those outside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sqlglot.tokenizer_core import TokenType as T

# No text that passes the gate holds this character, so no name collides with a marked one.
CALL_MARK: Final = "\x01"

KEYWORDS: Final[Mapping[str, T]] = {
    "and": T.AND,
    "or": T.OR,
    "not": T.NOT,
    "in": T.IN,
    "between": T.BETWEEN,
    "like": T.LIKE,
    "ilike": T.ILIKE,
    "is": T.IS,
    "null": T.NULL,
    "true": T.TRUE,
    "false": T.FALSE,
    "case": T.CASE,
    "when": T.WHEN,
    "then": T.THEN,
    "else": T.ELSE,
    "end": T.END,
}

SIGNS: Final = frozenset(
    {T.PLUS, T.DASH, T.STAR, T.SLASH, T.MOD, T.DPIPE, T.EQ, T.NEQ, T.LT, T.LTE, T.GT, T.GTE}
    | {T.L_PAREN, T.R_PAREN, T.COMMA}
)

OPERAND_ENDS: Final = frozenset(
    [T.IDENTIFIER, T.NUMBER, T.STRING, T.R_PAREN, T.END, T.NULL, T.TRUE, T.FALSE]
)

OPERAND_STARTS: Final = frozenset(
    {T.IDENTIFIER, T.NUMBER, T.STRING, T.L_PAREN, T.CASE, T.NULL, T.TRUE, T.FALSE}
    | {T.VAR, T.DATE, T.TIMESTAMP}
)

_SUBQUERY = ("subqueries and statements are", "reach other concepts with the relation operators")
_WINDOW = ("window functions are", "use the windowing operators")
_CAST = ("casts are", "engines disagree on them; give the feature its type in the concept")
_ALIAS = ("aliases are", "the name of the feature stands in the case, not in the expression")

FORBIDDEN_WORDS: Final[Mapping[str, tuple[str, str]]] = {
    **dict.fromkeys(
        ["select", "from", "with", "exists", "any", "all", "some", "union", "values", "table"],
        _SUBQUERY,
    ),
    **dict.fromkeys(
        ["insert", "update", "delete", "create", "drop", "alter", "copy", "attach", "pragma"],
        _SUBQUERY,
    ),
    **dict.fromkeys(["over", "window", "partition", "qualify"], _WINDOW),
    **dict.fromkeys(["cast", "try_cast"], _CAST),
    "as": _ALIAS,
    "filter": ("FILTER outside of an aggregate is", ""),
    "distinct": ("DISTINCT outside of count(distinct x) is", ""),
    "interval": ("INTERVAL is", "use date_diff or days_between"),
    "collate": ("COLLATE is", ""),
    "at": ("AT TIME ZONE is", "times have no zone"),
    "lambda": ("lambdas are", ""),
    "array": ("lists are", ""),
    "struct": ("structs are", ""),
    "escape": ("ESCAPE is", ""),
}

FORBIDDEN_SIGNS: Final[Mapping[T, tuple[str, str]]] = {
    T.SEMICOLON: ("';' and a second statement are", ""),
    T.DOT: ("dotted names are", "write the plain feature name, for example age"),
    T.PARAMETER: ("parameters are", ""),
    T.PLACEHOLDER: ("parameters are", ""),
    T.COLON: ("parameters and slices with ':' are", ""),
    T.DCOLON: _CAST,
    T.COLON_EQ: ("assignments are", "compare with ="),
    T.ARROW: ("lambdas are", ""),
    T.L_BRACKET: ("lists and indexing are", ""),
    T.L_BRACE: ("structs are", ""),
    T.DIV: ("'//' is", "use floor(a / b)"),
    T.DSTAR: ("'**' is", "use power(a, b)"),
    T.CARET: ("'^' is", "use power(a, b)"),
    T.HEREDOC_STRING: ("dollar-quoted texts are", "write texts in 'single quotes'"),
    T.BYTE_STRING: ("texts with a prefix are", "write texts in 'single quotes'"),
    T.NATIONAL_STRING: ("texts with a prefix are", "write texts in 'single quotes'"),
}
