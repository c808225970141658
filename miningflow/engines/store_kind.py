"""A kind of store: which addresses belong to it, and what they say before it is opened."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from miningflow.engines.engine import Engine
from miningflow.engines.file_access import FileAccess

Location: TypeAlias = Path | Literal["memory", "server"]
"""Where a store is: a file or folder, the memory of this process, or a server."""


class OpenEngine(Protocol):
    """Opens a store; a relative path in its address starts from the folder."""

    def __call__(
        self, url: str, folder: Path, wait: float, read_only: bool, access: FileAccess
    ) -> Engine:
        """Opens the store at an address; `access` is what it may reach if it is in this process."""
        ...


@dataclass(frozen=True)
class StoreKind:
    """A kind of database that a case can run on."""

    addresses: re.Pattern[str]
    """What its addresses start with."""
    examples: str
    dialect: str
    default_schema: str
    """Where a table is that is named without a schema."""
    open: OpenEngine
    """Imports the driver no sooner than it is called."""
    location: Callable[[str, Path], Location]
    lineage_names: Callable[[str, Path], tuple[str, str]]
    """Returns the namespace of its tables in OpenLineage, and what their names start with."""
    stays_in_folder: bool = False
    """Whether it is a file of this process alone, which a case may name by itself."""
    shown: Callable[[str], str] = str
    """Returns an address without what may be secret."""
