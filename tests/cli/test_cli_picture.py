"""`show --svg`: every concept and step once, in boxes that do not overlap, read downwards."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from conftest import WriteCase
from support.command_line import accepted, miningflow

ROOT = Path(__file__).parents[2]
CASES = sorted((ROOT / "cases").glob("*.yml"))
SVG = "{http://www.w3.org/2000/svg}"

Box = tuple[float, float, float, float]


def drawn(path: Path, folder: Path) -> ElementTree.Element:
    said = accepted(folder, "show", path, "--svg", "case.svg")
    assert said == "wrote case.svg\n"
    return ElementTree.fromstring((folder / "case.svg").read_text(encoding="utf-8"))


def boxes(picture: ElementTree.Element) -> list[Box]:
    found = [r for r in picture.iter(f"{SVG}rect") if r.get("stroke")]
    return [
        (float(r.get("x", 0)), float(r.get("y", 0)), float(r.get("width", 0)),
         float(r.get("height", 0)))
        for r in found
    ]  # fmt: skip


def words(picture: ElementTree.Element) -> list[str]:
    """Returns the names of boxes, and of the steps within chains."""
    texts = [t for t in picture.iter(f"{SVG}text") if t.get("font-weight")]
    steps = picture.iter(f"{SVG}tspan")
    return [str(t.text) for t in [*texts, *steps]]


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_boxes_do_not_overlap_and_edges_lead_down(path: Path, tmp_path: Path) -> None:
    picture = drawn(path, tmp_path)
    found = boxes(picture)
    width, height = float(picture.get("width", 0)), float(picture.get("height", 0))
    for i, (x, y, w, h) in enumerate(found):
        assert x >= 0 and x + w <= width and y >= 0 and y + h <= height
        for x2, y2, w2, h2 in found[i + 1 :]:
            assert x + w < x2 or x2 + w2 < x or y + h < y2 or y2 + h2 < y
    edges = [p.get("d", "") for p in picture.iter(f"{SVG}path") if p.get("marker-end")]
    assert edges
    for edge in edges:
        numbers = [float(n) for n in re.findall(r"-?[\d.]+", edge)]
        heights = numbers[1::2]
        assert heights == sorted(heights)
        # both ends touch a box
        for x, y in (numbers[:2], numbers[-2:]):
            assert any(
                bx < x < bx + w and min(abs(y - by), abs(y - by - h)) < 0.1
                for bx, by, w, h in found
            )


def test_everything_is_there_once(tmp_path: Path) -> None:
    names = words(drawn(ROOT / "cases" / "telecom.yml", tmp_path))
    for name in ("Customer", "Call", "called", "minutes_by_month", "profile", "scored", "quality"):
        assert names.count(name) == 1
    assert not [name for name in names if "[" in name]  # turns of a loop are not shown


def test_the_picture_is_always_the_same(tmp_path: Path) -> None:
    path = ROOT / "cases" / "telecom.yml"
    drawn(path, tmp_path)
    first = (tmp_path / "case.svg").read_bytes()
    drawn(path, tmp_path)
    assert (tmp_path / "case.svg").read_bytes() == first


STEPS = """
'a "<b>" & c':
  chain:
    first: {operator: AssignAverageValue, input: Customer, target: income}
    aside: {operator: RowSelectionByQuery, input: first, where: age > 3}
    last: {operator: JoinByKey, concepts: [first, outside], rename: RENAME}
outside: {operator: RowSelectionByQuery, input: aside, where: age > 4}
""".replace("RENAME", "{" + ", ".join(
    f"outside.{f}: {f}_2" for f in ("age", "income", "household", "region", "since", "lapsed")
) + "}")  # fmt: skip


def test_a_chain_that_is_left_and_entered_again_is_drawn_step_by_step(
    write_case: WriteCase,
) -> None:
    path = write_case(STEPS)
    names = words(drawn(path, path.parent))
    assert sorted(names[-4:]) == ["aside", "first", "last", "outside"]
    assert len(boxes(drawn(path, path.parent))) == 9


def test_names_may_be_odd(write_case: WriteCase) -> None:
    text = STEPS[: STEPS.index("    last")]
    path = write_case(text)
    assert 'a "<b>" & c' in words(drawn(path, path.parent))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--svg", "case.png"], "the name must end in .svg"),
        (["--svg", "none/case.svg"], "there is no folder 'none' to write"),
        (["scored", "--svg", "case.svg"], "--svg draws the whole case"),
        (["--svg", "case.svg", "--json"], "--svg draws the whole case"),
    ],
)
def test_what_cannot_be_drawn_is_refused(tmp_path: Path, words: list[str], message: str) -> None:
    said = miningflow(tmp_path, "show", ROOT / "cases" / "telecom.yml", *words)
    assert said.code == 1
    assert message in said.out + said.err
    assert not list(tmp_path.iterdir())
