"""Other words for operators and kernels mean the same, so nothing runs again with them."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.command_line import accepted, refused

from miningflow.catalog import installed

SHORT = {
    "AggregateByRelation": "Aggregate",
    "GenericFeatureConstruction": "Compute",
    "AssignAverageValue": "FillMean",
    "FeatureSelectionWithSVM": "SelectSVM",
    "SupportVectorMachineForClassification": "SVM",
    "ComputeSVMError": "Evaluate",
    "kernel: radial": "kernel: rbf",
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("short") / "shop"
    accepted(folder.parent, "init", "shop")
    case = folder / "shop.yml"
    text = case.read_text(encoding="utf-8")
    assert text.count("kernel: linear") == 1
    case.write_text(text.replace("kernel: linear", "kernel: radial"), encoding="utf-8")
    accepted(folder, "run", "shop.yml")
    for word, short in SHORT.items():
        text = case.read_text(encoding="utf-8")
        assert word in text
        case.write_text(text.replace(word, short), encoding="utf-8")
    return folder


def test_nothing_runs_again_with_short_names(shop: Path) -> None:
    assert "0 of 9 stages ran" in accepted(shop, "run", "shop.yml")


def test_what_is_shown_has_the_full_names(shop: Path) -> None:
    planned = accepted(shop, "plan", "shop.yml")
    for word, short in SHORT.items():
        if short in installed().words:
            assert word in planned
            assert f" {short} " not in planned


def test_a_change_of_kernel_runs_again(shop: Path) -> None:
    text = (shop / "shop.yml").read_text(encoding="utf-8")
    (shop / "other.yml").write_text(text.replace("rbf", "poly"), encoding="utf-8")
    assert 'kernel: "radial" → "polynomial"' in accepted(shop, "plan", "other.yml")


@pytest.mark.parametrize(
    ("short", "typed", "hint"),
    [
        ("operator: SVM", "operator: SMV", "did you mean 'SVM'?"),
        ("operator: FillMean", "operator: Impute", "these may do: FillMean, FillConstant"),
        ("kernel: rbf", "kernel: rfb", "did you mean 'rbf'?"),
    ],
)
def test_a_misspelt_word_leads_to_the_short_one(
    shop: Path, short: str, typed: str, hint: str
) -> None:
    text = (shop / "shop.yml").read_text(encoding="utf-8")
    assert text.count(short) == 1
    (shop / "wrong.yml").write_text(text.replace(short, typed), encoding="utf-8")
    said = refused(shop, "check", "wrong.yml")
    assert hint in said
    assert f"wrong.yml:{text[: text.index(short)].count(chr(10)) + 1}:" in said
