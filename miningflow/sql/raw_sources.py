"""Raw sources as SQL trees: files where the engine reads them, and text that becomes values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlglot import exp

from miningflow.names import literal_path
from miningflow.sql.dialect import DIALECTS
from miningflow.sql.fragments.numbers import absolute, floor
from miningflow.sql.literals import column, double, text


def reads_files(dialect: str) -> bool:
    """Returns whether an engine reads data files by itself, in a SELECT."""
    return DIALECTS[dialect].is_duckdb


def csv_table(paths: Iterable[str], columns: Sequence[str], delimiter: str) -> exp.Table:
    """Reads CSV files by the rules of RFC 4180, every column as text."""
    names = [exp.PropertyEQ(this=text(name), expression=text("VARCHAR")) for name in columns]
    options = {
        "auto_detect": exp.false(),
        "columns": exp.Struct(expressions=names),
        "header": exp.true(),
        "delim": text(delimiter),
        "quote": text('"'),
        "escape": text('"'),
    }
    return _reader("READ_CSV", paths, options)


def parquet_table(paths: Iterable[str]) -> exp.Table:
    """Reads Parquet files, columns by name."""
    return _reader("READ_PARQUET", paths, {"union_by_name": exp.true()})


def by_name(tables: Sequence[exp.Table]) -> exp.Expression:
    """Puts tables below each other, whose columns may stand in another order."""
    if len(tables) == 1:
        return tables[0]
    whole: exp.Expression = _all_of(tables[0])
    for table in tables[1:]:
        whole = exp.Union(this=whole, expression=_all_of(table), distinct=False, by_name=True)
    alias = exp.TableAlias(this=exp.to_identifier("files", quoted=True))
    return exp.Subquery(this=whole, alias=alias)


def known_text(name: str) -> exp.Expression:
    """Reads a column of text whose spaces at the ends, and empty values, mean nothing."""
    return exp.Nullif(this=exp.Trim(this=column(name)), expression=text(""))


def number_text(tree: exp.Expression) -> exp.Expression:
    """Writes a number as a category: 1.0 is 1, as the whole number is."""
    is_whole = exp.EQ(this=tree.copy(), expression=floor(tree.copy()))
    is_small = exp.LT(this=absolute(tree.copy()), expression=double(1e16))
    return exp.Case(
        ifs=[
            exp.If(
                this=exp.And(this=is_whole, expression=is_small),
                true=exp.cast(exp.cast(tree.copy(), "bigint"), "text"),
            )
        ],
        default=exp.cast(tree.copy(), "text"),
    )


def in_code_order(tree: exp.Expression, dialect: str) -> exp.Expression:
    """Lets a text be compared by its characters, as every other engine does by default."""
    if dialect != "postgres":
        return tree
    return exp.Collate(this=tree, expression=exp.to_identifier("C", quoted=True))


def row_number() -> exp.Expression:
    """Numbers the rows of a file as they stand there."""
    return exp.Window(this=exp.RowNumber())


def column_definition(name: str, kind: str, numbered: bool, dialect: str) -> exp.ColumnDef:
    """Defines a column of a table that files are loaded into, which may number their rows."""
    made = exp.ColumnDef(this=exp.to_identifier(name, quoted=True), kind=exp.DataType.build(kind))
    if numbered and numbers_rows(dialect):
        identity = exp.GeneratedAsIdentityColumnConstraint(this=False)
        made.set("constraints", [exp.ColumnConstraint(kind=identity)])
    return made


def numbers_rows(dialect: str) -> bool:
    """Returns whether a table can number rows as they are loaded, in their order."""
    return dialect == "postgres"


def _reader(function: str, paths: Iterable[str], options: dict[str, exp.Expression]) -> exp.Table:
    options = {**options, "hive_partitioning": exp.false()}  # a folder called `v=1` is no column
    given = [exp.EQ(this=exp.Var(this=name), expression=value) for name, value in options.items()]
    files = exp.Array(expressions=[text(literal_path(path)) for path in paths])
    return exp.Table(this=exp.Anonymous(this=function, expressions=[files, *given]))


def _all_of(table: exp.Table) -> exp.Select:
    return exp.Select(expressions=[exp.Star()], from_=exp.From(this=table))
