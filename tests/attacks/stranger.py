"""The folder of a stranger: a small case, and what may be changed in it."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from attacks.user_home import FILES, SECRET

CASE = """\
case: {name}
concepts:
  Person: {{key: id, features: {{id: key, age: numeric, left: binary}}}}
steps:
  scaled: {{operator: LinearScaling, input: Person, target: age, range: [0, 19]}}
  judged: {{operator: SupportVectorMachineForClassification, input: scaled, target: left,
    positive: 'yes', predictors: [age], kernel: linear, C: 1, output: risk}}
  out: {{operator: PrepareForExport, input: judged, path: '{path}'}}
scoring: judged
"""
BLOCK = """\
connect:
  store: {store}
  concepts: {{Person: {source}}}
"""
ROWS = "id,age,left\n" + "".join(f"{i},{20 + i},{'yes' if i > 10 else 'no'}\n" for i in range(20))


@dataclass
class Stranger:
    """The folder of a stranger, and what its case says."""

    folder: Path
    rng: random.Random
    port: int
    name: str = "small"
    store: str = "duckdb:///s.duckdb"
    source: str = "{file: rows.csv}"
    connection: str | None = None
    """The text of connections/default.yml, which takes the place of the block."""
    exported_to: str = "deep/rows.csv"
    done: list[str] = field(default_factory=list)
    honest: bool = True
    """Whether a run that succeeds must give the results of the honest case."""

    @property
    def home(self) -> Path:
        """Returns the folder of the user."""
        return self.folder.parent

    def write(self) -> None:
        """Writes the case and its connection."""
        text = CASE.format(name=self.name, path=self.exported_to)
        if self.connection is None:
            text += BLOCK.format(store=self.store, source=self.source)
        else:
            path = self.folder / "connections" / "default.yml"
            path.parent.mkdir(exist_ok=True)
            if not path.is_symlink():
                path.write_text(self.connection)
        (self.folder / "case.yml").write_text(text)

    def outside(self) -> str:
        """Draws a path to something of the user, relative or absolute."""
        name = self.rng.choice(
            (*FILES, "work/private.csv", "made.db", "made.duckdb", "mine.duckdb")
        )
        ways = (f"../{name}", f"{self.home}/{name}", f"./x/../../{name}", f"..//{name}")
        return self.rng.choice(ways)

    def link(self, name: str, to: Path) -> None:
        """Puts a link into the folder, unless something is there."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() and not path.is_symlink():
            path.symlink_to(to)

    def prepare(self, statements: tuple[str, ...]) -> bool:
        """Runs statements in the store of the stranger, as far as DuckDB lets him."""
        store = self.folder / "s.duckdb"
        if store.is_symlink():
            return False
        with duckdb.connect(str(store)) as connection:
            for statement in statements:
                try:
                    connection.execute(statement)
                except duckdb.Error:
                    return False
        return SECRET.encode() not in store.read_bytes()
