"""The SQL of a whole case, with the names that people read."""

from __future__ import annotations

from miningflow.compile import Compiled, Names, create_statement
from miningflow.errors import CompileError, Mistake, suggestion
from miningflow.plan import layout
from miningflow.resolve import BoundCase
from miningflow.sql.block import values_select
from miningflow.sql.dialect import one_line, render


def case_script(bound: BoundCase, compiled: Compiled, dialect: str, step: str | None = None) -> str:
    """Prints the statements of all steps, or of one."""
    if step is None:
        return "\n\n".join(step_sql(bound, compiled, name, dialect) for name in bound.steps) + "\n"
    meant = bound.chains.get(step, step)
    if meant not in bound.steps:
        hint = suggestion(step, bound.steps, "steps")
        raise CompileError(Mistake(f"there is no step {step!r}", None, hint))
    return step_sql(bound, compiled, meant, dialect) + "\n"


def step_sql(bound: BoundCase, compiled: Compiled, name: str, dialect: str) -> str:
    """Prints the statements of one step, or says why there are none."""
    names = Names(bound.name)
    step = bound.steps[name]
    comment = f"step '{name}': {type(step.operator).__name__}"
    piece = compiled.pieces.get(name)
    if piece is None:
        return f"-- {one_line(comment)}: no SQL yet, it {one_line(compiled.missing[name])}"
    if step.hidden:
        return f"-- {one_line(comment)}: fused into the steps that use it"
    kind = layout(bound)[name]
    if kind == "inline":
        query = render(piece.block.select(names.public), dialect)
        return f"-- {one_line(comment)}: fused into its user; on its own it would be\n{query};"
    statements = [
        create_statement(
            name, names.public(v.name), "table", values_select(v), f"{comment}: {v.name}"
        )
        for v in piece.block.values()
    ]
    query_tree = piece.block.select(names.public)
    statements.append(create_statement(name, names.public(name), kind, query_tree, comment))
    return "\n".join(f"{s.sql(dialect)};" for s in statements)
