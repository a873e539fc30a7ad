"""The verbs that write spec files, from Python: fmt, convert, new."""

from __future__ import annotations

from pathlib import Path

import pytest

import scoring

TASK = "kind: task\nname: t\nscore: lower|equal\n"


@pytest.fixture
def task(tmp_path: Path) -> Path:
    path = tmp_path / "task.yaml"
    path.write_text(TASK, encoding="utf-8")
    return path


def test_a_file_is_formatted_only_when_asked(task: Path) -> None:
    (change,) = scoring.specs.fmt(task, write=False).changes
    assert task.read_text() == TASK
    assert "+score: lower | equal" in change.diff()
    assert scoring.specs.fmt(task).changes == (change,)
    assert task.read_text() == change.after
    assert scoring.specs.fmt(task).changes == ()


def test_a_task_of_another_tool_becomes_a_spec(tmp_path: Path) -> None:
    metrics = tmp_path / "metrics.json"
    metrics.write_text('{"field_score_function": {"a": "exact_str_match"}, "aggregation": {"function": "mean"}}')
    text = scoring.specs.convert(metrics, name="mine", output=tmp_path / "mine.yaml")
    assert (tmp_path / "mine.yaml").read_text() == text
    assert scoring.check(tmp_path / "mine.yaml").passed
    with pytest.raises(scoring.InputError, match="exists"):
        scoring.specs.convert(metrics, output=tmp_path / "mine.yaml")


def test_what_is_no_task_of_another_tool_is_refused(task: Path) -> None:
    with pytest.raises(scoring.InputError, match="is no"):
        scoring.specs.convert(task)


def test_a_starter_is_in_order(tmp_path: Path) -> None:
    path = scoring.specs.new("task", tmp_path / "folder" / "mine.yaml")
    assert scoring.check(path).findings == ()
    with pytest.raises(scoring.InputError, match="exists"):
        scoring.specs.new("task", path)
    with pytest.raises(scoring.InputError, match=r"should end in \.yaml"):
        scoring.specs.new("pack", tmp_path / "mine.txt")


def test_a_starter_of_a_suite_scores_with_its_first_task(tmp_path: Path) -> None:
    path = scoring.specs.new("suite", tmp_path / "desk.yaml")
    assert scoring.check([path, tmp_path / "tasks" / "first.yaml"]).findings == ()
    row = {
        "task": "desk/first",
        "id": "a",
        "response": '{"vendor": "ACME"}',
        "reference": {"vendor": "acme", "total": 3},
    }
    assert scoring.evaluate(path, [row]).metrics["macro"] == pytest.approx(1 / 3)
    path.unlink()
    with pytest.raises(scoring.InputError, match=r"first\.yaml exists"):
        scoring.specs.new("suite", path)
    assert not path.exists()


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("a.yaml", "kind: task\nname: t\nscore: equal\n", "kind: task\nname: t\nedition: 2027\nscore: equal\n"),
        (
            "b.yaml",
            "kind: task\nname: t\nscore: equal\nversion: 1.0.0  # the first",
            "kind: task\nname: t\nscore: equal\nversion: 1.0.0  # the first\nedition: 2027",
        ),
        (
            "c.json",
            '{"kind": "task", "name": "t", "score": "equal"}',
            '{"kind": "task", "name": "t", "edition": 2027, "score": "equal"}',
        ),
        ("d.yaml", "kind: task\nedition: 2027\nname: t\nscore: equal\n", None),
        ("e.json", '{"field_score_function": {"a": "exact_str_match"}, "aggregation": {"function": "mean"}}', None),
    ],
)
def test_fixing_states_the_edition(tmp_path: Path, name: str, before: str, after: str | None) -> None:
    path = tmp_path / name
    path.write_text(before, encoding="utf-8")
    scoring.specs.fmt(path)
    assert path.read_text(encoding="utf-8") == before
    meaning = scoring.load(path).signature.meaning
    scoring.specs.fmt(path, fix=True)
    assert path.read_text(encoding="utf-8") == (before if after is None else after)
    assert scoring.load(path).signature.meaning == meaning
    assert scoring.specs.fmt(path, fix=True).changes == ()
