"""`miningflow clean`."""

from __future__ import annotations

from miningflow.cli.failing import failing
from miningflow.cli.options import CaseFile, Connect, Json, Lazy, Wait
from miningflow.cli.output import note, print_json


def clean(
    case: CaseFile,
    connect: Connect = None,
    lazy: Lazy = False,
    wait: Wait = 0.0,
    json: Json = False,
) -> None:
    """Drop what the case made in its store, and what it learned.

    Example: miningflow clean shop.yml
    """
    with failing(json):
        from miningflow.project import load

        dropped = load(case, connect, lazy).clean(wait)
        if json:
            objects = [{"schema": o.schema, "name": o.name, "kind": o.kind} for o in dropped]
            print_json({"dropped": objects})
            return
        for entry in dropped:
            name = entry.schema if entry.kind == "schema" else f"{entry.schema}.{entry.name}"
            note(f"dropped {entry.kind} {name}")
        note(f"{len(dropped)} objects dropped" if dropped else "there was nothing to drop")
