"""Checked parts of an expression: their types, and how two types go together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlglot import exp

from miningflow.sql.fragments.fragment_error import FragmentError
from miningflow.sql.fragments.words import CALL_MARK

MOST_NODES = 5_000
LONGEST_QUOTE = 40
TEXTS = frozenset(["nominal", "binary"])
ENGINE_TYPES = {
    "numeric": "DOUBLE",
    "nominal": "TEXT",
    "binary": "TEXT",
    "time": "TIMESTAMP",
    "boolean": "BOOLEAN",
}


@dataclass(frozen=True)
class Value:
    """A rewritten part of an expression, its type, and the part as the user wrote it."""

    tree: exp.Expression
    type: str
    source: exp.Expression

    @property
    def literal(self) -> exp.Literal | None:
        """Returns the literal this part is, if it is nothing but one."""
        core = bare(self.source)
        return core if isinstance(core, exp.Literal) else None


def bare(node: exp.Expression) -> exp.Expression:
    """Takes the parentheses around a part away."""
    while isinstance(node, exp.Paren):
        node = node.this
    return node


def offset_of(node: exp.Expression) -> int | None:
    """Finds where a part starts in the text, as far as the parser remembers."""
    starts = [part.meta["start"] for part in node.walk() if "start" in part.meta]
    return min(starts, default=None)


def quoted(node: exp.Expression) -> str:
    """Quotes a part of the expression for a message."""
    core = bare(node)
    if isinstance(core, exp.Column):
        return core.name
    written = core.sql(dialect="duckdb", normalize_functions=False).replace(CALL_MARK, "")
    written = re.sub(r'"(\w+)"', r"\1", written)
    return written if len(written) <= LONGEST_QUOTE else written[: LONGEST_QUOTE - 1] + "…"


def described(value: Value) -> str:
    """Returns which type a part has, as in "age is numeric"."""
    is_feature = isinstance(bare(value.source), exp.Column)
    shown = "text" if value.type in TEXTS and not is_feature else value.type
    return f"{quoted(value.source)} is {shown}"


def fit(value: Value, wanted: str, what: str) -> exp.Expression:
    """Returns the tree of a part that must have a type; the error names what needs it."""
    if value.type == "null" and wanted in ENGINE_TYPES:
        return exp.cast(exp.null(), ENGINE_TYPES[wanted])
    if value.type == wanted or (value.type in TEXTS and wanted in TEXTS):
        return value.tree
    if wanted == "time" and value.literal is not None and value.literal.is_string:
        return time_literal(value.literal)
    shown = "text" if wanted in TEXTS else wanted
    raise FragmentError(
        f"{what} wants {shown}, {described(value)}", offset_of(value.source), _advice(value, wanted)
    )


def unify(values: Sequence[Value], how: str) -> tuple[str, list[exp.Expression]]:
    """Converts parts to one type; the error names two that cannot be `how` (compared, mixed)."""
    typed = [value for value in values if value.type != "null"]
    if not typed:
        return "null", [value.tree for value in values]
    kind = _common_type(typed, how)
    return kind, [_fit_literal(value, kind) for value in values]


def _common_type(typed: Sequence[Value], how: str) -> str:
    # Literals follow the other parts, and only to a time or a key they change their type.
    leader = next((v for v in typed if v.literal is None), typed[0])
    leader = next((v for v in typed if v.type in ("time", "key")), leader)
    for value in typed:
        if not _follows(value, leader.type):
            first, second = (v for v in typed if v is leader or v is value)
            hint = _advice(value, leader.type) or _advice(leader, value.type)
            raise FragmentError(
                f"{described(first)}, {described(second)}: they cannot be {how}",
                offset_of(value.source),
                hint,
            )
    return "nominal" if leader.type in TEXTS else leader.type


def _follows(value: Value, kind: str) -> bool:
    if value.type == kind or (value.type in TEXTS and kind in TEXTS):
        return True
    if kind == "time":
        return value.literal is not None and value.literal.is_string
    return kind == "key" and _key_literal(value) is not None


def _fit_literal(value: Value, kind: str) -> exp.Expression:
    if kind == "key":
        return _key_literal(value) or value.tree
    if kind == "time" and value.literal is not None:
        return time_literal(value.literal)
    return value.tree


def _key_literal(value: Value) -> exp.Expression | None:
    """Writes a literal as a key: a text or a whole number, which a double would not hold."""
    core = bare(value.source)
    negative = isinstance(core, exp.Neg)
    literal = bare(core.this) if isinstance(core, exp.Neg) else core
    if not isinstance(literal, exp.Literal):
        return None
    if literal.is_string:
        return exp.Literal.string(literal.this)
    if not str(literal.this).isdecimal():
        return None
    whole = exp.Literal.number(literal.this)
    return exp.Neg(this=whole) if negative else whole


def time_literal(literal: exp.Literal) -> exp.Expression:
    """Writes an ISO date or time as a timestamp."""
    written = str(literal.this)
    hint = "write '2020-01-31' or '2020-01-31 13:45:00'"
    try:
        moment = datetime.fromisoformat(written)
    except ValueError:
        raise FragmentError(f"'{written}' is not a date", offset_of(literal), hint) from None
    if moment.tzinfo is not None:
        raise FragmentError(f"'{written}' has a time zone", offset_of(literal), hint)
    return exp.cast(exp.Literal.string(moment.isoformat(" ")), "TIMESTAMP")


def _advice(value: Value, wanted: str) -> str:
    literal = value.literal
    if literal is not None and wanted in TEXTS and not literal.is_string:
        return f"texts stand in quotes: '{_as_category(literal.this)}'"
    if literal is not None and wanted == "numeric" and literal.is_string:
        return f"numbers stand without quotes: {literal.this}" if _is_number(literal.this) else ""
    if wanted in TEXTS and isinstance(bare(value.source), exp.Boolean):
        return f"texts stand in quotes: '{quoted(value.source).lower()}'"
    if wanted == "boolean":
        return f"compare it with something, for example {quoted(value.source)} = …"
    if value.type == "boolean":
        return "use case when … then … else … end to make a value of it"
    if value.type == "key":
        return "a key can be compared and counted, nothing else"
    return ""


def _as_category(number: str) -> str:
    """Writes a number as a category has it: without a decimal point if it is whole."""
    return number.rstrip("0").rstrip(".") if re.fullmatch(r"\d+\.\d+", number) else number


def _is_number(written: str) -> bool:
    return re.fullmatch(r"-?\d+(\.\d+)?", written) is not None


def within_limit(tree: exp.Expression) -> exp.Expression:
    """Refuses a tree that the guards around its parts have made too large."""
    if sum(1 for _ in tree.walk()) > MOST_NODES:
        raise FragmentError(
            f"the expression becomes larger than {MOST_NODES} parts of SQL",
            hint="compute parts of it as separate features",
        )
    return tree


def operand(tree: exp.Expression) -> exp.Expression:
    """Copies a tree for use beside an operator, in parentheses if it needs them."""
    needs = isinstance(tree, exp.Binary | exp.Neg | exp.Not | exp.Between | exp.In)
    return exp.Paren(this=tree.copy()) if needs else tree.copy()


def cases(
    *branches: tuple[exp.Expression, exp.Expression], otherwise: exp.Expression | None = None
) -> exp.Case:
    """Writes a searched CASE."""
    return exp.Case(
        ifs=[exp.If(this=when, true=then) for when, then in branches], default=otherwise
    )
