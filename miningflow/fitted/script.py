"""`to_sql`: a fitted machine as a script that scores the rows of a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from sqlglot import exp

from miningflow.errors import listed, suggestion
from miningflow.fitted.calibrated import calibrated
from miningflow.fitted.linear_models import linear_model
from miningflow.fitted.machines import read_machine
from miningflow.fitted.refusals import is_scikit_learns, refused
from miningflow.fitted.steps import steps_of
from miningflow.fitted.transformers import transformed
from miningflow.fitted.tree_models import tree_model
from miningflow.sql.block import Block, Scan, Values, over
from miningflow.sql.dialect import DIALECTS, NotInDialect, made_anew, removed, render
from miningflow.sql.literal_table import values_select
from miningflow.sql.literals import column
from miningflow.sql.models.decisions import decided, output_names
from miningflow.sql.models.kernels.support_vectors import TABLE
from miningflow.sql.models.model_inputs import ModelInputs
from miningflow.sql.models.values import Raw

_ROWS = "rows"


@dataclass(frozen=True)
class FittedScript:
    """Statements that score the rows of a table; as text, the whole script."""

    setup: list[str]
    query: str
    teardown: list[str]

    def __str__(self) -> str:
        return "".join(f"{part};\n" for part in (*self.setup, self.query, *self.teardown))


def to_sql(
    fitted: Any,
    features: Sequence[str] | None = None,
    table: str | Sequence[str] = "rows",
    keep: Sequence[str] = (),
    dialect: str = "duckdb",
) -> FittedScript:
    """Writes a fitted scikit-learn machine, or a Pipeline that ends in one, as SQL.

    `features` names the columns of `table` in the order of those it was fitted on; without it the
    names it was fitted with are used. `table` is a name, or schema and name. The query returns the
    columns of `keep`, then `decision` (or `decision_0`, `decision_1`, …) and `label`; for
    regression `prediction`; for a CalibratedClassifierCV `probability` of the second class (or
    `probability_0`, …) and `label`; for LogisticRegression and LinearDiscriminantAnalysis all
    three. They are NULL where a column that counts is NULL, NaN or infinite.
    """
    if dialect not in DIALECTS:
        raise refused(f"no dialect {dialect!r}", suggestion(str(dialect), DIALECTS, "dialects"))
    steps = steps_of(fitted)
    names, kept = _names(features, steps), _listed("keep", keep)
    _refuse_repeated("keep", kept, dialect)
    _refuse_repeated("features", names, dialect)
    folds = DIALECTS[dialect].folds_case
    spelled = {name.casefold(): name for name in kept} if folds else {}
    names = [spelled.get(name.casefold(), name) for name in names]  # one column, one spelling
    rows = over(Scan(_ROWS, tuple(dict.fromkeys([*kept, *names]))))
    columns = ModelInputs(rows, tuple(Raw(column(name)) for name in names))
    block, outputs = _computed(steps, columns)
    clashing = {name.casefold() for name in kept} & set(outputs)
    if clashing:
        raise refused(
            f"keep has {listed(sorted(clashing))}, which the query computes",
            "rename that column in a view, and keep it by its new name",
        )
    block = block.project([*kept, *outputs]).prune([*kept, *outputs])
    return _printed(block, _listed("table", table), dialect)


def _computed(steps: Sequence[Any], columns: ModelInputs) -> tuple[Block, list[str]]:
    """Adds the outputs of a machine to the rows; also returns the names of these columns."""
    for step in steps[:-1]:
        columns = transformed(step, columns)
    last = steps[-1]
    if type(last).__name__ == "CalibratedClassifierCV" and is_scikit_learns(last):
        return calibrated(last, columns)
    if is_scikit_learns(last):
        found = linear_model(last, columns) or tree_model(last, columns)
        if found is not None:
            return found
    machine = read_machine(last, len(columns.values))
    outputs = output_names(machine)
    return decided(machine, columns, outputs), outputs


def _names(features: Sequence[str] | None, steps: Sequence[Any]) -> list[str]:
    first = next((s for s in steps if s is not None and not isinstance(s, str)), None)
    learned = getattr(first, "feature_names_in_", None)
    known = None if learned is None else [str(name) for name in learned]
    if features is None:
        if known is None:
            raise refused(
                "features are missing: the model was fitted without column names",
                "name the columns of the table in the order of those it was fitted on",
            )
        return known
    names = _listed("features", features)
    if known is not None and names != known and sorted(names) == sorted(known):
        raise refused(
            "features are in another order than the model was fitted with",
            f"fitted with: {listed(known)}",
        )
    return names


def _listed(what: str, names: str | Iterable[str]) -> list[str]:
    if isinstance(names, str):
        if what == "table":
            return [names]
        raise refused(f"{what} is the text {names!r}", f"write {what}=[{names!r}]")
    found = list(names)
    for name in found:
        if not isinstance(name, str) or not name or "\0" in name:
            raise refused(f"{what} has {name!r}, which is no name", "names are texts")
    if what == "table" and not 1 <= len(found) <= 3:
        raise refused("table has no name", "give a name, or schema and name")
    return found


def _refuse_repeated(what: str, names: Sequence[str], dialect: str) -> None:
    folds = DIALECTS[dialect].folds_case
    folded = [name.casefold() for name in names] if folds else list(names)
    for i, name in enumerate(folded):
        if name in folded[:i]:
            raise refused(f"{what} has {names[i]!r} twice", "name each column once")


def _printed(block: Block, table: list[str], dialect: str) -> FittedScript:
    tables = {values.name: values for values in block.values()}

    def naming(name: str) -> exp.Table:
        return _table([_stored_name(tables[name])] if name in tables else table)

    try:
        select = block.select(naming, dialect)
        read = {table.name for table in select.find_all(exp.Table)}
        tables = {n: v for n, v in tables.items() if _stored_name(v) in read}
        query = render(select, dialect)
        setup = [
            statement
            for name, values in tables.items()
            for statement in made_anew(naming(name), values_select(values, dialect), dialect)
        ]
        return FittedScript(setup, query, [removed(naming(name), dialect) for name in tables])
    except NotInDialect as error:
        raise refused(str(error), error.hint) from None


def _stored_name(values: Values) -> str:
    """Names a table after what it holds, so that the tables of two models never collide."""
    return f"{TABLE}_{sha256(repr(values.rows).encode()).hexdigest()[:12]}"


def _table(parts: Sequence[str]) -> exp.Table:
    identifiers = [exp.to_identifier(part, quoted=True) for part in parts]
    places = ["this", "db", "catalog"]
    return exp.Table(**dict(zip(places, reversed(identifiers), strict=False)))
