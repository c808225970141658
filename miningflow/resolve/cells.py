"""Values of rows in a case: read by the type of their feature."""

from __future__ import annotations

import math
from datetime import datetime
from typing import Any

from miningflow.declare.concept import Feature
from miningflow.errors import Mistake
from miningflow.read.nodes import Node, Scalar, kind_of

TIME_HINT = "write it as 2025-12-31 or 2025-12-31 23:59:00"


def read_cell(feature: Feature, node: Node, mistakes: list[Mistake]) -> Any:
    """Gives a number, a time or a text; None is NULL, and also what was noted as a mistake."""
    if not isinstance(node, Scalar):
        message = f"the value of {feature.name!r} must be a single one, and is {kind_of(node)}"
        mistakes.append(Mistake(message, node.place))
        return None
    if node.kind == "null":
        return None
    try:
        return _value(feature, node)
    except ValueError:
        hint = TIME_HINT if feature.type == "time" else "nothing known is `null`"
        message = f"{node.text[:40]!r} is no value of {feature.name!r}, which is {feature.type}"
        mistakes.append(Mistake(message, node.place, hint))
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
