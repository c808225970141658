"""Cases that select words by how often they stand in rows of several kinds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from miningflow.declare.selection import Selection
from miningflow.project import LoadedCase
from support.small_case import rows, run

N = 300
WORDS = [f"w{i}" for i in range(8)]
TYPES = {"id": "key", **dict.fromkeys(WORDS, "numeric"), "kind": "nominal"}


def word_counts(classes: int = 2, seed: int = 3) -> tuple[npt.NDArray[np.float64], list[str]]:
    """Draws how often words stand in rows; those of the second half say nothing."""
    random = np.random.default_rng(seed)
    kind = random.integers(0, classes, N)
    rates = random.uniform(0.2, 1.5, (classes, len(WORDS)))
    rates[:, 4:] = rates[:1, 4:]  # the second half says nothing
    return random.poisson(rates[kind]).astype(float), [f"k{k}" for k in kind]


def word_table(classes: int = 2, holes: int = 0) -> dict[str, list[Any]]:
    """Makes a table of them; some cells can be NULL."""
    counts, kinds = word_counts(classes)
    columns: dict[str, list[Any]] = {"id": list(range(N)), "kind": list(kinds)}
    for i, word in enumerate(WORDS):
        columns[word] = counts[:, i].tolist()
    for i in range(holes):
        columns[WORDS[i % 8]][i * 5] = None
    return columns


def selecting(operator: str, **more: Any) -> dict[str, Any]:
    """Describes a step that selects words."""
    attributes = ["type:numeric"]
    return {"operator": operator, "input": "T", "target": "kind", "attributes": attributes, **more}


def selected(folder: Path, table: dict[str, list[Any]], step: dict[str, Any]) -> Selection:
    """Runs a case with one selection, and returns what it found."""
    case = run(folder, {"T": rows("id", TYPES, table)}, {"chosen": step})
    return selection_of(case)


def selection_of(case: LoadedCase) -> Selection:
    """Returns what the selection of a case found."""
    return case.selections()["chosen"]
