"""How features and their status are printed: for a case, a step, or one feature on its way."""

from __future__ import annotations

from miningflow.cli.output import echo, note, print_json, table
from miningflow.cli.tables import print_table
from miningflow.describe.features import FeatureStatus, FeatureTable
from miningflow.errors import listed
from miningflow.resolve import BoundCase
from miningflow.resolve.lookup import find_node, written_name

FEATURES_SHOWN = 12
LEFT_BEHIND_SHOWN = 3


def print_features(bound: BoundCase, features: FeatureTable, what: str | None, json: bool) -> None:
    """Prints the features of a case, of one concept or step, or one feature up to a step."""
    if what is None:
        if json:
            print_json({"case": bound.name, "features": features.as_json()})
        else:
            _print_case(bound, features)
        return
    name, _, feature = what.partition(".")
    name = written_name(find_node(name, bound), bound)
    if feature:
        _print_way(bound, name, features, json)
    elif json:
        print_json({"concept": name, "features": features.as_json()})
    else:
        _print_concept(bound, name, features)


def _print_case(bound: BoundCase, features: FeatureTable) -> None:
    """Prints a line for each concept and step: how many features it has, made and lost."""
    shown = table("step", ">features", "made and dropped")
    for concept in features.concepts:
        cells = {cell.feature: cell for cell in features.of(concept)}
        present = sum(cell.status in ("present", "partly deselected") for cell in cells.values())
        unknown = any(cell.status == "not known yet" for cell in cells.values())
        count = "not known yet" if unknown else str(present)
        shown.add_row(concept, count, _changes(bound, concept, list(cells.values())))
    print_table(shown)
    _print_reasons(features)
    note("+ made   − deselected   ◐ deselected in some segments")
    note(f"each feature of a step: miningflow show {bound.case.path.name} STEP")


def _changes(bound: BoundCase, concept: str, cells: list[FeatureStatus]) -> str:
    """Returns which features a step makes, which it deselects, and which it leaves behind."""
    if concept not in bound.steps:
        return ""
    step = bound.steps[concept]
    if step.loop is not None:  # all turns together: compare with what the first one reads
        step = next(each for each in bound.steps.values() if each.loop == step.loop)
    read = [bound.concept(name).features for name in step.inputs]
    before = {name for features in read for name in features}
    lost = {c.feature: c.status for c in cells if concept in c.by_step.split(", ")}
    here = bound.concept(concept).features
    parts = [
        ("+", [c.feature for c in cells if c.feature not in before], FEATURES_SHOWN),
        ("−", [name for name in lost if lost[name] == "deselected"], FEATURES_SHOWN),
        ("◐", [name for name in lost if lost[name] == "partly deselected"], FEATURES_SHOWN),
        ("without", [name for name in read[0] if name not in here], LEFT_BEHIND_SHOWN),
    ]
    return "; ".join(f"{mark} {listed(names, most)}" for mark, names, most in parts if names)


def _print_reasons(features: FeatureTable) -> None:
    """Prints why features were deselected, once for all that have the same reason."""
    lost: dict[tuple[str, str], dict[str, None]] = {}
    for cell in features.cells.values():
        if cell.status in ("deselected", "partly deselected"):
            lost.setdefault((cell.by_step, cell.reason), {})[cell.feature] = None
    if lost:
        reasons = table("deselected in", "features", "why")
        for (step, reason), names in lost.items():
            reasons.add_row(step, listed(names, FEATURES_SHOWN), reason)
        print_table(reasons)


def _print_concept(bound: BoundCase, name: str, features: FeatureTable) -> None:
    step = bound.steps.get(name)
    made_by = type(step.operator).__name__ if step else "a source"
    echo(f"{name}: {made_by}" + (f", from {', '.join(step.inputs)}" if step else ""))
    if step and step.about:
        echo(step.about)
    shown = table("feature", "type", "", "deselected in", "why")
    for cell in features.of(name):
        shown.add_row(cell.feature, cell.type, cell.status, cell.by_step, cell.reason)
    print_table(shown)
    for segmentation in bound.concept(name).segmentations:
        echo(f"  segmented by {segmentation.feature} (step {segmentation.step})")
    if step:
        for parameter, value in step.given.items():
            if value is not None:
                echo(f"  {parameter}: {value}")


def _print_way(bound: BoundCase, name: str, features: FeatureTable, json: bool) -> None:
    (feature,) = features.features
    if json:
        print_json({"concept": name, "feature": feature, "way": features.as_json()})
        return
    if not features.cells:
        echo(f"{feature!r} was never there up to {name!r}")
        return
    shown = table("at", "made by", "type", "", "why")
    for cell in features.cells.values():
        step = bound.steps.get(cell.concept)
        made_by = type(step.operator).__name__ if step else "source"
        why = f"in step {cell.by_step}: {cell.reason}" if cell.reason else ""
        shown.add_row(cell.concept, made_by, cell.type, cell.status, why)
    print_table(shown)
