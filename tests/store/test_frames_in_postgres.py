"""Frames as sources on a PostgreSQL store: their rows arrive by COPY, as those of files do."""

from __future__ import annotations

from pathlib import Path

from support.compared_stores import assert_equal
from support.framed_case import SHOWN, frames, load, orders, people
from support.postgres_stores import Database
from support.stores import ran

import miningflow


def test_frames_give_the_same_on_postgresql(tmp_path: Path, database: Database) -> None:
    here = load(tmp_path)
    here.run(target=tmp_path / "here", sources=frames())
    (tmp_path / "server.yml").write_text(f"store: {database.url}\nconcepts: {{}}\n")
    there = miningflow.load(tmp_path / "case.yml", connect=tmp_path / "server.yml")
    first = there.run(target=tmp_path / "there", sources=frames())
    for name in SHOWN:
        assert_equal(there.table(name), here.table(name), name)
    assert_equal(there.score(), here.score(), "scores")
    assert database.objects("framed") >= {("framed_built", f"Person__{first.run}")}
    assert there.run(target=tmp_path / "there").run is None
    changed = people().assign(code=3)
    codes = there.stats("Person", sources={"Person": changed})["Person"].of("code")
    assert codes is not None and codes.top == (("3", 80),)
    again = there.run(target=tmp_path / "there", sources={"Order": orders(140)})
    assert ran(again)[0] == "Order"
    assert again.stages[1].rows == 140
    assert there.lineage()[1]["inputs"] == [{"namespace": "frame", "name": "framed.Order"}]
