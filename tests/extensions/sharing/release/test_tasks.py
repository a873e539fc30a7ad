"""Tasks and suites: any move of a number is major, what is new beside the numbers is minor."""

from __future__ import annotations

from pathlib import Path

import pytest

import scoring
from scoring.api.specs import VersionJudgement

ONE = "score: lower | equal\n"
TWO = "parse: json\nfields:\n  a: equal\n  b: {score: number | within(0.1), weight: 2}\n"
EDITS = [
    ("another scorer", ONE, "score: lower | levenshtein\n", "major", True),
    ("nulls are values", ONE, ONE + "on_null: value\n", "major", True),
    ("failures count 0", ONE, ONE + "on_error: zero\n", "major", True),
    ("what does not parse counts 0", TWO, TWO + "on_unparsed: zero\n", "major", True),
    ("a weight", TWO, TWO.replace("weight: 2", "weight: 3"), "major", True),
    ("a scorer of a field", TWO, TWO.replace("0.1", "0.2"), "major", True),
    ("a field that is gone", TWO, "parse: json\nfields:\n  a: equal\n", "major", True),
    ("another aggregate", TWO, TWO + "aggregate: min\n", "major", True),
    ("an aggregate turned", TWO + "aggregate: a * b\n", TWO + "aggregate: b * a\n", "patch", False),
    ("a rule of passing", TWO, TWO + "pass: score >= 0.5\n", "minor", False),
    ("a pass that begins above", TWO + "pass: score >= 1\n", TWO + "pass: score > 0\n", "major", True),
    ("another headline", ONE, ONE + "metrics: [coverage]\n", "major", False),
    ("a metric more", ONE, ONE + "metrics: [mean, coverage]\n", "minor", False),
    ("a breakdown more", ONE, ONE + "by: [lang]\n", "minor", False),
    ("a breakdown less", ONE + "by: [lang]\n", ONE, "major", False),
    ("another place of the response", ONE, ONE + "record: {response: output}\n", "major", False),
    ("narrower intervals", ONE, ONE + "intervals: {confidence: 0.9}\n", "major", False),
    ("a doc", ONE, ONE + "doc: for people\n", "patch", False),
]


def judge(folder: Path, old: str, new: str) -> VersionJudgement:
    paths = [folder / "old.yaml", folder / "new.yaml"]
    for path, body in zip(paths, (old, new), strict=True):
        path.write_text(f"kind: task\nname: t\nversion: 1.0.0\n{body}", encoding="utf-8")
    found = scoring.check(paths[1], against=paths[0]).judgement
    assert found is not None
    return found


@pytest.mark.parametrize(("what", "old", "new", "part", "moves"), EDITS, ids=[edit[0] for edit in EDITS])
def test_an_edit_of_a_task_needs_its_part(
    tmp_path: Path, what: str, old: str, new: str, part: str, moves: bool
) -> None:
    found = judge(tmp_path, old, new)
    assert (found.part, bool(found.counterexamples)) == (part, moves), "\n".join(found.lines())


def test_a_pack_that_becomes_a_task_is_another_thing(tmp_path: Path) -> None:
    pack, task = tmp_path / "pack.yaml", tmp_path / "task.yaml"
    pack.write_text("kind: pack\nname: t\nversion: 1.0.0\nscorers: {a: equal}\n")
    task.write_text(f"kind: task\nname: t\nversion: 2.0.0\n{ONE}")
    found = scoring.check(task, against=pack).judgement
    assert found is not None
    assert found.part == "major"


SUITE = "kind: suite\nname: s\nversion: 1.0.0\ntasks: [{}]\n"


def test_a_suite_is_judged_by_what_its_tasks_mean(tmp_path: Path) -> None:
    for folder, body in (("old", ONE), ("new", "score: equal\n")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "one.yaml").write_text(f"kind: task\nname: one\n{body}")
        (tmp_path / folder / "suite.yaml").write_text(SUITE.format("one.yaml"))
    found = scoring.check(tmp_path / "new" / "suite.yaml", against=tmp_path / "old" / "suite.yaml").judgement
    assert found is not None
    assert [(one.part, one.name) for one in found.reasons] == [("major", "tasks")]
    same = scoring.check(tmp_path / "old" / "suite.yaml", against=tmp_path / "old" / "suite.yaml").judgement
    assert same is not None
    assert same.part == ""
