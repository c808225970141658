"""Feature selectors as scikit-learn estimators, loaded when first asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from miningflow.learn.selection.search import Trial
    from miningflow.learn.selection.xi_alpha import XiAlphaSelector

__all__ = ["Trial", "XiAlphaSelector"]

_MODULES = {"Trial": "search", "XiAlphaSelector": "xi_alpha"}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
