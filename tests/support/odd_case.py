"""A case whose names and values mean something to SQL, Jinja, YAML and file systems."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

import miningflow
from miningflow.project import LoadedCase

CASE = Path(__file__).with_suffix(".yml")


def load_odd_case(folder: Path, old: str = "", new: str = "") -> LoadedCase:
    """Writes the case and its data, some words replaced, and runs it."""
    (folder / "100% {{ o }}").mkdir(parents=True)
    text = CASE.read_text(encoding="utf-8")
    (folder / "odd.yml").write_text(text.replace(old, new) if old else text, encoding="utf-8")
    rows = pa.table(
        {
            "The ID": ["a", "b", "c", "007"],
            "Âge": [1.5, None, 30.25, 99.0],
            "a.b": ["a", "b", "{% raw %}", "a"],
            'he said "no"': [1.0, 2.0, 3.0, 4.0],
            "{{ x }}": ["{{ y }}", "it's @x", "plain", "{{ y }}"],
        }
    )
    options = pc.WriteOptions(delimiter=";")
    pc.write_csv(rows, folder / "100% {{ o }}" / "größe's.csv", options)
    many = pa.table({"who": ["a", "a", "007"], "it's": ["x", None, "{{ z }}"]})
    pq.write_table(many, folder / "size {% 1 %}.parquet")
    case = miningflow.load(folder / "odd.yml")
    case.run()
    return case
