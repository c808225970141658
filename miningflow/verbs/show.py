"""`show`: what became of each feature at each step."""

from __future__ import annotations

from miningflow.describe.features import FeatureTable, feature_table
from miningflow.errors import Diagnostic, PlanError, suggestion
from miningflow.pipeline import compile_case
from miningflow.read import ConnectionText
from miningflow.resolve import BoundCase
from miningflow.resolve.lookup import find_node, written_name


def show(
    bound: BoundCase, connection: ConnectionText | None, what: str | None = None
) -> FeatureTable:
    """Returns the status of every feature at every concept and step.

    With the name of a concept or step, only its own features; with `step.feature`, that feature at
    the step and at everything before it. Concepts that never had it are left out.
    """
    features = feature_table(bound, compile_case(bound, connection))
    if what is None:
        return features
    name, dot, feature = what.partition(".")
    name = written_name(find_node(name, bound), bound)
    if not dot:
        return features.part([name], [cell.feature for cell in features.of(name)])
    if feature not in features.features:
        hint = suggestion(feature, bound.concept(name).features, "features")
        raise PlanError(Diagnostic(f"there is no feature {feature!r} in this case", None, hint))
    before = bound.ancestors(name) | {name}
    having = [c for c in features.concepts if features.cells[c, feature].status != "never there"]
    return features.part([c for c in having if c in before], [feature])
