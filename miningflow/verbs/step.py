"""`step`: all that is known of one step: features, parameters, what it learned, its SQL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from miningflow.compile import compile_bound
from miningflow.describe.features import FeatureTable, feature_table
from miningflow.describe.script import case_script
from miningflow.errors import CompileError
from miningflow.html.page import FrameHtml
from miningflow.pipeline import reading, store_dialect
from miningflow.read import ConnectionText
from miningflow.resolve import BoundCase
from miningflow.resolve.lookup import find_step
from miningflow.sql.dialect import NotInDialect
from miningflow.store.stored_builds import stored_builds
from miningflow.verbs.explain import explain_step

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class StepDescription(FrameHtml):
    """A step: what it reads and is told, what it learned, its features and its SQL."""

    name: str
    operator: str
    about: str
    """What the case says of the step, otherwise the first sentence about its operator."""
    place: str
    inputs: tuple[str, ...]
    parameters: Mapping[str, Any]
    features: FeatureTable
    topics: Mapping[str, str]
    """What `explain` says of it."""
    sql: str
    dialect: str

    def __repr__(self) -> str:
        return f"<Step {self.name!r}: {self.operator}>"

    def _repr_html_(self) -> str:
        from miningflow.verbs.step_page import step_page

        return step_page(self)

    def to_frame(self) -> pd.DataFrame:
        """Returns a row for each feature: whether it is present, by which step not, and why."""
        return self.features.to_frame()


def describe_step(
    bound: BoundCase, connection: ConnectionText | None, name: str
) -> StepDescription:
    """Describes a step as it was learned, or as it will be. Changes nothing."""
    step = find_step(name, bound)
    dialect = store_dialect(connection)
    with reading(bound, connection) as store:
        repository = store.repository if store else None
        compiled = compile_bound(bound, stored_builds(bound.name, repository))
        explanation = explain_step(bound, repository, step.name, dialect)
    features = feature_table(bound, compiled)
    own = step.written_name
    try:
        sql = case_script(bound, compiled, dialect, step.name).strip()
    except (CompileError, NotInDialect) as error:
        sql = f"-- {error}"
    operator = type(step.operator)
    return StepDescription(
        step.shown_name,
        operator.__name__,
        step.about or operator.doc().split("\n\n")[0].replace("\n", " "),
        str(step.place()),
        step.reads,
        step.parameters,
        features.part([own], [cell.feature for cell in features.of(own)]),
        explanation.topics,
        sql,
        dialect,
    )
