"""`_repr_html_` of results: what they hold is there, names and values execute nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support import small_case
from support.parsed_html import ParsedHtml, parsed

import miningflow as mf
from miningflow.html.elements import ATTRIBUTES, TAGS
from miningflow.html.style import STYLE
from miningflow.project import LoadedCase

SCRIPT = "<script>alert(1)</script>"
IMAGE = '"><img src=x onerror=alert(1)>'
STYLED = "</style><b onclick=x>&amp;"
TYPES = {"id": "key", SCRIPT: "numeric", IMAGE: "nominal", "x": "numeric", STYLED: "binary"}
COUNT = 120


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> LoadedCase:
    """Returns a case that ran, whose names and values are markup."""
    columns: dict[str, list[Any]] = {
        "id": [f"k{i}" for i in range(COUNT)],
        SCRIPT: [float(i % 7) for i in range(COUNT)],
        IMAGE: [(SCRIPT, IMAGE, None)[i % 3] for i in range(COUNT)],
        "x": [float(i % 2) + (i % 5) / 10 for i in range(COUNT)],
        STYLED: [(SCRIPT, STYLED)[i % 2] for i in range(COUNT)],
    }
    customers = small_case.rows("id", TYPES, columns, {"share": 0.3, "seed": 1})
    steps: dict[str, Any] = {
        IMAGE: {
            "operator": "AssignModalValue",
            "input": "Customer",
            "target": IMAGE,
            "about": SCRIPT,
        },
        SCRIPT: {
            "operator": "FeatureSelectionByScore",
            "input": IMAGE,
            "target": STYLED,
            "positive": STYLED,
            "attributes": [SCRIPT, "x"],
            "keep": 1,
        },
        "scored": {
            "operator": "SupportVectorMachineForClassification",
            "input": SCRIPT,
            "target": STYLED,
            "positive": STYLED,
            "predictors": [SCRIPT, IMAGE, "x"],
            "kernel": "linear",
            "output": "<i>",
        },
        "quality": {
            "operator": "ComputeSVMError",
            "input": "scored",
            "actual": STYLED,
            "predicted": "<i>_label",
            "positive": STYLED,
            "decision": "<i>",
        },
    }
    folder = tmp_path_factory.mktemp("hostile")
    return small_case.run(folder, {"Customer": customers}, steps)


def page(result: Any) -> ParsedHtml:
    """Parses the page of a result, which must be harmless."""
    html = result._repr_html_()
    found = parsed(html)
    assert not found.unclosed
    assert found.style == STYLE
    assert set(found.tags) - {"style"} <= {tag.lower() for tag in TAGS}
    assert {name for name, _ in found.attributes} <= {name.lower() for name in ATTRIBUTES}
    links = {v for n, v in found.attributes if "//" in v or ("url(" in v and "url(#mf-" not in v)}
    assert links <= {"http://www.w3.org/2000/svg"}
    assert len(html) < 200_000
    return found


def test_the_style_loads_nothing() -> None:
    assert "url(" not in STYLE
    assert "@import" not in STYLE
    assert "<" not in STYLE


@pytest.mark.parametrize(
    "name",
    [
        "case",
        "plan",
        "report",
        "step",
        "explain",
        "compare",
        "features",
        "selection",
        "impact",
        "stats",
        "estimate",
        "test",
        "verify",
        "one",
    ],
)
def test_hostile_names_are_shown_and_execute_nothing(case: LoadedCase, name: str) -> None:
    results: dict[str, Any] = {
        "case": lambda: case,
        "plan": case.plan,
        "report": lambda: case.run(full=True),
        "step": lambda: case.step(SCRIPT),
        "explain": lambda: case.explain("scored"),
        "compare": lambda: case.compare(SCRIPT, ["score", "svm"], folds=2),
        "features": case.features,
        "selection": lambda: case.selections()[SCRIPT],
        "impact": lambda: case.impact(f"Customer.{SCRIPT}"),
        "stats": case.stats,
        "estimate": case.estimate,
        "test": case.test,
        "verify": lambda: case.verify("duckdb://")[0],
        "one": lambda: case.stats("Customer")["Customer"],
    }
    found = page(results[name]())
    if name != "test":  # there are none
        assert SCRIPT in found.text or IMAGE in found.text


def test_a_report_has_stages_deselected_features_and_evaluations(case: LoadedCase) -> None:
    report = case.run(full=True)
    found = page(report)
    for dropped in report.dropped:
        assert dropped.feature in found.text
        assert dropped.reason in found.text
    for row in report.evaluations["quality"]:
        assert f"{row['auc']:.4f}" in found.text
    assert "quality: held out" in found.text
    for warning in report.warnings:
        assert warning.remedy in found.text
    assert repr(report) == "<Report of 'small': 5 of 5 stages ran>"


def test_a_step_has_features_parameters_and_sql(case: LoadedCase) -> None:
    step = case.step(SCRIPT)
    found = page(step)
    statuses = dict(zip(step.to_frame()["feature"], step.to_frame()["status"], strict=True))
    assert list(statuses.values()).count("deselected") == 1
    assert "keep" in found.text
    assert step.sql.startswith("-- step")
    assert step.sql in found.text
    assert step.sql == case.compile(SCRIPT).strip()
    assert case.step(IMAGE).about == SCRIPT


def test_a_step_that_has_not_run_says_so(tmp_path: Path) -> None:
    concept = small_case.rows("id", {"id": "key", "x": "numeric"}, {"id": ["a"], "x": [None]})
    steps = {"filled": {"operator": "AssignAverageValue", "input": "C", "target": "x"}}
    fresh = small_case.load(tmp_path, {"C": concept}, steps)
    found = page(fresh.step("filled"))
    assert "not known yet" in found.text
    assert "has not learned yet" in found.text


def test_a_comparison_has_a_curve_for_each_selector(case: LoadedCase) -> None:
    comparison = case.compare(SCRIPT, ["score", "svm"], folds=2)
    found = page(comparison)
    assert found.tags.count("polyline") == 3  # and the result without features
    assert comparison.advised_step in found.text or "nothing to advise" in found.text


def test_a_large_case_is_listed_instead_of_drawn(tmp_path: Path) -> None:
    concept = small_case.rows("id", {"id": "key", "x": "numeric"}, {"id": ["a"], "x": [1.0]})
    steps: dict[str, Any] = {}
    for i in range(200):
        before = f"s{i - 1}" if i else "C"
        where = {"operator": "RowSelectionByQuery", "input": before, "where": "x > 0"}
        steps[f"s{i}"] = where
    large = small_case.load(tmp_path, {"C": concept}, steps)
    found = page(large)
    assert "svg" not in found.tags
    assert "… 140 more" in found.text


def test_the_graph_in_a_page_does_not_share_its_arrows_with_other_cases(case: LoadedCase) -> None:
    ids = {value for name, value in page(case).attributes if name == "id"}
    assert len(ids) == 1
    used = {value for name, value in page(case).attributes if name == "marker-end"}
    assert used == {f"url(#{ids.pop()})"}


def test_what_is_drafted_exported_and_scored_has_frames_too(
    case: LoadedCase, tmp_path: Path
) -> None:
    started = mf.start({"C": case.table("Customer").to_pandas()}, tmp_path / "drafted")
    found = page(started)
    assert SCRIPT in found.text
    assert list(started.to_frame()["column"]) == list(TYPES)
    written = case.export("script", tmp_path / "exported")
    page(written)
    frame = written.to_frame()
    assert set(frame["file"]) == set(written.files)
    assert set(frame["happened"]) == {"written"}
    scores = case.score(report=True)
    assert len(scores.to_frame()) == scores.rows == COUNT
