"""The SQL of each database: what it can do, how it spells things, and where it must differ."""

from __future__ import annotations

from miningflow.sql.dialects.bigquery import BIGQUERY
from miningflow.sql.dialects.clickhouse import CLICKHOUSE
from miningflow.sql.dialects.dialect import Dialect, Difference, NotInDialect
from miningflow.sql.dialects.duckdb import DUCKDB, OLDER_DUCKDB
from miningflow.sql.dialects.mysql import MYSQL
from miningflow.sql.dialects.postgres import POSTGRES
from miningflow.sql.dialects.snowflake import SNOWFLAKE
from miningflow.sql.dialects.spark import SPARK
from miningflow.sql.dialects.sqlite import SQLITE
from miningflow.sql.dialects.trino import TRINO
from miningflow.sql.dialects.tsql import TSQL

__all__ = ["DIALECTS", "Dialect", "Difference", "NotInDialect"]

DIALECTS: dict[str, Dialect] = {
    dialect.name: dialect
    for dialect in (
        DUCKDB,
        OLDER_DUCKDB,
        POSTGRES,
        SPARK,
        SQLITE,
        MYSQL,
        CLICKHOUSE,
        BIGQUERY,
        SNOWFLAKE,
        TRINO,
        TSQL,
    )
}
