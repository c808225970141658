"""Warehouses of a real Spark on this machine as stores, and what lies in them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

MASTER = "local[2]"


@dataclass(frozen=True)
class Warehouse:
    """A warehouse folder beside a case, by the address that fills it."""

    folder: Path
    master: str = MASTER

    @property
    def connection(self) -> str:
        """Gives what stands behind `store:` in a connection, with the repository it needs."""
        return f"'{self.master}'\n  repository: sqlite:///repository.db"

    def objects(self) -> set[tuple[str, str]]:
        """Gives schema and name of all tables, views and functions, by what lies in the folder."""
        found: set[tuple[str, str]] = set()
        for schema in self.folder.glob("*.db"):
            listed = schema / "_views.json"
            statements = json.loads(listed.read_text()) if listed.exists() else {}
            names = [p.name for p in schema.iterdir() if p.is_dir()]
            names += [name for made in statements.values() for name in made]
            found |= {(schema.name.removesuffix(".db"), name) for name in names}
        return found
