"""The names of what runs make: objects of steps, tables of their values, entries of functions."""

from __future__ import annotations

import re
from collections.abc import Collection

_OF_A_STEP = re.compile(r"__\d+$")
_SAME = "~"


def step_object(step: str, run: int) -> str:
    """Names the view or table that a run builds for a source or step."""
    return f"{step}__{run}"


def values_object(owner: str, values: str) -> str:
    """Names the table of some values, such as support vectors, that an object of a run reads.

    The name of the step stands in both; it is written once, since some databases know no long ones.
    """
    step = _OF_A_STEP.sub("", owner)
    return f"{owner}: {_SAME + values.removeprefix(step) if values.startswith(step) else values}"


def values_of(owner: str, object_name: str) -> str | None:
    """Returns the name of the values that an object holds for another, if it does.

    Objects of steps end in the number of a run; so a step may have any name.
    """
    if object_name.startswith(f"{owner}: ") and not _OF_A_STEP.search(object_name):
        values = object_name.removeprefix(f"{owner}: ")
        same = values.startswith(_SAME)
        return _OF_A_STEP.sub("", owner) + values.removeprefix(_SAME) if same else values
    return None


def function_entry(name: str) -> str:
    """Names a function in the trash index, where a view may have the same name."""
    return f"{name}()"


def function_name(entry: str) -> str:
    """Returns the function of an entry of the trash index."""
    return entry.removesuffix("()")


def is_part_of(object_name: str, owners: Collection[str | None]) -> bool:
    """Returns whether an object is one of the owners, or holds values of one."""
    return object_name in owners or any(
        values_of(owner, object_name) is not None for owner in owners if owner
    )
