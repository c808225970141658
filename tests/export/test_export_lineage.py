"""OpenLineage events of a run: what was read, what was made, column by column."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.tool_environments import environment, run

import miningflow
from miningflow.project import LoadedCase

STEPS = """
with_claims:
  operator: AggregateByRelation
  input: Customer
  relation: claims_of
  aggregates: {claim_total: sum(amount), claim_count: count()}
filled: {operator: AssignAverageValue, input: with_claims, target: income}
scaled: {operator: LinearScaling, input: filled, target: income, output: income_scaled}
fewer:
  operator: FeatureSelectionByAttributes
  input: scaled
  drop: [income, household]
grown:
  operator: RowSelectionByQuery
  input: fewer
  where: age > 18
"""


@pytest.fixture
def case(load_case: Callable[..., LoadedCase]) -> LoadedCase:
    loaded = load_case(STEPS)
    loaded.run()
    return loaded


def events(case: LoadedCase) -> dict[str, dict[str, Any]]:
    return {e["job"]["name"]: e for e in case.lineage()}


def fields(event: dict[str, Any]) -> dict[str, list[tuple[str, str, str]]]:
    facet = event["outputs"][0]["facets"]["columnLineage"]
    return {
        name: [
            (f["name"], f["field"], f"{t['type']} {t['subtype']}")
            for f in field["inputFields"]
            for t in f["transformations"]
        ]
        for name, field in {**facet["fields"], "*": {"inputFields": facet["dataset"]}}.items()
    }


def test_what_is_fused_is_followed_to_what_was_read(case: LoadedCase) -> None:
    found = fields(events(case)["example.scaled"])
    before = "example_results.with_claims"
    assert found["income_scaled"] == [(before, "income", "DIRECT TRANSFORMATION")]
    assert found["income"] == [(before, "income", "DIRECT TRANSFORMATION")]
    assert found["age"] == [(before, "age", "DIRECT IDENTITY")]
    assert found["*"] == []


def test_aggregates_and_joins(case: LoadedCase) -> None:
    event = events(case)["example.with_claims"]
    found = fields(event)
    claim = "example_results.Claim"
    assert found["claim_total"] == [(claim, "amount", "DIRECT AGGREGATION")]
    assert "claim_count" not in found  # it counts rows, and no column
    assert found["*"] == [
        (claim, "customer_id", "INDIRECT GROUP_BY"),
        (claim, "customer_id", "INDIRECT JOIN"),
        ("example_results.Customer", "customer_id", "INDIRECT JOIN"),
    ]
    assert [i["name"] for i in event["inputs"]] == ["example_results.Customer", claim]


def test_deselected_features_have_no_column(case: LoadedCase) -> None:
    event = events(case)["example.grown"]
    facets = event["outputs"][0]["facets"]
    names = [f["name"] for f in facets["schema"]["fields"]]
    assert not {"income", "household"} & (set(names) | set(fields(event)))
    assert "income_scaled" in names
    assert "Deselected in step fewer" in facets["documentation"]["description"]
    assert fields(event)["*"] == [("example_results.fewer", "age", "INDIRECT FILTER")]


def test_sources_name_their_files(case: LoadedCase) -> None:
    event = events(case)["example.Customer"]
    file = str(case.path.parent / "Customer.parquet")
    assert event["inputs"] == [{"namespace": "file", "name": file}]
    found = fields(event)
    assert found["customer_id"] == [(file, "customer_id", "DIRECT IDENTITY")]
    assert found["age"] == [(file, "age", "DIRECT TRANSFORMATION")]


def test_the_same_run_gives_the_same_events(case: LoadedCase) -> None:
    first = case.lineage()
    assert case.lineage() == first
    case.run(full=True)
    again = case.lineage()
    assert {e["run"]["runId"] for e in again}.isdisjoint(e["run"]["runId"] for e in first)
    assert all(e["outputs"][0]["outputFacets"]["outputStatistics"]["rowCount"] for e in again)


def test_all_that_is_named_exists(case: LoadedCase) -> None:
    """Every column that an event names is one of the dataset that another event made."""
    made = {e["outputs"][0]["name"]: e["outputs"][0] for e in case.lineage()}
    for event in case.lineage():
        if event["inputs"][0]["namespace"] == "file":
            continue
        assert {i["name"] for i in event["inputs"]} <= set(made)
        for uses in fields(event).values():
            for dataset, column, _ in uses:
                names = [f["name"] for f in made[dataset]["facets"]["schema"]["fields"]]
                assert column in names


VALIDATE = """
import importlib, json, pkgutil, sys
import openlineage.client.generated as generated
from openlineage.client.event_v2 import RunEvent
classes = {}
for found in pkgutil.iter_modules(generated.__path__):
    module = importlib.import_module(f"{generated.__name__}.{found.name}")
    for thing in vars(module).values():
        if hasattr(thing, "_get_schema"):
            classes[thing._get_schema()] = thing

def check(facets):
    for facet in facets.values():
        cls = classes[facet["_schemaURL"]]
        content = {k: v for k, v in facet.items() if not k.startswith("_")}
        cls(**content, producer=facet["_producer"])
        checked.add(cls.__name__)

checked = set()
for line in open(sys.argv[1], encoding="utf-8"):
    event = json.loads(line)
    check(event["run"]["facets"])
    check(event["job"]["facets"])
    for output in event["outputs"]:
        check(output["facets"])
        check(output["outputFacets"])
    assert event["schemaURL"] == RunEvent._get_schema()
    base = importlib.import_module("openlineage.client.generated.base")
    RunEvent(
        eventTime=event["eventTime"], producer=event["producer"],
        run=base.Run(runId=event["run"]["runId"]),
        job=base.Job(**{k: event["job"][k] for k in ("namespace", "name")}),
        eventType=base.EventType(event["eventType"]),
        inputs=[base.InputDataset(**i) for i in event["inputs"]],
        outputs=[base.OutputDataset(o["namespace"], o["name"]) for o in event["outputs"]],
    )
print(*sorted(checked))
"""


@pytest.mark.slow
def test_openlineage_takes_the_events(
    case: LoadedCase, pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    programs = environment(pytestconfig, "openlineage", ["openlineage-python>=1.54,<2"])
    file = tmp_path / "events.jsonl"
    lines = [json.dumps(event) for event in case.lineage()]
    file.write_text("\n".join(lines), encoding="utf-8")
    said = run([programs / "python", "-c", VALIDATE, file], tmp_path)
    assert "ColumnLineageDatasetFacet" in said
    assert len(said.split()) == 8


def test_nothing_ran_yet(load_case: Callable[..., LoadedCase]) -> None:
    with pytest.raises(miningflow.MiningFlowError, match="has not run yet"):
        load_case(STEPS).lineage()


def test_a_source_that_broke_after_the_run_is_named_with_its_place(case: LoadedCase) -> None:
    (case.path.parent / "Claim.parquet").write_text("cut off")
    with pytest.raises(miningflow.MiningFlowError, match="is not a Parquet file") as told:
        case.lineage()
    assert [d.place is not None for d in told.value.diagnostics] == [True]
