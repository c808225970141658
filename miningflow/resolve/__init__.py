"""Phase 2, resolve: Case → BoundCase. Operators found, parameters checked, concepts derived."""

from miningflow.declare.presence import Deselection, Presence
from miningflow.resolve.bound import BoundCase, BoundStep
from miningflow.resolve.resolver import resolve_case

__all__ = ["BoundCase", "BoundStep", "Deselection", "Presence", "resolve_case"]
