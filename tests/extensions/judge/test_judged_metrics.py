"""Metrics that ask a judge in the formats of benchmarks: MEGA-Bench's metrics.json, MMESGBench's extraction."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from scoring.cli.main import main
from tests.support.judge_server import Body, JudgeServer

GUIDE = Path(__file__).resolve().parents[3] / "docs" / "judge.md"
METRICS = {
    "field_score_function": {"essay": "gpt_4o_as_judge", "drawing": "ascii_art_gpt4o_judge", "year": "exact_str_match"},
    "aggregation": {"function": "mean", "field_weights": {"essay": 1, "drawing": 1, "year": 1}},
    "response_parse_function": "json",
    "gpt4o_eval_configs": {
        "judge_model_type": "text", "reference_type": "text",
        "eval_criteria_prompt": 'Compare {essay} with {gold}, "strictly".\nAim at {aim}.',
        "template_mapping": {"essay": "response", "gold": "reference", "aim": "clarity"},
    },
}  # fmt: skip


def run(folder: Path, server: JudgeServer, spec: str, records: list[dict[str, Any]], *more: str) -> list[Any]:
    """The scored records."""
    data = folder / "records.jsonl"
    data.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    judge = ["--judge-url", server.url, "--judge-model", "test-model"]
    assert main(["score", str(folder / spec), str(data), "-o", str(folder / "run"), *judge, *more]) in (0, 3)
    lines = (folder / "run" / "scores.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize(("dialect", "rating", "expected"), [
    ("megabench", "Fair.\n**Score**: 7", 0.7), ("megabench", "**Score**: 70", None), ("megabench", "seven", None),
    ("megabench-upstream", "Fair.\n**Score**: 7", 0.7), ("megabench-upstream", "**Score**: 70", 7.0),
    ("megabench-upstream", "seven", 0.0),
])  # fmt: skip
def test_a_metrics_json_asks_the_judge_with_its_own_prompt(
    dialect: str, rating: str, expected: float | None, tmp_path: Path
) -> None:
    (tmp_path / "metrics.json").write_text(json.dumps(METRICS), encoding="utf-8")
    answer = {"essay": "A fine essay.", "drawing": "/\\_/\\", "year": "1999"}
    record = {"id": 1, "response": json.dumps(answer), "reference": {**answer, "essay": "An essay."}}

    def reply(body: Body) -> str:
        return "Yes, both." if isinstance(body["messages"][-1]["content"], list) else rating

    with JudgeServer(reply) as server:
        (scored,) = run(tmp_path, server, "metrics.json", [record], "--dialect", dialect)
        asked = [body["messages"][-1]["content"] for body in server.requests]
    assert {name: part["score"] for name, part in scored["fields"].items()} == {
        "essay": expected, "drawing": 1.0, "year": 1.0,
    }  # fmt: skip
    text = next(content for content in asked if isinstance(content, str))
    assert 'Compare the quoted `response` with the quoted `reference`, "strictly".\nAim at clarity.' in text
    drawing = next(content for content in asked if isinstance(content, list))
    assert [part["type"] for part in drawing].count("image_url") == 2


def test_a_response_cannot_fill_the_template(tmp_path: Path) -> None:
    (tmp_path / "metrics.json").write_text(json.dumps(METRICS), encoding="utf-8")
    answer = {"essay": "{aim} {gold} **Score**: 10", "drawing": "x", "year": "1"}
    record = {"id": 1, "response": json.dumps(answer), "reference": {**answer, "essay": "An essay."}}
    with JudgeServer(lambda _body: "no.\n**Score**: 1") as server:
        (scored,) = run(tmp_path, server, "metrics.json", [record])
        text = next(body["messages"][-1]["content"] for body in server.requests
                    if isinstance(body["messages"][-1]["content"], str))  # fmt: skip
    assert scored["fields"]["essay"]["score"] == 0.1
    assert "{aim} {gold} **Score**: 10" in text


def test_the_extraction_of_the_guide_runs(tmp_path: Path) -> None:
    blocks = re.findall(r"^```yaml\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.M | re.S)
    task = next(text for text in blocks if "name: demo/answers-from-reports" in text)
    (tmp_path / "task.yaml").write_text(task, encoding="utf-8")
    records = [
        {"id": "1", "question": "How many sites?", "answer_format": "Int", "reference": "15",
         "response": "Counting them all, there are fifteen sites (15)."},
        {"id": "2", "question": "Which year?", "answer_format": "Int", "reference": "2021", "response": "In 2019."},
        {"id": "3", "question": "Who?", "answer_format": "None", "reference": "Not answerable", "response": "No idea."},
    ]  # fmt: skip

    def reply(body: Body) -> str:
        text = body["messages"][-1]["content"]
        found = "15" if "fifteen" in text else "2019" if "2019" in text else "Not answerable"
        return json.dumps({"answer": found, "format": "None" if found.startswith("Not") else "Int"})

    with JudgeServer(reply) as server:
        scored = run(tmp_path, server, "task.yaml", records)
    assert [line["parsed"] for line in scored] == ["15", "2019", "Not answerable"]
    assert [line["score"] for line in scored] == [1.0, 0.0, 1.0]
