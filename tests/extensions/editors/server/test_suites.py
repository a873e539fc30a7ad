"""A suite in an editor is checked with its tasks as the editor has them, not as they lie on the disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scoring.extensions.editors.server.answering import OpenTextsDesk

SUITE = "kind: suite\nname: s\ntasks: {path: tasks, only: [a]}\n"
TASK = "kind: task\nname: a\nscore: strip | equal\n"


def findings(desk: OpenTextsDesk, suite: Path, changed: str, text: str) -> list[Any]:
    texts = {str(suite.parent / changed): text}
    found: list[Any] = desk.answer({"ask": "findings", "path": str(suite), "texts": texts})
    return [(one["code"], one["message"].partition("\n")[0].rpartition("/")[2]) for one in found]


def test_the_tasks_of_a_suite_are_those_of_the_editor(tmp_path: Path) -> None:
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks" / "a.yaml").write_text(TASK, "utf-8")
    (tmp_path / "tasks" / "b.yaml").write_text("kind: task\nname: b\nextends: ./a.yaml\n", "utf-8")
    suite, desk = tmp_path / "suite.yaml", OpenTextsDesk()
    assert findings(desk, suite, "suite.yaml", SUITE) == []
    (wrong,) = findings(desk, suite, "tasks/a.yaml", TASK.replace("name: a", "name: c"))
    assert wrong == ("unknown-name", "`only` names the task `a`, but there is none in `tasks`")
    (broken,) = findings(desk, suite, "tasks/a.yaml", TASK.replace("equal", "eqal"))
    assert broken == ("unknown-name", "a.yaml:3:16: nothing is called `eqal`: did you mean `equal`?")
    (tmp_path / "tasks" / "a.yaml").write_text("kind: task\n", "utf-8")
    assert findings(desk, suite, "tasks/a.yaml", TASK) == [], "what lies on the disk does not matter while it is open"
