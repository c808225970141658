"""Loads a case whose own `connect:` block names a server, as a user does who trusts it."""

from __future__ import annotations

from pathlib import Path

import miningflow
from miningflow.project import LoadedCase


def load_trusted(path: Path) -> LoadedCase:
    """Loads a case, and vouches for what its own block names."""
    return miningflow.load(path, connect=path)
