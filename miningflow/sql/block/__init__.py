"""Blocks: one SELECT each, built by operators, fused, pruned and printed by the compiler."""

from __future__ import annotations

from miningflow.sql.block.block import Block, Join, Source
from miningflow.sql.block.per_engine import PerEngine, Shapes
from miningflow.sql.block.printing import Naming
from miningflow.sql.block.recursion import Recursion
from miningflow.sql.block.sources import Append, Named, Scan, Values
from miningflow.sql.block.starting import beside, grouped, over, qualified

__all__ = [
    "Append",
    "Block",
    "Join",
    "Named",
    "Naming",
    "PerEngine",
    "Recursion",
    "Scan",
    "Shapes",
    "Source",
    "Values",
    "beside",
    "grouped",
    "over",
    "qualified",
]
