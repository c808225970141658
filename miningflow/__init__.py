"""MiningFlow: data-mining cases as YAML graphs of operators, compiled to SQL.

    import miningflow
    case = miningflow.load("cases/insurance.yml")
    report = case.run()
    case.table("scored").to_pandas()

Names are loaded when first used, so that `import miningflow.learn` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from miningflow.errors import MiningFlowError
    from miningflow.fitted import to_sql
    from miningflow.project import LoadedCase, load, start
    from miningflow.verbs.check import check
    from miningflow.verbs.operators import operators

__all__ = [
    "LoadedCase",
    "MiningFlowError",
    "__version__",
    "check",
    "load",
    "operators",
    "start",
    "to_sql",
]

__version__ = "0.1.0"

_WHERE = {
    "LoadedCase": "project",
    "check": "verbs.check",
    "load": "project",
    "operators": "verbs.operators",
    "start": "project",
    "MiningFlowError": "errors",
    "to_sql": "fitted",
}


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'miningflow' has no attribute {name!r}")
    return getattr(import_module(f"miningflow.{_WHERE[name]}"), name)
