"""Which published builds are still what the case says; their data may have changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from miningflow.compile.missing import Missing, Verb
from miningflow.compile.stored_builds import StoredBuilds
from miningflow.declare.concept import Concept
from miningflow.declare.selection import Selection
from miningflow.plan import Built
from miningflow.resolve import BoundCase, BoundStep


@dataclass(frozen=True)
class PublishedBuilds:
    """The published builds of a case that are still what the case says."""

    fingerprints: Mapping[str, str]
    """Source or step → the fingerprint of its build."""
    changed: Mapping[str, Missing]
    """Source or step → why it has no such build."""


def published_builds(bound: BoundCase, stored: StoredBuilds) -> PublishedBuilds:
    """Returns which published results belong to the case as it is now."""
    return compare_builds(bound, stored.published, "ran")


def published_selections(bound: BoundCase, stored: StoredBuilds) -> dict[str, Any]:
    """Returns what the selecting steps of a case found when they last ran, maybe per segment."""
    found: dict[str, Any] = {}
    for step in bound.steps.values():
        is_same = changed_since(step, stored.published.get(step.name)) is None
        if step.operator.learns is Selection and is_same:
            artifact = stored.artifact(step)
            if artifact is not None:
                found[step.name] = artifact
    return found


def compare_builds(bound: BoundCase, builds: Mapping[str, Built], verb: Verb) -> PublishedBuilds:
    """Compares one build of each source and step with the case as it is now."""
    fingerprints: dict[str, str] = {}
    changed: dict[str, Missing] = {}
    for name, concept in bound.sources.items():
        build = builds.get(name)
        if build is None:
            changed[name] = Missing("never built", verb=verb)
        elif _same_features(concept, build):
            fingerprints[name] = build.fingerprint
        else:
            changed[name] = Missing("changed", verb="ran")
    for step in bound.steps.values():
        build = builds.get(step.name)
        why = changed_since(step, build, verb) or _changed_before(build, fingerprints, verb)
        if why is not None or build is None:
            changed[step.name] = why or Missing("never built", verb=verb)
        else:
            fingerprints[step.name] = build.fingerprint
    return PublishedBuilds(fingerprints, changed)


def changed_since(step: BoundStep, build: Built | None, verb: Verb = "learned") -> Missing | None:
    """Returns in what way a step is not the one that was built; None if it is."""
    if build is None:
        return Missing("never built", verb=verb)
    recipe = build.recipe
    if recipe.operator != type(step.operator).__name__ or recipe.parameters != step.parameters:
        return Missing("changed", verb=verb)
    if recipe.version != step.operator.revision(step.learn_on is not None):
        return Missing("operator changed", verb=verb)
    return None


def _changed_before(
    build: Built | None, fingerprints: Mapping[str, str], verb: Verb
) -> Missing | None:
    """Returns which input of a step is not the one that it was built from."""
    for name, fingerprint in build.recipe.inputs.items() if build else ():
        if fingerprints.get(name) != fingerprint:
            return Missing("input changed", (name,), verb)
    return None


def _same_features(concept: Concept, build: Built) -> bool:
    types = {f.name: f.type for f in concept.features.values()}
    return bool(build.recipe.parameters["features"] == types)
