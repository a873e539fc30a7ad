"""Judge programs in the language: a task imports them by name, and asks the judge that was chosen."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.extensions.judge.asking.scripted import ScriptedJudge
from scoring.extensions.judge.keys import judge_definitions
from scoring.extensions.judge.protocol import use_judge
from scoring.format.build import Building
from scoring.format.read_yaml import read_yaml

GUIDE = Path(__file__).resolve().parents[3] / "docs" / "judge.md"
RAG = {
    "kind": "task", "name": "demo/rag", "version": "1.0.0", "imports": {"llm": "valor-llm@1"},
    "record": {"query": "question", "contexts": "documents"},
    "fields": {
        "faithful": "llm.faithfulness",
        "coherent": {"score": "llm.summary_coherence", "weight": 0},
    },
    "aggregate": "faithful",
}  # fmt: skip
RECORD = {"id": 1, "response": "A. B.", "reference": "", "question": "Q?", "documents": ["one", "two"]}


def verdicts(*words: str) -> str:
    return json.dumps({"verdicts": [{"analysis": "", "verdict": word} for word in words]})


def test_a_task_is_scored_by_judge_programs_of_a_pack() -> None:
    task = scoring.load(RAG)
    judge = ScriptedJudge(['{"claims": ["a", "b"]}', verdicts("yes", "no"), "4"])
    with use_judge(judge):
        result = task.score(RECORD)
    assert (result.score, result.fields["coherent"].score) == (0.5, 4.0)
    assert "one" in judge.questions[1].messages[1].text
    assert "valor-llm 1.0.0" in task.signature


def test_an_invalid_reply_leaves_the_record_unscored() -> None:
    with use_judge(ScriptedJudge(["The claims are faithful, score 1.0.", "4"])):
        result = scoring.load(RAG).score(RECORD)
    assert result.status == "unscored"
    assert "no_json_object" in str(result.fields["faithful"].reason)


def test_a_judge_reads_the_answer_before_a_rule_scores_it() -> None:
    task = scoring.load({
        "kind": "task", "name": "demo/extract", "version": "1.0.0", "imports": {"llm": "answer-extraction@1"},
        "record": {"question": "question"}, "parse": "llm.short_answer", "score": "equal",
    })  # fmt: skip
    with use_judge(ScriptedJudge(['{"answer": "15", "format": "Int"}'])):
        result = task.score({"id": 1, "response": "I count fifteen, 15.", "reference": "15", "question": "How many?"})
    assert (result.score, result.parsed) == (1.0, "15")


def section(name: str) -> Any:
    blocks = re.findall(r"^```yaml\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.M | re.S)
    return next(read_yaml(text) for text in blocks if f"name: {name}" in text)


def test_the_pack_of_the_guide_works() -> None:
    pack = section("my-judges")
    found = judge_definitions(pack["judges"], Building(pack))
    assert list(found) == ["helpfulness"]
    call = found["helpfulness"].pipeline.steps[0]
    assert call.name == "judged"
    assert dict(call.kwargs).keys() == {"program", "message", "restarts", "samples", "combine"}


@pytest.mark.parametrize("pack", ["valor-llm", "valor-llm-service", "answer-extraction"])
def test_the_shipped_packs_have_no_findings(pack: str) -> None:
    assert not scoring.specs.check_file(GUIDE.parents[1] / "specs" / pack / "pack.yaml")


@pytest.mark.parametrize(
    ("verdicts", "score"),
    [
        (("A", "B"), 1.0),
        (("B", "A"), 0.0),
        (("A", "A"), 0.5),
        (("B", "B"), 0.5),
        (("tie", "tie"), 0.5),
        (("A", "tie"), 0.5),
    ],
)
def test_a_pair_is_judged_in_both_orders(verdicts: list[str], score: float) -> None:
    """Given a judge that may prefer what it sees first, then only a verdict that holds in both orders is a win."""
    task = scoring.load({
        "kind": "task", "name": "demo/pairs", "imports": {"pairs": "pairwise@1"}, "score": "pairs.both_orders",
        "record": {"question": "question"},
    })  # fmt: skip
    replies = [json.dumps({"reason": "", "verdict": verdict}) for verdict in verdicts]
    judge = ScriptedJudge(replies)
    with use_judge(judge):
        result = task.score({"id": 1, "question": "Why?", "response": "ours", "reference": "theirs"})
    assert result.score == score
    first, second = (question.messages[1].text for question in judge.questions)
    assert first.index("ours") < first.index("theirs")
    assert second.index("theirs") < second.index("ours")
