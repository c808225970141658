"""Names of what a case makes, as the catalog of an engine can hold them."""

from __future__ import annotations

import hashlib
import re
import unicodedata

from sqlglot import exp

from miningflow.sql.dialects import DIALECTS

_OURS = "made by a case"
_PLAIN = re.compile(r"[A-Za-z0-9_]{1,120}")


def ours(table: exp.Table) -> exp.Table:
    """Marks a table that a case makes, so that it is printed under the name it is stored by."""
    table.meta[_OURS] = True
    return table


def stored_name(name: str, dialect: str) -> str:
    """Returns the name by which a schema, table, view or function is stored.

    Spark allows only letters, digits and _, and ignores case. Any other name keeps those of
    its characters, and gets a suffix that makes it unique.
    """
    if not DIALECTS[dialect].plain_names:
        return name
    if _PLAIN.fullmatch(name):
        return name.lower()
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    mark = hashlib.blake2b(name.encode(), digest_size=4).hexdigest()
    return "_".join([*re.findall(r"[a-z0-9]+", plain[:60]), mark])


def stored_tables(tree: exp.Expression, dialect: str) -> None:
    """Returns the tables of a tree that a case makes the names by which they are stored."""
    for table in tree.find_all(exp.Table):
        if table.meta.get(_OURS):
            for part in table.parts:
                if not _PLAIN.fullmatch(part.name):
                    part.set("this", stored_name(part.name, dialect))
