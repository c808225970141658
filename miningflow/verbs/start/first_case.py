"""The steps of a first case that predicts a target, each with the reason for it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from miningflow.inspect.column_words import snake
from miningflow.inspect.finding import Finding
from miningflow.inspect.target import Target
from miningflow.verbs.start.draft import Draft, DraftConcept, DraftStep
from miningflow.verbs.start.related_features import Made, related_steps
from miningflow.verbs.start.scales import scale_of

MANY_MISSING = 0.05
RARE_SHARE = 0.01


@dataclass
class Preparation:
    """What the steps so far have made of the features of the target's concept."""

    concept: DraftConcept
    taken: set[str]
    current: str
    steps: list[DraftStep] = field(default_factory=list)
    numeric: dict[str, Finding | None] = field(default_factory=dict)
    nominal: dict[str, Finding] = field(default_factory=dict)

    def add(self, name: str, why: str, body: dict[str, Any]) -> str:
        """Adds a step that reads the current one, and becomes the current one."""
        name = self.free(name)
        operator = body.pop("operator")
        self.steps.append(
            DraftStep(name, why, {"operator": operator, "input": self.current, **body})
        )
        self.current = name
        return name

    def free(self, name: str) -> str:
        """Returns the name of a step that nothing else has."""
        while name.casefold() in self.taken:
            name += "_"
        self.taken.add(name.casefold())
        return name

    def feature(self, name: str) -> str:
        """Returns the name of a feature that the concept does not have."""
        known = {each.casefold() for each in (*self.concept.features, *self.numeric, *self.nominal)}
        while name.casefold() in known:
            name += "_"
        return name

    @property
    def predictors(self) -> list[str]:
        """Returns the features to predict from."""
        return [*self.numeric, *self.nominal]


def with_first_case(draft: Draft, target: Target) -> Draft:
    """Returns the draft with steps that prepare features, select, learn and evaluate."""
    concept = draft.concepts[target.table]
    taken = {name.casefold() for name in draft.concepts}
    work = Preparation(concept, taken, concept.name)
    label = concept.feature_of(target.column)
    _own_features(work, label)
    for made in related_steps(draft, concept, work.feature):
        _related(work, made)
    _times(work, label)
    _missing(work)
    _ordinals(work)
    _rare(work)
    _skewed(work)
    if not work.predictors:
        from miningflow.errors import Diagnostic, RunError

        raise RunError(
            Diagnostic(f"no column is left to predict {target.table}.{target.column} from")
        )
    _learn(work, target, label)
    about = f"Predicts {target.column} of {target.table}."
    return replace(draft, steps=tuple(work.steps), about=about, main=concept.name, target=label)


def _own_features(work: Preparation, label: str) -> None:
    for name, finding in work.concept.features.items():
        facts = finding.facts
        unusable = name == label or finding.type in ("key", "time") or finding.given_away
        if unusable or facts is None or facts.known == 0 or facts.is_constant or facts.not_finite:
            continue
        if any("the same values as" in warning for warning in finding.warnings):
            continue
        if finding.type == "numeric":
            work.numeric[name] = finding
        elif not (finding.type == "nominal" and facts.is_nearly_unique):
            work.nominal[name] = finding


def _related(work: Preparation, made: Made) -> None:
    work.add(made.step, made.why, made.body)
    for name, finding in made.features.items():
        if finding is not None and finding.type in ("nominal", "binary"):
            work.nominal[name] = finding
        else:
            work.numeric[name] = finding
    if made.zero:
        work.add(
            f"{made.step}_known",
            "Rows without related rows have NULL here, which means 0.",
            {"operator": "AssignDefaultValue", "for_each": {"target": made.zero}, "default": 0},
        )
    if made.unknown:
        work.add(
            f"{made.step}_filled",
            "Rows without related rows get the median.",
            {"operator": "AssignMedianValue", "for_each": {"target": made.unknown}},
        )


def _times(work: Preparation, label: str) -> None:
    """Turns times into days before the latest one."""
    made: list[dict[str, str]] = []
    for name, finding in work.concept.features.items():
        facts = finding.facts
        if finding.type != "time" or facts is None or facts.is_constant or finding.given_away:
            continue
        if facts.maximum is None:
            continue
        output = work.feature(f"days_since_{snake(name)}")
        latest = str(facts.maximum)[:19]
        made.append(
            {"sql": f"days_between({_quoted(name)}, timestamp '{latest}')", "output": output}
        )
        work.numeric[output] = finding
    if made:
        work.add(
            "dated",
            "A machine reads numbers: how many days a time lies before the latest one.",
            {"operator": "GenericFeatureConstruction", "for_each": made},
        )


