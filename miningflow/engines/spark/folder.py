"""The catalog of a warehouse folder: Spark itself forgets its tables when a process ends.

    <warehouse>/<schema>.db/<table>/*.parquet    a table, unfinished as long as it has _temporary
    <warehouse>/<schema>.db/_views.json          views and functions: the statements that make them

A table or view is made known to Spark when a statement first names it.
"""

from __future__ import annotations

import json
import re
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow.parquet as pq

from miningflow.checked_folder import checked_folder
from miningflow.engines.files import text
from miningflow.engines.spark.store_kind import SPARK
from miningflow.errors import Diagnostic, EngineError

Run: TypeAlias = Callable[[str], Any]
Statements: TypeAlias = Mapping[str, str]

DEFAULT = SPARK.default_schema
_UNFINISHED = "_temporary"
_LIST = "_views.json"
_SPARK_SCHEMA = b"org.apache.spark.sql.parquet.row.metadata"
_STALE = "?"
_NAMED = re.compile(r"`(\w+)`\.`([^`]+)`")
_CHANGE = re.compile(
    r"\s*(?:--[^\n]*\n\s*)*(?P<verb>CREATE|DROP)\s+(?:OR\s+REPLACE\s+)?"
    r"(?P<kind>SCHEMA|TABLE|VIEW|FUNCTION)\s+(?:IF\s+(?:NOT\s+)?EXISTS\s+)?"
    r"`(?P<schema>\w+)`(?:\.`(?P<name>[^`]+)`)?"
)


@dataclass(frozen=True)
class Listed:
    """The views and functions of a schema, each by the statement that makes it."""

    views: Statements = field(default_factory=dict)
    functions: Statements = field(default_factory=dict)


