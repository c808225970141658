"""Each kind of store names its tables for lineage: absolute, stable and without secrets."""

from __future__ import annotations

from pathlib import Path

import pytest

from miningflow.engines.opening import store_kind


@pytest.mark.parametrize(
    ("url", "namespace", "prefix"),
    [
        ("duckdb:///shop.duckdb?threads=2", "duckdb://FOLDER/shop.duckdb", ""),
        ("duckdb:///../shop.duckdb", "duckdb://PARENT/shop.duckdb", ""),
        ("duckdb://", "duckdb:///:memory:", ""),
        ("postgresql://u:secret@db.example/shop", "postgres://db.example:5432", "shop."),
        ("postgresql://u@/shop?host=/tmp&port=5433", "postgres://localhost:5433", "shop."),
        ("postgresql://u@db.example", "postgres://db.example:5432", "u."),
        ("local[*]", "spark://FOLDER/spark-warehouse", ""),
        ("spark://host:7077?warehouse=tables", "spark://FOLDER/tables", ""),
        ("sc://host:443/;use_ssl=true;token=secret", "sc://host:443", ""),
    ],
)
def test_tables_are_named(url: str, namespace: str, prefix: str, tmp_path: Path) -> None:
    folder = tmp_path / "case"
    folder.mkdir()
    wanted = namespace.replace("FOLDER", str(folder)).replace("PARENT", str(tmp_path))
    assert store_kind(url).lineage_names(url, folder) == (wanted, prefix)