def _missing(work: Preparation) -> None:
    def holes(finding: Finding | None) -> int:
        return finding.facts.missing if finding is not None and finding.facts else 0

    many = {
        name: work.feature(f"{name}_missing")
        for name, f in work.numeric.items()
        if f is not None and f.facts and f.facts.missing > MANY_MISSING * f.facts.rows
    }
    if many:
        work.add(
            "gaps_marked",
            "Whether a value is missing may say something itself.",
            {
                "operator": "GenericFeatureConstruction",
                "for_each": [
                    {"sql": f"case when {_quoted(n)} is null then 1 else 0 end", "output": output}
                    for n, output in many.items()
                ],
            },
        )
        work.numeric.update(dict.fromkeys(many.values()))
    numbers = [name for name, finding in work.numeric.items() if holes(finding)]
    if numbers:
        work.add(
            "numbers_known",
            "Missing numbers become the median, which outliers do not move.",
            {"operator": "AssignMedianValue", "for_each": {"target": numbers}},
        )
    nominal = [n for n, f in work.nominal.items() if holes(f) and f.type == "nominal"]
    if nominal:
        work.add(
            "categories_known",
            "A missing category is a category of its own.",
            {
                "operator": "AssignDefaultValue",
                "for_each": {"target": nominal},
                "default": "missing",
            },
        )
    binary = [n for n, f in work.nominal.items() if holes(f) and f.type == "binary"]
    if binary:
        work.add(
            "binary_known",
            "Of two values, the more frequent one stands for a missing one.",
            {"operator": "AssignModalValue", "for_each": {"target": binary}},
        )


def _ordinals(work: Preparation) -> None:
    for name, finding in list(work.nominal.items()):
        facts = finding.facts
        if finding.type != "nominal" or facts is None or facts.missing:
            continue
        order = scale_of([value for value, _ in facts.frequent]) if facts.distinct < 20 else ()
        if order:
            work.add(
                f"{snake(name)}_ordered",
                f"The values of {name} have an order, which numbers keep.",
                {"operator": "OrdinalEncoding", "target": name, "categories": list(order)},
            )
            work.numeric[name] = None
            del work.nominal[name]


def _rare(work: Preparation) -> None:
    rows = work.concept.inspected.facts.rows
    least = max(5, round(0.7 * RARE_SHARE * rows))
    rare = [
        name
        for name, finding in work.nominal.items()
        if finding.type == "nominal" and finding.facts and _has_rare(finding, least)
    ]
    if rare:
        work.add(
            "rare_grouped",
            f"Values with fewer than {least} rows to learn from say little: they are merged.",
            {
                "operator": "GroupingGivenMinCardinality",
                "for_each": {"target": rare},
                "min_cardinality": least,
                "default": "other",
            },
        )


def _has_rare(finding: Finding, least: int) -> bool:
    facts = finding.facts
    assert facts is not None
    if facts.distinct > len(facts.frequent):
        return True
    share = facts.rows / max(1, facts.sampled)
    return any(count * share < 1.5 * least for _, count in facts.frequent)


def _skewed(work: Preparation) -> None:
    skewed = [name for name, finding in work.numeric.items() if finding and _is_skewed(finding)]
    if skewed:
        work.add(
            "evened_out",
            "Many small values and a few large ones: the logarithm shows differences among both.",
            {
                "operator": "GenericFeatureConstruction",
                "for_each": [{"sql": f"ln(1 + {_quoted(n)})", "output": n} for n in skewed],
            },
        )


def _is_skewed(finding: Finding) -> bool:
    facts = finding.facts
    if facts is None or facts.kind != "number" or facts.mean is None or not facts.deviation:
        return False
    if facts.distinct <= 10 or float(str(facts.minimum)) < 0:
        return False
    return (float(str(facts.maximum)) - facts.mean) > 5 * facts.deviation


def _learn(work: Preparation, target: Target, label: str) -> None:
    from miningflow.verbs.start.learning_steps import add_learning

    add_learning(work, target, label)


def _quoted(name: str) -> str:
    """Writes a feature in an expression; a plain name needs no quotes."""
    if name.isascii() and name.isidentifier() and name.islower() and len(name) > 3:
        return name
    return '"' + name.replace('"', '""') + '"'
