"""Feature selectors as scikit-learn estimators, loaded when first asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from miningflow.learn.selection.alignment import AlignmentSelector
    from miningflow.learn.selection.alignment_path import AlignmentPath
    from miningflow.learn.selection.alignment_search import AlignmentStep
    from miningflow.learn.selection.alignment_statistics import align_from_statistics
    from miningflow.learn.selection.genetic import GeneticSelector
    from miningflow.learn.selection.geometry import GeometrySelector
    from miningflow.learn.selection.geometry_judges import JudgedSet
    from miningflow.learn.selection.margin import MarginBoundSelector
    from miningflow.learn.selection.margin_search import MarginTrial
    from miningflow.learn.selection.normals import NormalSelector
    from miningflow.learn.selection.ranking import Ranked
    from miningflow.learn.selection.scores import ScoreSelector
    from miningflow.learn.selection.search import Trial
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
    "AlignmentPath": "alignment_path",
    "AlignmentSelector": "alignment",
    "AlignmentStep": "alignment_search",
    "GeneticSelector": "genetic",
    "GeometrySelector": "geometry",
    "JudgedSet": "geometry_judges",
    "MarginBoundSelector": "margin",
    "MarginTrial": "margin_search",
    "NormalSelector": "normals",
    "Ranked": "ranking",
    "ScoreSelector": "scores",
    "Trial": "search",
    "XiAlphaSelector": "xi_alpha",
    "align_from_statistics": "alignment_statistics",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
