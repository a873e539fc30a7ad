"""A judge is asked about each item of a record."""

from __future__ import annotations

import json
from pathlib import Path

from scoring.cli.main import main
from tests.support.judge_server import Body, JudgeServer

PACK = """
kind: pack
name: rubrics
version: 1.0.0
judges:
  meets:
    doc: Whether the response meets the criterion.
    inputs: {criterion: item.criterion, response: prediction}
    prompt: Does the response meet the criterion?
    reply: {json: {type: object, required: [met], properties: {met: {type: boolean}}}}
    show: [criterion, response]
    gives: {met: met}
    score: if(met, 1, 0)
"""
RUBRIC = [
    {"criterion": "is short", "points": 5},
    {"criterion": "is rude", "points": -2},
    {"criterion": "x", "points": 3},
]


def test_a_judge_is_asked_once_for_each_point(tmp_path: Path) -> None:
    (tmp_path / "rubrics.yaml").write_text(PACK)
    (tmp_path / "task.yaml").write_text(
        "kind: task\nname: t\nversion: 1.0.0\nimports: {r: ./rubrics.yaml}\nscore: |-\n"
        "  each(over=record.rubric, weight=item.points, score=r.meets,"
        ' join=mean(over="positive"))\n'
    )
    rows = [{"id": 1, "response": "Hi.", "reference": None, "rubric": RUBRIC}]
    (tmp_path / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    def reply(body: Body) -> str:
        text = body["messages"][-1]["content"]
        return json.dumps({"met": "is short" in text or "is rude" in text})

    with JudgeServer(reply) as server:
        judge = ["--judge-url", server.url, "--judge-model", "m", "--judge-cache", str(tmp_path / "judge.db")]
        for run in ("one", "two"):
            spec, data = str(tmp_path / "task.yaml"), str(tmp_path / "data.jsonl")
            assert main(["score", spec, data, "-o", str(tmp_path / run), *judge]) == 0
        asked = len(server.requests)
    assert asked == len(RUBRIC)
    assert '"score":0.375' in (tmp_path / "two" / "scores.jsonl").read_text()
