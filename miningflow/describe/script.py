"""The SQL of a whole case, with the names that people read."""

from __future__ import annotations

from miningflow.compile import Compiled, Names, create_statement
from miningflow.compile.functions import model_functions, why_none
from miningflow.compile.gc_paused import gc_paused
from miningflow.errors import CompileError, Diagnostic
from miningflow.plan import Builds, layout
from miningflow.resolve import BoundCase
from miningflow.resolve.lookup import find_model, find_step
from miningflow.sql.dialect import DIALECTS, NotInDialect, ended, identifier, one_line, render
from miningflow.sql.literal_table import tables_read, values_select
from miningflow.sql.stored import stored_name


def case_script(bound: BoundCase, compiled: Compiled, dialect: str, step: str | None = None) -> str:
    """Prints the statements of all steps, or of one."""
    builds = layout(bound)
    if step is None:
        parts: list[str] = []
        diagnostics: list[Diagnostic] = []
        with gc_paused():
            for name in bound.steps:
                try:
                    parts.append(step_sql(bound, compiled, name, builds[name], dialect))
                except CompileError as error:
                    diagnostics += error.diagnostics
        if diagnostics:
            raise CompileError(*diagnostics)
        return "\n\n".join(parts) + "\n"
    meant = find_step(step, bound).name
    if builds[meant] == "inline" and meant in compiled.pieces:
        return _fused_sql(bound, compiled, meant, dialect)
    return step_sql(bound, compiled, meant, builds[meant], dialect) + "\n"


def step_sql(bound: BoundCase, compiled: Compiled, name: str, kind: Builds, dialect: str) -> str:
    """Returns the statements of one step, or why there are none."""
    names = Names(bound.name)
    step = bound.steps[name]
    comment = f"step '{step.shown_name if step.hidden else name}': {type(step.operator).__name__}"
    piece = compiled.pieces.get(name)
    if piece is None:
        return f"-- {one_line(comment)}: no SQL yet, it {one_line(str(compiled.missing[name]))}"
    if kind == "inline":
        return f"-- {one_line(comment)}: fused into the step that uses it"
    try:
        query = piece.block.select(names.public, dialect)
        statements = [
            create_statement(
                name,
                names.public(v.name),
                "table",
                values_select(v, dialect),
                f"{comment}: {v.name}",
            )
            for v in tables_read(piece.block.values(), query)
        ]
        statements.append(create_statement(name, names.public(name), kind, query, comment))
        return "\n".join(ended(s.sql(dialect), dialect) for s in statements)
    except NotInDialect as error:
        raise _refused(bound, name, error) from None


def function_script(
    bound: BoundCase, compiled: Compiled, dialect: str, step: str | None = None
) -> str:
    """Prints the statements that make functions of what the models of a case predict."""
    names = Names(bound.name)
    models = [n for n, s in bound.steps.items() if s.operator.scores]
    meant = models if step is None else [find_model(step, bound).name]
    if DIALECTS[dialect].functions is None:
        raise CompileError(Diagnostic(f"no functions: {why_none(dialect)}", None))
    schema = identifier(stored_name(names.schema, dialect), dialect)
    parts = [f"CREATE SCHEMA IF NOT EXISTS {schema};"]
    for name in meant:
        if name not in compiled.pieces:
            parts.append(f"-- step '{one_line(name)}': no SQL yet, it {compiled.missing[name]}")
            continue
        parts += _functions_of(bound, compiled, names, name, dialect)
    return "\n\n".join(parts) + "\n"


def _functions_of(
    bound: BoundCase, compiled: Compiled, names: Names, step: str, dialect: str
) -> list[str]:
    piece = compiled.pieces[step]
    comment = f"-- step '{one_line(step)}'"

    try:
        functions = model_functions(compiled.pieces, step, names.public, dialect)
        if not functions:
            return [f"{comment}: no function: {why_none(dialect)}"]
        made = [
            create_statement(
                step, names.public(v.name), "table", values_select(v, dialect), f"step '{step}'"
            )
            for v in piece.block.values()
        ]
        found = [f"{statement.sql(dialect)};" for statement in made]
        for function in functions:
            about = f"{comment}: {function.feature} of rows of '{one_line(function.concept)}'"
            found.append(f"{about}\n{function.create(names.schema, dialect)};")
        return found
    except NotInDialect as error:
        raise _refused(bound, step, error) from None


def _fused_sql(bound: BoundCase, compiled: Compiled, name: str, dialect: str) -> str:
    """Prints what a fused step would be on its own."""
    names = Names(bound.name)
    try:
        query = render(compiled.pieces[name].block.select(names.public, dialect), dialect)
    except NotInDialect as error:
        raise _refused(bound, name, error) from None
    return f"-- step '{one_line(name)}' is fused into the step that uses it\n{query};\n"


def _refused(bound: BoundCase, name: str, error: NotInDialect) -> CompileError:
    return CompileError(
        Diagnostic(f"step {name!r}: {error}", bound.steps[name].place(), error.hint)
    )