class FolderCatalog:
    """What lies in a warehouse folder, and how much of it Spark was told."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._told: dict[tuple[str, str, str], str] = {}
        """Kind, schema and name → a stamp that changes with the table, view or function."""
        self._waiting: dict[str, Listed] | None = None
        """Lists that are not to be seen yet."""
        self._guard = threading.RLock()
        self._spark: Any = None

    def begin(self, spark: Any) -> None:
        """Remembers to whom it tells; another Spark knows nothing yet."""
        with self._guard:
            if spark is not self._spark:
                self._spark, self._told = spark, {}

    def schemas(self) -> set[str]:
        """Names the schemas."""
        return {DEFAULT, *(path.name.removesuffix(".db") for path in self.folder.glob("*.db"))}

    def objects(self, schema: str) -> dict[str, str]:
        """Returns the tables and views of a schema, unfinished tables among them."""
        folder = self._folder(schema)
        listed = folder.iterdir() if folder.is_dir() else ()
        found = [p.name for p in listed if p.is_dir() and not p.name.startswith(("_", "."))]
        tables = {name: "table" for name in found if not name.endswith(".db")}
        return {**tables, **dict.fromkeys(self._listed(schema).views, "view")}

    def view_definitions(self, schema: str) -> Statements:
        """Returns the views of a schema: name → the statement that made it."""
        return self._listed(schema).views

    def functions(self, schema: str) -> set[str]:
        """Names the functions of a schema."""
        return set(self._listed(schema).functions)

    def tell(self, sql: str, run: Run) -> None:
        """Makes known to Spark what a statement names, and what that reads in turn."""
        change = _CHANGE.match(sql)
        if change is not None and change["verb"] == "DROP":
            return
        schemas = self.schemas()
        for schema, name in dict.fromkeys(_NAMED.findall(sql)):
            if schema.lower() in schemas:
                with self._guard:
                    self._tell_table(schema.lower(), name.lower(), run)
                    self._tell_function(schema.lower(), name.lower(), run)

    def take(self, sql: str) -> None:
        """Takes over what a statement changed."""
        change = _CHANGE.match(sql)
        if change is None:
            return
        kind, schema = change["kind"].lower(), change["schema"].lower()
        name, made = (change["name"] or "").lower(), change["verb"] == "CREATE"
        with self._guard:
            if kind == "schema":
                self._take_schema(schema, made)
            elif kind == "table":
                if not made:
                    shutil.rmtree(self.place(schema, name), ignore_errors=True)
                self._told["table", schema, name] = self._stamp(schema, name)
            else:
                listed = self._listed(schema)
                old = listed.views if kind == "view" else listed.functions
                new = {n: s for n, s in old.items() if n != name} | ({name: sql} if made else {})
                changed = {"views": new} if kind == "view" else {"functions": new}
                self._list(schema, replace(listed, **changed))
                of = "table" if kind == "view" else kind
                self._told[of, schema, name] = sql if made else ""

    @contextmanager
    def together(self, run: Run) -> Iterator[Run]:
        """Returns a way to run statements: views are seen all at once, then tables are dropped."""
        later: list[str] = []

        def execute(sql: str) -> None:
            change = _CHANGE.match(sql)
            gone = change and change["verb"] == "DROP" and change["kind"] in ("TABLE", "SCHEMA")
            (later.append if gone else run)(sql)

        with self._guard:
            self._waiting = {}
        try:
            yield execute
            with self._guard:
                waiting, self._waiting = self._waiting, None
                for schema, listed in waiting.items():
                    self._list(schema, listed)
        finally:
            with self._guard:
                undone: dict[str, Listed] = self._waiting or {}
                for schema, listed in undone.items():  # Spark was told what is not so
                    self._told |= {("table", schema, name): _STALE for name in listed.views}
                    for name in listed.functions:
                        self._told["function", schema, name] = _STALE
                self._waiting = None
        for sql in later:
            run(sql)

    def place(self, schema: str, name: str) -> Path:
        """Returns the folder of a table."""
        return self._folder(schema) / name

    @contextmanager
    def making(self, schema: str, name: str) -> Iterator[Path]:
        """Returns a folder for the files of a table, which counts when they are whole."""
        place = self.place(schema, name)
        if any(place.glob("*.parquet")):  # of a person, perhaps: nothing is put beside it
            raise EngineError(Diagnostic(f"there is a table {schema}.{name} already"))
        aside = place / _UNFINISHED
        aside.mkdir(parents=True)
        yield aside
        for file in sorted(aside.iterdir()):
            file.replace(place / file.name)
        aside.rmdir()

    def _tell_table(self, schema: str, name: str, run: Run) -> None:
        stamp = self._stamp(schema, name)
        before = self._told.get(("table", schema, name), "")
        if stamp == before:
            return
        self._told["table", schema, name] = stamp
        target = f"`{schema}`.`{name}`"
        _make_schema(schema, run)
        view = self._listed(schema).views.get(name)
        if before:  # another process changed it, or this one did not finish
            with suppress(Exception):
                run(f"DROP VIEW IF EXISTS {target}")
        if view is not None:
            self.tell(view, run)
            with suppress(Exception):  # what it reads may be gone, which its users will see
                run(view)
        elif not stamp:
            with suppress(Exception):
                run(f"DROP TABLE IF EXISTS {target}")
        elif before:
            run(f"REFRESH TABLE {target}")
        else:
            place = self.place(schema, name)
            run(
                f"CREATE TABLE IF NOT EXISTS {target} {_columns(place)}"
                f"USING parquet LOCATION {text(place.as_uri())}"
            )

    def _tell_function(self, schema: str, name: str, run: Run) -> None:
        statement = self._listed(schema).functions.get(name, "")
        if self._told.get(("function", schema, name), "") == statement:
            return
        self._told["function", schema, name] = statement
        _make_schema(schema, run)
        if statement:
            self.tell(statement, run)
            with suppress(Exception):
                run(statement)
        else:
            run(f"DROP FUNCTION IF EXISTS `{schema}`.`{name}`")

    def _stamp(self, schema: str, name: str) -> str:
        """Returns a text that changes with a table or view, and is empty if there is none."""
        view = self._listed(schema).views.get(name)
        if view is not None:
            return view
        place = self.place(schema, name)
        try:
            if (place / _UNFINISHED).exists() or not any(place.glob("*.parquet")):
                return ""
            return str(place.stat().st_mtime_ns)
        except OSError:
            return ""

    def _take_schema(self, schema: str, made: bool) -> None:
        folder = self._folder(schema)
        if made:
            folder.mkdir(parents=True, exist_ok=True)
        else:
            self._told = {mark: s for mark, s in self._told.items() if mark[1] != schema}
            if self._waiting is not None:
                self._waiting.pop(schema, None)
            (folder / _LIST).unlink(missing_ok=True)
            with suppress(OSError):  # gone already, or it holds what is not ours
                folder.rmdir()

    def _folder(self, schema: str) -> Path:
        return self.folder if schema == DEFAULT else self.folder / f"{schema}.db"

    def _listed(self, schema: str) -> Listed:
        if self._waiting is not None and schema in self._waiting:
            return self._waiting[schema]
        try:
            return Listed(**json.loads((self._folder(schema) / _LIST).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):  # none, or not one of ours
            return Listed()

    def _list(self, schema: str, listed: Listed) -> None:
        """Writes the views and functions of a schema, whole or not at all."""
        if self._waiting is not None:
            self._waiting[schema] = listed
            return
        folder = self._folder(schema)
        content = {"views": dict(listed.views), "functions": dict(listed.functions)}
        with checked_folder(folder) as opened:
            opened.write(_LIST, json.dumps(content, ensure_ascii=False, indent=1))


def _make_schema(schema: str, run: Run) -> None:
    if schema != DEFAULT:
        run(f"CREATE SCHEMA IF NOT EXISTS `{schema}`")


def _columns(place: Path) -> str:
    """Writes the columns of a table as Spark noted them; without them it looks itself."""
    from pyspark.sql.types import StructType

    noted = (pq.read_schema(min(place.glob("*.parquet"))).metadata or {}).get(_SPARK_SCHEMA)
    if noted is None:
        return ""
    fields = StructType.fromJson(json.loads(noted)).fields
    quoted = [f"`{f.name.replace('`', '``')}` {f.dataType.simpleString()}" for f in fields]
    return f"({', '.join(quoted)}) "
