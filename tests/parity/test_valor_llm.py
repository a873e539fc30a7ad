"""The LLM-guided metrics of Valor as judge programs: scores, errors, number of calls, and what each call showed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from scoring.extensions.judge.asking.scripted import ScriptedJudge
from scoring.extensions.judge.programs.program import JudgeProgram, load_program, programs_of
from scoring.extensions.judge.programs.run import run_program
from scoring.extensions.judge.protocol import InvalidReply, JudgeError, Question
from scoring.result import Unscored
from tests.support.golden import REPOSITORY, golden_dir, read_jsonl

SAMPLE = Path(__file__).parent / "data" / "llm.jsonl"
# The released code's words for a failed check, where ours differ.
CATEGORIES = {
    "verdict_not_allowed": {"not_allowed"},
    "malformed_verdict_keys": {"missing_key", "extra_key"},
    "tp_fp_count_mismatch": {"failed_check"},
    "too_many_false_negatives": {"failed_check"},
    "score_out_of_range": {"out_of_range"},
}
# Exceptions of the released code: an invalid reply there is one here; all others leave the record unscored.
INVALID = {"InvalidLLMResponseError", "KeyError"}


def programs(pack: str) -> dict[str, JudgeProgram]:
    text = (REPOSITORY / "specs" / pack / "pack.yaml").read_text(encoding="utf-8")
    section = yaml.safe_load(text)["judges"]
    return {name: load_program(name, section) for name in programs_of(section)}


CURRENT, OLDER = programs("valor-llm"), programs("valor-llm-service")


def rows() -> Iterator[Any]:
    yield from read_jsonl(SAMPLE)
    folder = golden_dir()
    if folder is not None:
        yield from read_jsonl(folder / "valor" / "llm_guided.jsonl")


def program_of(row: Any) -> JudgeProgram:
    older = row["implementation"].startswith("valor_service") and row["metric"] != "coherence"
    return (OLDER if older else CURRENT)[row["metric"]]


def inputs_of(row: Any) -> dict[str, Any]:
    data = row["inputs"]
    without = "context_object" in data
    return {
        "query": data.get("query"), "text": data.get("query"),
        "response": data.get("response"), "summary": data.get("response"),
        "contexts": None if without else data.get("contexts"),
        "references": None if without else data.get("groundtruths"),
    }  # fmt: skip


@pytest.mark.parametrize("row", list(rows()), ids=lambda row: row["id"])
def test_a_judged_case(row: Any) -> None:
    judge = ScriptedJudge(row["judge_outputs_raw"])
    outcome: Any
    try:
        outcome = run_program(program_of(row), inputs_of(row), judge, restarts=row["retries"]).score
    except Unscored as error:
        outcome = error
    check_outcome(outcome, row["expected"])
    assert len(judge.questions) == row["n_calls"]
    if "calls" in row:
        assert len(row["judge_outputs_raw"]) - len(judge.questions) == row["unused_replies"]
        for question, call in zip(judge.questions, row["calls"], strict=True):
            assert [message.role for message in question.messages] == call["roles"]
            assert shown(question, row["inputs"]) == call["inputs_seen"]


def check_outcome(outcome: Any, expected: Any) -> None:
    if "score" in expected:
        assert outcome == pytest.approx(expected["score"], abs=1e-9)
    elif "error" in expected:
        category = expected["error"]["category"]
        assert isinstance(outcome, InvalidReply)
        assert outcome.category in CATEGORIES.get(category, {category})
    elif "unscored" in expected:
        assert expected["unscored"] in str(outcome)
    elif expected["exception"]["type"] in INVALID:
        assert isinstance(outcome, InvalidReply)
    else:
        assert isinstance(outcome, Unscored)
        assert not isinstance(outcome, JudgeError)
        assert ("divides by zero" in str(outcome)) == (expected["exception"]["type"] == "ZeroDivisionError")


def shown(question: Question, inputs: Any) -> list[Any]:
    """Which of the row's inputs a question contains."""
    text = "".join(message.text for message in question.messages)
    seen: list[Any] = [name for name in ("query", "response") if inputs.get(name) and inputs[name] in text]
    for name in ("contexts", "groundtruths"):
        places = [place for place, item in enumerate(inputs.get(name) or []) if item in text]
        if places:
            seen.append({name: places})
    return seen
