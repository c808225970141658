"""The gate of expressions: only words and signs of the small language reach the parser."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sqlglot.dialects import DuckDB
from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import Token, TokenType

from miningflow.sql.fragments.fragment_error import FragmentError, did_you_mean, listed
from miningflow.sql.fragments.missing_parts import refuse_missing_part
from miningflow.sql.fragments.names import find_feature
from miningflow.sql.fragments.words import (
    CALL_MARK,
    FORBIDDEN_SIGNS,
    FORBIDDEN_WORDS,
    KEYWORDS,
    OPERAND_ENDS,
    SIGNS,
)

LONGEST_TEXT = 20_000
DEEPEST_NESTING = 200


@dataclass(frozen=True)
class Gate:
    """What an expression may name: its features, its functions, and the aggregates if any."""

    features: Mapping[str, str]
    functions: Collection[str]
    aggregates: Collection[str]
    aggregating: bool


@dataclass(frozen=True)
class CleanTokens:
    """Tokens that passed the gate, and the features they name in order of first use."""

    tokens: list[Token]
    features: tuple[str, ...]


def read_tokens(text: str, gate: Gate) -> CleanTokens:
    """Splits the text and refuses every token outside the language.

    A feature becomes a quoted identifier of its exact spelling, and a function gets a mark in
    front of its name, so that the parser keeps the call as written: it would otherwise rewrite
    known functions in its own, dialect-dependent ways.
    """
    raw = _tokenize(text)
    _refuse_gaps(text, raw)
    clean: list[Token] = []
    used: dict[str, None] = {}
    skip = 0
    for index, token in enumerate(raw):
        if skip:
            skip -= 1
            continue
        if token.token_type is TokenType.NUMBER:
            _refuse_grouped_exponent(text[token.start : token.end + 1], token.start)
        before = clean[-1] if clean else None
        after = raw[index + 1] if index + 1 < len(raw) else None
        if after is not None and after.token_type is TokenType.DOT and _is_name(text, token):
            raise _forbidden_sign(after, token.start)
        if text[token.start] == "." and after is not None and _is_fraction(token, before, after):
            _refuse_grouped_exponent(text[after.start : after.end + 1], after.start)
            passed = _changed(token, TokenType.NUMBER, f".{after.text}")
            skip = 1
        elif _is_word(text, token):
            passed = _word(text, token, before, after, gate)
        elif token.token_type is TokenType.IDENTIFIER and text[token.start] == '"':
            passed = _quoted_name(token, after, gate)
        else:
            passed = _sign(text, token)
        if passed.token_type is TokenType.IDENTIFIER:
            used[passed.text] = None
        if passed.token_type is TokenType.NOT and before is not None:
            _refuse_plus(before)  # sqlglot leaves it out
        refuse_missing_part(clean, passed)
        clean.append(passed)
        if _opens_star_count(clean, after):
            skip = 1
    _refuse_nesting(clean)
    return CleanTokens(clean, tuple(used))


def _tokenize(text: str) -> list[Token]:
    if len(text) > LONGEST_TEXT:
        raise FragmentError(
            f"the expression has {len(text)} characters, at most {LONGEST_TEXT} are allowed",
            hint="compute parts of it as separate features",
        )
    for offset, character in enumerate(text):
        if unicodedata.category(character) in ("Cc", "Cs") and character not in "\t\r\n":
            # NUL ends a text in some engines, a lone surrogate cannot be sent to any.
            raise FragmentError(
                f"the character U+{ord(character):04X} is not allowed in expressions", offset
            )
    try:
        tokens: list[Token] = DuckDB().tokenize(text)
    except TokenError:
        raise FragmentError("a quote or a comment is opened but not closed", 0) from None
    if not tokens:
        raise FragmentError("the expression is empty", 0, "comments are not allowed either")
    return tokens


def _refuse_gaps(text: str, tokens: list[Token]) -> None:
    """Refuses comments: they are what the tokenizer leaves out besides white space."""
    position = 0
    for start, end in [(t.start, t.end + 1) for t in tokens] + [(len(text), len(text))]:
        gap = text[position:start]
        if gap.strip(" \t\r\n"):
            offset = position + len(gap) - len(gap.lstrip(" \t\r\n"))
            odd = gap.strip(" \t\r\n")[0]
            what = f"the space U+{ord(odd):04X} is" if odd.isspace() else "comments are"
            raise FragmentError(f"{what} not allowed in expressions", offset)
        position = end


def _is_word(text: str, token: Token) -> bool:
    first = text[token.start]
    return (first.isalpha() or first == "_") and text[token.end] != "'"


def _is_name(text: str, token: Token) -> bool:
    is_word = _is_word(text, token) and token.text.lower() not in KEYWORDS
    return is_word or text[token.start] == '"'


def _is_fraction(dot: Token, before: Token | None, number: Token) -> bool:
    """Distinguishes `.5`, which the tokenizer splits, from the dot of `Customer.age`."""
    ended = before is not None and before.token_type in OPERAND_ENDS
    return not ended and number.token_type is TokenType.NUMBER and number.start == dot.end + 1


def _word(text: str, token: Token, before: Token | None, after: Token | None, gate: Gate) -> Token:
    word = token.text.lower()
    called = after is not None and after.token_type is TokenType.L_PAREN
    if word in KEYWORDS:
        return _changed(token, KEYWORDS[word], token.text)
    if word in ("date", "timestamp") and after is not None and text[after.start] == "'":
        return _changed(token, TokenType[word.upper()], token.text)
    if gate.aggregating and _belongs_to_aggregate(word, called, before):
        return token
    if called:
        return _function(token, word, gate)
    feature = find_feature(token.text, gate.features, token.start)
    if feature is not None:
        return _changed(token, TokenType.IDENTIFIER, feature)
    if word.split()[0] in FORBIDDEN_WORDS:
        raise _forbidden(token, word)
    raise _unknown_feature(token, gate)


def _belongs_to_aggregate(word: str, called: bool, before: Token | None) -> bool:
    if before is None:
        return False
    if word == "filter":
        return called and before.token_type is TokenType.R_PAREN
    return word in ("distinct", "where") and before.token_type is TokenType.L_PAREN


def _function(token: Token, word: str, gate: Gate) -> Token:
    if word in gate.functions or (gate.aggregating and word in gate.aggregates):
        return _changed(token, TokenType.VAR, CALL_MARK + word)
    if word in gate.aggregates:
        raise FragmentError(
            f"'{word}' is an aggregate, and there is nothing to aggregate here",
            token.start,
            "use the operator AggregateByRelation",
        )
    if word in FORBIDDEN_WORDS:
        raise _forbidden(token, word)
    known = sorted({*gate.functions, *(gate.aggregates if gate.aggregating else ())})
    raise FragmentError(
        f"function '{token.text}' is not allowed in expressions{did_you_mean(word, known)}",
        token.start,
        f"allowed are: {listed(known, len(known))}",
    )


def _forbidden(token: Token, word: str) -> FragmentError:
    what, hint = FORBIDDEN_WORDS[word.split(maxsplit=1)[0]]
    return FragmentError(f"{what} not allowed in expressions", token.start, hint)


def _unknown_feature(token: Token, gate: Gate) -> FragmentError:
    return FragmentError(
        f"no feature '{token.text}'{did_you_mean(token.text, gate.features)}",
        token.start,
        f"features are: {listed(gate.features)}",
    )


def _quoted_name(token: Token, after: Token | None, gate: Gate) -> Token:
    if after is not None and after.token_type is TokenType.L_PAREN:
        raise FragmentError(
            f"function '{token.text}' is not allowed in expressions: its name is quoted",
            token.start,
            f"allowed are: {listed(sorted(gate.functions), len(gate.functions))}",
        )
    if token.text not in gate.features:
        raise _unknown_feature(token, gate)
    return _changed(token, TokenType.IDENTIFIER, token.text)


def _sign(text: str, token: Token) -> Token:
    written = text[token.start : token.end + 1]
    kind = token.token_type
    plain_text = kind is TokenType.STRING and written[0] == "'"
    if plain_text or kind is TokenType.NUMBER or kind in SIGNS:
        return token
    raise _forbidden_sign(token, token.start)


def _forbidden_sign(token: Token, offset: int) -> FragmentError:
    what, hint = FORBIDDEN_SIGNS.get(token.token_type, (f"'{token.text}' is", ""))
    return FragmentError(f"{what} not allowed in expressions", offset, hint)


def _refuse_grouped_exponent(number: str, offset: int) -> None:
    """Refuses `1e-1_000`, which would be 0: digits are grouped in `1_000` only."""
    exponent = number.lower().partition("e")[2]
    if "_" in exponent:
        raise FragmentError(
            f"'_' is not allowed in the exponent of '{number}'",
            offset,
            f"write {number.replace('_', '')}",
        )


def _refuse_plus(before: Token) -> None:
    if before.token_type is TokenType.PLUS:
        raise FragmentError(
            "'+' wants numeric, not a condition",
            before.start,
            "use case when … then … else … end to make a number of a condition",
        )


def _opens_star_count(clean: list[Token], after: Token | None) -> bool:
    """Returns whether the star of `count(*)` follows, which means the same as `count()`."""
    return (
        after is not None
        and after.token_type is TokenType.STAR
        and len(clean) > 1
        and clean[-1].token_type is TokenType.L_PAREN
        and clean[-2].text == CALL_MARK + "count"
    )


def _refuse_nesting(tokens: list[Token]) -> None:
    """Refuses what would make a recursive parser run out of stack, and loose ends."""
    opened: list[int] = []
    prefixes = 0
    for token in tokens:
        kind = token.token_type
        if kind in (TokenType.L_PAREN, TokenType.CASE):
            opened.append(prefixes + 1)
            prefixes = 0
        elif kind in (TokenType.R_PAREN, TokenType.END):
            if not opened:
                raise FragmentError(f"'{token.text}' closes nothing", token.start)
            opened.pop()
        elif kind is TokenType.COMMA and not opened:
            raise FragmentError("only one expression is allowed, not a list", token.start)
        prefixes = prefixes + 1 if kind in (TokenType.NOT, TokenType.DASH, TokenType.PLUS) else 0
        if sum(opened) + prefixes > DEEPEST_NESTING:
            raise too_deep(token.start)
    if opened:
        raise FragmentError("a parenthesis or CASE is not closed", tokens[-1].end)


def too_deep(offset: int | None = None) -> FragmentError:
    """Returns the error for an expression that is nested too deeply."""
    return FragmentError(
        f"the expression is nested too deeply, at most {DEEPEST_NESTING} levels are allowed",
        offset,
        "compute parts of it as separate features",
    )


def _changed(token: Token, kind: TokenType, text: str) -> Token:
    return Token(kind, text, token.line, token.col, token.start, token.end, [])
