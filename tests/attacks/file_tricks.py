"""Links, names and lists of files with which a stranger may try to leave the folder."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from attacks.stranger import ROWS, Stranger
from attacks.user_home import FILES

ODD_NAMES = (
    *("s*.csv", "s[*].csv", "?.csv", "*/rows.csv", "age=99/rows.csv", "{a,b}.csv", "s'.csv"),
    *("**/rows.csv", "[!a].csv", "left=no/age=1/r.csv", "ä .csv"),
)
LINKED = (
    *("target", "target/small", "target/small/compiled", "target/small/export", "exported"),
    *("target/small/export/deep", "exported/small", "exported/small/script", "exported/small/dbt"),
    *("s.duckdb.tmp", "connections", "t"),
)
LINKED_FILES = (
    *("target/small/compiled/scaled.sql", "target/small/compiled/.scaled.sql.part", "s.duckdb"),
    *("target/small/score.sql", "target/small/.score.sql.part", "target/small/export/exports.json"),
    *(
        "target/small/export/.exports.json.part",
        "target/small/export/deep/rows.csv",
        "s.duckdb.wal",
    ),
    *("target/small/export/deep/.rows.csv.part.csv", "target/small/export/deep/tmp_rows.csv"),
    *("exported/small/script/miningflow-export.json", "exported/small/script/README.md"),
    *("exported/small/script/score.sql", "exported/small/dbt/dbt_project.yml", "r.db", "r.db-wal"),
    *("s.duckdb.small.lock", "r.db.small.lock", "r.db-journal", "rows.csv.part", "case.yml.part"),
    *("s.duckdb.lock", "s.duckdb.tmp/duckdb_temp_storage_DEFAULT-0.tmp", "target/.part"),
)


def links(stranger: Stranger) -> None:
    """Links where files are written."""
    rng = stranger.rng
    for _ in range(rng.randint(1, 3)):
        if rng.random() < 0.4:
            name, to = rng.choice(LINKED), stranger.home / rng.choice(("", "work"))
        else:
            name = rng.choice(LINKED_FILES)
            to = stranger.home / rng.choice((*FILES, "made", "work/made", "mine.duckdb"))
        if not any(parent.is_symlink() for parent in (stranger.folder / name).parents):
            stranger.link(name, to)
            stranger.done.append(f"{name} → {to.name}")
            stranger.honest &= name != "s.duckdb"
    if rng.random() < 0.3:
        stranger.store = "duckdb:///s.duckdb\n  repository: sqlite:///r.db"


def linked_rows(stranger: Stranger) -> None:
    """Data that is a link to a file of the user."""
    name = stranger.rng.choice(("people.csv", "people.parquet", "sub/people.csv"))
    to = stranger.home / f"private{Path(name).suffix}"
    if name.startswith("sub") and stranger.rng.random() < 0.5:
        stranger.link("sub", stranger.home)
        name = "sub/private.csv"
    else:
        stranger.link(name, to)
    stranger.source = f"{{file: {name}}}"
    stranger.honest = False
    stranger.done.append(f"{name} is a link")


def odd_names(stranger: Stranger) -> None:
    """Names that are patterns, and folders that look like partitions."""
    rng, folder = stranger.rng, stranger.folder
    name = rng.choice(ODD_NAMES)
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(ROWS)
    stranger.link("sx.csv", stranger.home / "private.csv")
    stranger.link("x/rows.csv", stranger.home / "private.csv")
    (folder / "a.csv").write_text(ROWS.replace(",2", ",9"))
    stranger.source = f"{{file: {json.dumps(name, ensure_ascii=False)}}}"
    stranger.done.append(f"a file called {name}")


def manifest(stranger: Stranger) -> None:
    """A list of exported files that names files of the user, with their hashes."""
    rng = stranger.rng
    name = rng.choice((*FILES, "work/private.csv"))
    mark = hashlib.sha256((stranger.home / name).read_bytes()).hexdigest()
    ways = (
        f"../../../../{name}",
        str(stranger.home / name),
        f"a/../../../../../{name}",
        f"link/{name}",
    )
    listed = rng.choice(ways)
    key = rng.choice(("files", "begun"))
    form = rng.choice(("script", "dbt"))
    marks = {"files": {}, key: {listed: [mark] if key == "begun" else mark}}
    place = f"exported/small/{form}"
    if any(parent.is_symlink() for parent in (stranger.folder / place / "x").parents):
        return
    (stranger.folder / place).mkdir(parents=True, exist_ok=True)
    stranger.link(f"{place}/link", stranger.home)
    path = stranger.folder / place / "miningflow-export.json"
    if not path.is_symlink():
        path.write_text(json.dumps({"case": "small", "to": form, **marks}))
    exports = [{"step": "out", "path": listed, "rows": 1, "fingerprint": mark}]
    stranger.folder.joinpath("target/small").mkdir(parents=True, exist_ok=True)
    known = stranger.folder / "target/small/export/exports.json"
    if not any(each.is_symlink() for each in (known, *known.parents)):
        known.parent.mkdir(parents=True, exist_ok=True)
        known.write_text(
            json.dumps(rng.choice((exports, {"files": exports}, {listed: exports[0]})))
        )
    stranger.done.append(f"{form} manifest: {key} {listed}")


def case_name(stranger: Stranger) -> None:
    """A case whose name is a path."""
    stranger.name = json.dumps(
        stranger.rng.choice(
            ("../../x", "..", "../work", f"{stranger.home}/made", "a/b", "x\x1b[2J", ".")
        )
    )
    stranger.honest = False
    stranger.done.append(f"a case called {stranger.name}")


def export_path(stranger: Stranger) -> None:
    """A file that a step exports to a place outside the folder."""
    stranger.exported_to = stranger.rng.choice(
        (
            "../../../../made.csv",
            f"{stranger.home}/made.csv",
            "a/../../../../../x.csv",
            "..",
            "~/x.csv",
        )
    )
    stranger.done.append(f"exports to {stranger.exported_to}")
