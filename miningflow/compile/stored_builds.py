"""What a store knows of earlier builds of a case, as plain data: compiling opens no store."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from miningflow.plan import Built
from miningflow.resolve import BoundStep

LoadArtifact: TypeAlias = Callable[[BoundStep, Built], Any]


def _load_nothing(step: BoundStep, build: Built) -> Any:
    return None


@dataclass(frozen=True)
class StoredBuilds:
    """The builds of a case, oldest first, and a way to load what a step learned in one."""

    builds: tuple[Built, ...] = ()
    load: LoadArtifact = _load_nothing

    @cached_property
    def published(self) -> Mapping[str, Built]:
        """Returns the published build of each source and step that has one."""
        return {build.step: build for build in self.builds if build.published}

    def lineage(self, step: str) -> dict[str, Built]:
        """Returns the published build of a step, and the builds that it was made from."""
        index = {(b.step, b.fingerprint): b for b in self.builds}
        found: dict[str, Built] = {}
        waiting = [self.published[step]] if step in self.published else []
        while waiting:
            build = waiting.pop()
            found[build.step] = build
            inputs = build.recipe.inputs.items()
            waiting += [index[m] for m in inputs if m in index and m[0] not in found]
        return found

    def artifact(self, step: BoundStep) -> Any:
        """Loads what a step learned in its published build, if it has one."""
        build = self.published.get(step.name)
        return None if build is None else self.load(step, build)
