"""A real Spark on this machine, reached through SparkSession.sql alone."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pandas as pd

from miningflow.fitted import FittedScript


def why_absent() -> str:
    """Says what is missing for Spark, or nothing."""
    try:
        import pyspark  # noqa: F401  # only asks whether it is there
    except ImportError:
        return "pyspark is not installed: pip install -e '.[spark]'"
    java = os.environ.get("JAVA_HOME") or shutil.which("java")
    return "" if java else "there is no Java: neither JAVA_HOME nor java on the PATH"


class Spark:
    """A session with two threads; ANSI mode is its default."""

    dialect = "spark"

    def __init__(self, folder: Path) -> None:
        from pyspark.sql import SparkSession

        settings = {
            "spark.ui.enabled": "false",
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.warehouse.dir": str(folder),
            "spark.log.level": "ERROR",
        }
        builder = SparkSession.builder.master("local[2]")
        for name, value in settings.items():
            builder = builder.config(name, value)
        self.session: Any = builder.getOrCreate()

    def close(self) -> None:
        """Ends the session."""
        self.session.stop()

    def run(self, script: FittedScript, frame: pd.DataFrame, table: str) -> pd.DataFrame:
        """Returns the result of a script over a table that holds a frame."""
        name = "`" + table.replace("`", "``") + "`"
        self.load(frame, name)
        try:
            for statement in script.setup:
                self.session.sql(statement)
            found = self.session.sql(script.query)
            rows = [tuple(row) for row in found.collect()]
            for statement in script.teardown:
                self.session.sql(statement)
        finally:
            self.session.sql(f"DROP VIEW {name}")
        assert self.session.sql("SHOW VIEWS").collect() == []
        return pd.DataFrame(rows, columns=found.columns, dtype=object)

    def load(self, frame: pd.DataFrame, name: str) -> None:
        """Makes a view of a frame; None is NULL, and NaN stays NaN in columns of numbers."""
        from pyspark.sql import types

        kinds = {"f": types.DoubleType, "i": types.LongType, "b": types.BooleanType}
        fields, lists = [], []
        for column in frame.columns:
            values = frame[column]
            kind = values.dtype.kind
            texts = kind not in kinds and any(isinstance(value, str) for value in values)
            made = types.StringType if texts else kinds.get(kind, types.DoubleType)
            fields.append(types.StructField(str(column), made(), True))
            lists.append([None if texts and pd.isna(v) else v for v in values.tolist()])
        rows = list(zip(*lists, strict=True))
        given = self.session.createDataFrame(rows, types.StructType(fields))
        given.createOrReplaceTempView(name)
