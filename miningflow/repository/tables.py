"""The tables of the repository, after MiningMart's M4: conceptual level, relational level, runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

SCHEMA = "miningflow"
FORMAT = 1


class _StoredBytes(sa.LargeBinary):
    """Returns what is stored, bytes or not: who reads it refuses what others put there."""

    def result_processor(self, dialect: sa.Dialect, coltype: object) -> None:
        return None


@dataclass(frozen=True)
class Tables:
    """The repository's tables in one schema (None where a database has no schemas)."""

    metadata: sa.MetaData
    about: sa.Table
    runs: sa.Table
    builds: sa.Table
    artifacts: sa.Table
    parity: sa.Table
    statistics: sa.Table
    functions: sa.Table
    objects: sa.Table
    cases: sa.Table
    concepts: sa.Table
    features: sa.Table
    column_sets: sa.Table
    columns: sa.Table
    deselections: sa.Table
    file_versions: sa.Table


def tables(schema: str | None) -> Tables:
    """Declares the tables."""
    metadata = sa.MetaData(schema=schema)

    def table(name: str, *columns: sa.Column[Any]) -> sa.Table:
        return sa.Table(name, metadata, *columns)

    def text(name: str, key: bool = False) -> sa.Column[str]:
        return sa.Column(name, sa.Text, primary_key=key, nullable=not key)

    def whole(name: str, key: bool = False) -> sa.Column[int]:
        return sa.Column(
            name, sa.BigInteger, primary_key=key, autoincrement=False, nullable=not key
        )

    return Tables(
        metadata,
        about=table("about", text("name", key=True), text("value")),
        runs=table(
            "runs",
            whole("run", key=True),
            text("case_name"),
            sa.Column("started", sa.DateTime),
            sa.Column("ended", sa.DateTime),
            text("status"),
            text("message"),
            text("program"),
        ),
        builds=table(
            "builds",
            text("case_name", key=True),
            text("step", key=True),
            text("fingerprint", key=True),
            whole("run", key=True),
            text("recipe"),
            text("status"),
            text("object_name"),
            whole("row_count"),
            sa.Column("seconds", sa.Float),
            text("notes"),
        ),
        artifacts=table(
            "artifacts",
            text("case_name", key=True),
            text("step", key=True),
            text("fingerprint", key=True),
            whole("run", key=True),
            text("kind"),
            text("content"),
            sa.Column("arrays", _StoredBytes),
        ),
        parity=table(
            "parity",
            text("case_name", key=True),
            text("step", key=True),
            text("fingerprint", key=True),
            whole("run", key=True),
            whole("compared_rows"),
            sa.Column("largest_difference", sa.Float),
            whole("labels"),
            whole("labels_too_close"),
        ),
        statistics=table(
            "statistics",
            text("case_name", key=True),
            text("step", key=True),
            text("fingerprint", key=True),
            text("part", key=True),
            whole("row_count"),
            text("content"),
            sa.Column("computed", sa.DateTime),
        ),
        functions=table(
            "functions",
            text("case_name", key=True),
            text("concept", key=True),
            text("function_name", key=True),
            text("schema_name"),
            text("feature"),
            text("parameters"),
            text("definition"),
        ),
        objects=table(
            "objects",
            text("case_name", key=True),
            text("schema_name", key=True),
            text("object_name", key=True),
            text("kind"),
            whole("run"),
        ),
        cases=table(
            "cases", text("case_name", key=True), text("path"), text("about"), whole("run")
        ),
        concepts=table(
            "concepts",
            text("case_name", key=True),
            text("concept", key=True),
            text("made_by"),
            text("key_feature"),
            text("parameters"),
        ),
        features=table(
            "features",
            text("case_name", key=True),
            text("concept", key=True),
            text("feature", key=True),
            text("type"),
            whole("position"),
        ),
        column_sets=table(
            "column_sets",
            text("case_name", key=True),
            text("concept", key=True),
            text("schema_name"),
            text("object_name"),
            text("kind"),
        ),
        columns=table(
            "columns",
            text("case_name", key=True),
            text("concept", key=True),
            text("feature", key=True),
            text("column_name"),
            text("sql_type"),
        ),
        deselections=table(
            "deselections",
            text("case_name", key=True),
            text("concept", key=True),
            text("feature", key=True),
            text("by_step"),
            text("reason"),
        ),
        file_versions=table(
            "file_versions",
            text("location", key=True),
            text("stamp"),
            text("content_hash"),
        ),
    )
