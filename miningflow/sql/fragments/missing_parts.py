"""Missing parts of an expression that the parser would overlook or supply in silence."""

from __future__ import annotations

from typing import Final

from sqlglot.tokenizer_core import Token
from sqlglot.tokenizer_core import TokenType as T

from miningflow.sql.fragments.fragment_error import FragmentError
from miningflow.sql.fragments.words import CALL_MARK, OPERAND_ENDS, OPERAND_STARTS, SIGNS

_WANT_A_VALUE: Final = SIGNS - {T.L_PAREN, T.R_PAREN}
_NEGATED: Final = frozenset({T.IN, T.LIKE, T.ILIKE, T.BETWEEN})
_PLUS_AND_MINUS: Final = frozenset({T.PLUS, T.DASH})
_AFTER_A_VALUE: Final = _NEGATED | {T.IS}
_AFTER_AN_OPERAND: Final = frozenset({T.COMMA, T.R_PAREN, T.WHEN, T.THEN, T.ELSE, T.END})


def refuse_missing_part(before: list[Token], token: Token) -> None:
    """Refuses a token between which and those before it something is missing."""
    last = before[-1].token_type if before else None
    if last in OPERAND_ENDS and token.token_type in OPERAND_STARTS:
        raise FragmentError(
            f"an operator is missing before '{token.text.removeprefix(CALL_MARK)}'",
            token.start,
            "only one expression, without alias, is allowed",
        )
    opened = last is T.L_PAREN and token.token_type is T.COMMA
    if opened or (last in _WANT_A_VALUE and token.token_type in _AFTER_AN_OPERAND):
        raise FragmentError(
            f"a value is missing before '{token.text}'", token.start, "write one, or leave it out"
        )
    negates_is = last is T.NOT and len(before) > 1 and before[-2].token_type is T.IS
    if (last is T.IS or negates_is) and token.token_type in _PLUS_AND_MINUS:
        raise FragmentError(
            f"'{token.text}' stands after IS", token.start, "write for example x is not null"
        )
    after_value = len(before) > 1 and before[-2].token_type in OPERAND_ENDS
    if last is T.NOT and after_value and token.token_type not in _NEGATED:
        raise FragmentError(
            "NOT stands after a value", before[-1].start, "write for example x is not null"
        )
    negated = last is T.NOT and after_value
    if token.token_type in _AFTER_A_VALUE and last not in OPERAND_ENDS and not negated:
        raise FragmentError(f"a value is missing before '{token.text}'", token.start)
