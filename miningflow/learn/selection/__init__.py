"""Feature selectors as scikit-learn estimators, loaded when first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from miningflow.learn.selection.alignment.from_sums import align_from_statistics
    from miningflow.learn.selection.alignment.path import AlignmentPath
    from miningflow.learn.selection.alignment.search import AlignmentStep
    from miningflow.learn.selection.alignment.selector import AlignmentSelector
    from miningflow.learn.selection.genetic import GeneticSelector
    from miningflow.learn.selection.geometry.judges import JudgedSet
    from miningflow.learn.selection.geometry.selector import GeometrySelector
    from miningflow.learn.selection.margin.search import MarginTrial
    from miningflow.learn.selection.margin.selector import MarginBoundSelector
    from miningflow.learn.selection.normals import NormalSelector
    from miningflow.learn.selection.ranking import Ranked
    from miningflow.learn.selection.scores import ScoreSelector
    from miningflow.learn.selection.search.subsets import Trial
    from miningflow.learn.selection.xi_alpha import XiAlphaSelector

__all__ = [
    "AlignmentPath",
    "AlignmentSelector",
    "AlignmentStep",
    "GeneticSelector",
    "GeometrySelector",
    "JudgedSet",
    "MarginBoundSelector",
    "MarginTrial",
    "NormalSelector",
    "Ranked",
    "ScoreSelector",
    "Trial",
    "XiAlphaSelector",
    "align_from_statistics",
]

_MODULES = {
    "AlignmentPath": "alignment.path",
    "AlignmentSelector": "alignment.selector",
    "AlignmentStep": "alignment.search",
    "GeneticSelector": "genetic",
    "GeometrySelector": "geometry.selector",
    "JudgedSet": "geometry.judges",
    "MarginBoundSelector": "margin.selector",
    "MarginTrial": "margin.search",
    "NormalSelector": "normals",
    "Ranked": "ranking",
    "ScoreSelector": "scores",
    "Trial": "search.subsets",
    "XiAlphaSelector": "xi_alpha",
    "align_from_statistics": "alignment.from_sums",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
