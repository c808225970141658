"""Files that are no case: each leads to a message with a place, never a traceback or a crash."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.command_line import accepted, miningflow, refused

from miningflow.read.yaml_file import DEEPEST, MOST_BYTES

GOOD = """\
case: good
concepts:
  C: {key: k, features: {k: key, x: numeric}}
steps:
  s: {operator: AssignAverageValue, input: C, target: x}
"""


def check(folder: Path, text: str | bytes) -> str:
    path = folder / "case.yml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return refused(folder, "check", "case.yml")


def test_the_good_one_is_good(tmp_path: Path) -> None:
    (tmp_path / "case.yml").write_text(GOOD)
    assert "1 concept, 1 step, no errors" in accepted(tmp_path, "check", "case.yml")


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        (GOOD.replace("  C:", "\tC:"), "3:1", "spaces, not with tabs"),
        ("case: a\nconcepts: {C: [", "3:1", "this is not YAML"),
        ("case: 'a\nconcepts: {}\n", "3:1", "a quoted scalar that begins at line 1"),
        ("case: a\n concepts:\n", "2:10", "mapping values are not allowed"),
        ("case: a: b\n", "1:8", "mapping values are not allowed"),
        (GOOD.replace("good", "*nobody"), "1:7", "undefined alias"),
        (GOOD + "---\ncase: b\n", "6:1", "a file holds one case"),
        ("", "1:1", "the file is empty"),
        ("# nothing\n", "1:1", "the file is empty"),
        ("hello\n", "1:1", "the top level must be a map"),
        ("- a\n- b\n", "1:1", "the top level must be a map"),
        (GOOD.replace("good", "a\0b"), "1:8", "unacceptable character #x0000"),
        (GOOD.replace("good", "!!python/object:os.system x"), "1:7", "has no meaning in a case"),
        (GOOD.replace("{operator", "{<<: 12, operator"), "5:11", "'<<' takes a map"),
        (GOOD.replace("k: key,", "[k]: key,"), "3:26", "a name must be a single value"),
        (GOOD.replace("good", "{a: b}"), "1:7", "'case' must be a single value, got a map"),
        (GOOD.replace("good", ""), "1:6", "'case' must be a single value, got nothing"),
        (GOOD.replace("case: good\n", ""), "1:1", "a case needs 'case'"),
        (GOOD.replace("case: good", "cas: good"), "1:1", "did you mean 'case'?"),
        ("case: a\nconcepts: {}\nsteps: [s]\n", "3:8", "'steps' must be a map, got a list"),
        (GOOD.replace("{operator: AssignAverageValue, input: C, target: x}", ""), "5:3", "empty"),
        (GOOD.replace("operator: AssignAverageValue, ", ""), "5:6", "needs 'operator'"),
        (GOOD.replace("  s:", "  s.t:"), "5:3", "contains '.' or '['"),
        (GOOD.replace("  s:", '  "a\\x07b":'), "5:3", "cannot be a name"),
        (GOOD.replace("x: numeric", "'': numeric"), "3:34", "cannot be a name"),
        (GOOD.replace("good", "x" * 121), "1:7", "1 to 120 printable characters"),
        (GOOD.replace("  s:", "  c:"), "5:3", "differ only in case"),
        (GOOD.replace("x: numeric", "x: numeric, X: time"), "3:46", "differ only in case"),
    ],
)
def test_a_broken_file_is_refused_with_its_place(
    tmp_path: Path, text: str, place: str, message: str
) -> None:
    said = check(tmp_path, text)
    assert f"case.yml:{place}: error: " in said
    assert message in said


@pytest.mark.parametrize(
    ("text", "place", "first"),
    [
        (GOOD + "case: again\n", "6:1", 1),
        (GOOD.replace("x: numeric", "x: numeric, x: time"), "3:46", 3),
        (GOOD + "  s: {operator: AssignAverageValue, input: C, target: x}\n", "6:3", 5),
        (GOOD.replace("target: x", "target: x, target: k"), "5:58", 5),
    ],
)
def test_a_name_given_twice_is_refused(tmp_path: Path, text: str, place: str, first: int) -> None:
    said = check(tmp_path, text)
    assert f"case.yml:{place}: error: " in said
    assert "is given twice\n" in said
    assert f"the first is at line {first};" in said


@pytest.mark.parametrize(
    "text",
    [
        "case: " + "[" * 100_000,
        "case: " + "[" * 100_000 + "]" * 100_000,
        "{a: " * 100_000,
        "- " * 100_000,
        "? " * 100_000,
        "".join(" " * i + "a:\n" for i in range(DEEPEST + 1)),
        "".join(" " * i + "-\n" for i in range(DEEPEST + 1)),
        "".join(" " * i + "?\n" for i in range(DEEPEST + 1)),
        # each part is flat enough, but they stack up through their aliases
        "a0: &a0 x\n"
        + "".join(f"a{i}: &a{i} {'[' * 90}*a{i - 1}{']' * 90}\n" for i in range(1, 30)),
    ],
    ids=["[", "[]", "{", "- ", "? ", "map", "list", "key", "aliases"],
)
def test_deep_nesting_is_refused_before_it_can_crash(tmp_path: Path, text: str) -> None:
    assert f"nested too deeply: more than {DEEPEST} levels" in check(tmp_path, text)


def test_brackets_in_a_text_are_no_nesting(tmp_path: Path) -> None:
    (tmp_path / "case.yml").write_text(GOOD + f"about: '{'[' * 2000}'\n")
    accepted(tmp_path, "check", "case.yml")


@pytest.mark.parametrize(
    "text",
    [
        "a0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [{f'*a{i - 1}, ' * 9}]\n" for i in range(1, 10)),
        "a0: &a0 {x: 1}\n"
        + "".join(f"a{i}: &a{i} {{<<: [{f'*a{i - 1}, ' * 9}]}}\n" for i in range(1, 10)),
        "case: &a [*a]\n",
        "case: a\nsteps: &s {x: *s}\n",
        "case: a\nsteps: &s {<<: *s, x: 1}\n",
    ],
    ids=["laughs", "merged laughs", "list in itself", "map in itself", "merged into itself"],
)
def test_anchors_that_explode_are_refused_at_once(tmp_path: Path, text: str) -> None:
    assert "case.yml:1:1: error: with its anchors written out" in check(tmp_path, text)


def test_anchors_and_merge_keys_work(tmp_path: Path) -> None:
    text = GOOD.replace("C: {", "C: &c {").replace("steps:", "  D: {<<: *c, about: twin}\nsteps:")
    (tmp_path / "case.yml").write_text(text)
    assert "2 concepts" in accepted(tmp_path, "check", "case.yml")


@pytest.mark.parametrize(
    "content",
    [bytes(range(256)), GOOD.replace("good", "größe").encode("latin-1"), GOOD.encode("utf-16")],
    ids=["binary", "latin-1", "utf-16"],
)
def test_what_is_not_utf8_is_refused(tmp_path: Path, content: bytes) -> None:
    assert "case.yml:1:1: error: the file is not UTF-8 text (byte " in check(tmp_path, content)


@pytest.mark.parametrize("text", [GOOD.replace("\n", "\r\n"), "\ufeff" + GOOD])
def test_windows_files_are_fine(tmp_path: Path, text: str) -> None:
    (tmp_path / "case.yml").write_bytes(text.encode())
    accepted(tmp_path, "check", "case.yml")


def test_a_huge_file_is_refused_without_reading_it_all(tmp_path: Path) -> None:
    with (tmp_path / "case.yml").open("wb") as file:
        file.write(GOOD.encode())
        file.truncate(50_000_000)
    said = refused(tmp_path, "check", "case.yml")
    assert f"case.yml:1:1: error: the file has more than the {MOST_BYTES:,} bytes" in said
    assert "more than" in refused(tmp_path, "check", "/dev/zero")  # has no size and no end


def test_what_is_not_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "case.yml").write_text(GOOD)
    assert "is a folder, not a case file" in refused(tmp_path, "check", ".")
    assert "no file cas.yml\n    in .: case.yml" in refused(tmp_path, "check", "cas.yml")
    assert "there is no folder no" in refused(tmp_path, "check", "no/case.yml")
    assert "error: " in refused(tmp_path, "check", "case.yml/x")


def test_mistakes_of_shape_come_together_and_in_order(tmp_path: Path) -> None:
    text = GOOD.replace("key: k,", "kee: k,").replace(
        "  s: {", "  t: 12\n  s: {abut: [1], about: {}, "
    )
    said = check(tmp_path, text)
    places = [line.split(": ")[0] for line in said.splitlines() if ": error: " in line]
    assert places == ["case.yml:3:7", "case.yml:5:6", "case.yml:6:7", "case.yml:6:25"]
    assert said.endswith("\n4 errors\n")


def test_a_failing_check_as_json_is_json_with_places(tmp_path: Path) -> None:
    import json

    (tmp_path / "case.yml").write_text(GOOD.replace("key: k,", "kee: k,"))
    said = miningflow(tmp_path, "check", "case.yml", "--json")
    (diagnostic,) = json.loads(said.out)["diagnostics"]
    assert (diagnostic["file"], diagnostic["line"], diagnostic["column"]) == ("case.yml", 3, 7)
    assert said.code == 1
