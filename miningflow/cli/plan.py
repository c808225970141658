"""`miningflow plan`."""

from __future__ import annotations

from miningflow.cli.assignments import assignments
from miningflow.cli.failing import failing
from miningflow.cli.options import CaseFile, Connect, From, Full, Json, Lazy, Select, Sources, To
from miningflow.cli.output import echo, print_json, table
from miningflow.cli.tables import print_table


def plan(
    case: CaseFile,
    connect: Connect = None,
    select: Select = None,
    from_step: From = None,
    to_step: To = None,
    full: Full = False,
    sources: Sources = None,
    lazy: Lazy = False,
    json: Json = False,
) -> None:
    """Print what a run would do, and why. Changes nothing.

    Example: miningflow plan shop.yml --from relevant
    """
    with failing(json):
        from miningflow.cli.stage_groups import stage_groups
        from miningflow.project import load

        loaded = load(case, connect, lazy)
        given = assignments(sources, "--source")
        planned = loaded.plan(select or (), from_step, to_step, full, given)
        if json:
            stages = [stage.as_json() for stage in planned.stages]
            print_json({"case": planned.case, "stages": stages})
            return
        shown = table("", "stage", "operator", "as", "why")
        for group in stage_groups(loaded.bound, planned.stages):
            mark = {"run": "run", "reuse": "–", "skip": "skip"}[group.action]
            learns = " (learns)" if group.last.learns else ""
            operator, builds = group.last.operator + learns, group.last.builds
            shown.add_row(mark, group.name, operator, builds, group.reason)
        print_table(shown)
        echo(f"{len(planned.running)} of {len(planned.stages)} stages would run")
