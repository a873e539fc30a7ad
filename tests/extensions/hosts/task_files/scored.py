"""Scores by converted specs: the commands `convert` and `score`, as a user runs them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scoring.cli.main import main
from scoring.extensions.judge.asking.scripted import ScriptedJudge
from scoring.extensions.judge.protocol import use_judge
from tests.extensions.hosts.task_files.answers import GRADERS, REPLIES, ScorerTask, write_eval_yaml, write_records


def converted_scores(folder: Path, tasks: Sequence[ScorerTask], count: int) -> Mapping[str, list[float | None]]:
    """The scores of the answers to each task, by its spec."""
    file = write_eval_yaml(folder, [task.entry for task in tasks])
    assert main(["convert", str(file), "-o", str(folder / "specs")]) == 0
    return {task.id: scores(folder, task.id, task.cases(count)) for task in tasks}


def scores(folder: Path, id: str, cases: Sequence[tuple[str, str]]) -> list[float | None]:
    """The scores of answers by the spec of a task that was converted."""
    data, run = write_records(folder / f"{id}.jsonl", cases), folder / f"{id}.run"
    main(["score", str(folder / "specs" / f"{id}.yaml"), str(data), "-o", str(run), "--min-coverage", "0"])
    lines = (run / "scores.jsonl").read_text("utf-8").rstrip("\n").split("\n")
    return [json.loads(line)["score"] for line in lines]


def graded_scores(folder: Path) -> Mapping[str, list[float | None]]:
    """The scores of one answer by each reply of a judge, for each task that a model grades."""
    entries: list[dict[str, Any]] = []
    for id, (scorer, args) in GRADERS.items():
        entries.append({**ScorerTask(id, scorer, args).entry})
    file = write_eval_yaml(folder, entries)
    assert main(["convert", str(file), "-o", str(folder / "specs")]) == 0
    found = {}
    for id in GRADERS:
        cases = [(f"(said {at})", "the target") for at in range(len(REPLIES))]

        def reply(question: Any) -> str:
            shown = "\n".join(message.text for message in question.messages)
            at = next(at for at in reversed(range(len(REPLIES))) if f"(said {at})" in shown)
            return REPLIES[at]

        with use_judge(ScriptedJudge(reply)):
            found[id] = scores(folder, id, cases)
    return found
