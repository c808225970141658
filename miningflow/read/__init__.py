"""Phase 1, read: YAML → Case, every node with file, line and column. Nothing is looked up."""

from miningflow.nodes import Fields, Items, Node, Scalar
from miningflow.read.case import (
    Case,
    ConceptText,
    ConnectionText,
    RelationText,
    SourceText,
    StepText,
)
from miningflow.read.connections import (
    NO_TEXTS,
    find_connection,
    named_connection,
    read_connection,
)
from miningflow.read.reader import read_case

__all__ = [
    "NO_TEXTS",
    "Case",
    "ConceptText",
    "ConnectionText",
    "Fields",
    "Items",
    "Node",
    "RelationText",
    "Scalar",
    "SourceText",
    "StepText",
    "find_connection",
    "named_connection",
    "read_case",
    "read_connection",
]
