"""Values of rows in a case: read by the type of their feature."""

from __future__ import annotations

import math
from datetime import datetime
from typing import Any

from miningflow.declare.concept import Feature
from miningflow.errors import Diagnostic
from miningflow.nodes import Node, Scalar, kind_of

TIME_HINT = "write it as 2025-12-31 or 2025-12-31 23:59:00"


def typed_value(feature: Feature, node: Node, diagnostics: list[Diagnostic]) -> Any:
    """Returns a number, a time or a text; None is NULL, or a value that was refused."""
    if not isinstance(node, Scalar):
        message = f"the value of {feature.name!r} must be a single value, got {kind_of(node)}"
        diagnostics.append(Diagnostic(message, node.place))
        return None
    if node.kind == "null":
        return None
    try:
        return _value(feature, node)
    except ValueError:
        hint = TIME_HINT if feature.type == "time" else "write a missing value as `null`"
        message = f"{node.text[:40]!r} is not a value of {feature.name!r}, which is {feature.type}"
        diagnostics.append(Diagnostic(message, node.place, hint))
        return None


def _value(feature: Feature, node: Scalar) -> Any:
    if feature.type == "numeric":
        number = float(node.text.replace("_", ""))
        if not math.isfinite(number):
            raise ValueError
        return number
    if feature.type == "time":
        moment = datetime.fromisoformat(node.text)
        if moment.tzinfo is not None:
            raise ValueError
        return moment
    return node.text
