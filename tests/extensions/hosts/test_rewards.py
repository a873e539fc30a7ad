"""Rewards are the scores of `scoring score`, by the signature of each trainer, for texts as for chat messages.

The calls are written as the trainers' released code makes them; tests/extensions/hosts/real runs that code itself.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import pickle
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import scoring
from scoring.extensions.hosts.rewards.trainer import ENDS
from scoring.result import MISSING
from tests.support.host_cases import CASES, HostCase, chat, host_case

TOWNS = {"kind": "task", "name": "demo/towns", "score": "lower | equal"}
SAID = {"role": "assistant", "content": "Paris"}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[HostCase]:
    found = host_case(request.param, tmp_path)
    with found.replaying():
        yield found


def column(case: HostCase) -> str:
    """The column of references in a data set whose rows are the case's records."""
    return "gold" if case.name == "invoices" else "reference"


def given(case: HostCase) -> list[Any]:
    """The references as a data set has them: None where there is none."""
    return [None if one.reference is MISSING else one.reference for one in case.records]


def least(case: HostCase) -> list[float]:
    """What a trainer that can skip none is given: 0 where `scoring score` has no score."""
    return [score or 0.0 for score in case.scores]


def test_trl_is_given_the_scores_and_none_where_there_is_none(case: HostCase) -> None:
    reward = scoring.rewards.trl(case.spec)
    logged: dict[str, Any] = {}
    found = reward(
        prompts=[[{"role": "user", "content": "?"}] for _ in case.records],
        completions=[one.response for one in case.records],
        completion_ids=[[1, 2] for _ in case.records],
        **{column(case): given(case)},
        trainer_state=object(),
        log_extra=logged.__setitem__,
        log_metric=logged.__setitem__,
    )
    case.check(found, signature=reward.task.signature)
    assert None in found
    assert not inspect.iscoroutinefunction(reward)
    assert logged["status"] == [line["status"] for line in case.lines]
    assert logged["reason"] == [line.get("reason") or "" for line in case.lines]
    assert set(logged["meaning"]) == {reward.meaning}
    assert logged["unscored"] == sum(line["status"] == "unscored" for line in case.lines) / 200
    assert reward.__name__ in ("invoices", "landmark", "cascade")


def test_verl_is_given_numbers_and_why(case: HostCase) -> None:
    compute_score = scoring.rewards.verl(case.spec, references_as="json")
    assert not inspect.iscoroutinefunction(compute_score)
    found = [
        compute_score(
            data_source="demo",
            solution_str=one.response,
            ground_truth=None if one.reference is MISSING else json.dumps(one.reference),
            extra_info={"index": 3, "num_turns": None, "rollout_reward_scores": {}},
        )
        for one in case.records
    ]
    assert [one["score"] for one in found] == least(case)
    assert [one["status"] for one in found] == [line["status"] for line in case.lines]
    assert [one["reason"] for one in found] == [line.get("reason") or "" for line in case.lines]
    assert {tuple(one) for one in found} == {("score", "status", "reason", "meaning", "unparsed", "unscored")}
    assert {one["meaning"] for one in found} == {compute_score.meaning}


def test_openrlhf_is_given_what_stands_behind_the_prompt(case: HostCase) -> None:
    reward = scoring.rewards.openrlhf(case.spec)
    said = [one.response[-1]["content"] if isinstance(one.response, list) else one.response for one in case.records]
    rows = [place for place, one in enumerate(said) if isinstance(one, str)]
    queries = [f"<|im_start|>What?<|im_end|>{said[place]}<|im_end|><|endoftext|>" for place in rows]
    payload = {"query": queries, "prompts": ["<|im_start|>What?<|im_end|>"] * len(rows)}
    found = reward.reply({**payload, "labels": [given(case)[place] for place in rows]})
    assert found["rewards"] == [least(case)[place] for place in rows]
    assert found["scores"] == found["rewards"]
    assert found["extra_logs"]["unparsed"] == [float(case.lines[place]["status"] == "unparsed") for place in rows]
    assert json.loads(json.dumps(found)) == found


def test_what_does_not_hold_its_prompt_is_unscored() -> None:
    reward = scoring.rewards.openrlhf(TOWNS)
    (cut,) = reward._results(["ce? Paris"], ["Of France?"], ["paris"])
    assert cut.outcome.reason == "the query does not hold its prompt, so where the answer begins is not known"
    with pytest.raises(scoring.InputError, match="a request has lists of one length"):
        reward.reply({"query": ["a"], "prompts": ["a", "b"], "labels": ["c"]})


def test_areal_calls_it_in_other_processes(case: HostCase) -> None:
    reward = pickle.loads(pickle.dumps(scoring.rewards.areal(case.spec)))
    assert pickle.loads(pickle.dumps(reward)) is pickle.loads(pickle.dumps(reward))  # its task is compiled once
    said = [f"{one.response}<|im_end|>" if isinstance(one.response, str) else one.response for one in case.records]
    found = [
        reward("What?", answer, [1], [2], **{column(case): gold, "messages": chat("?")})
        for answer, gold in zip(said, given(case), strict=True)
    ]
    assert found == least(case)


def test_verifiers_awaits_it_and_records_nothing_without_a_reward(case: HostCase) -> None:
    reward = scoring.rewards.verifiers(case.spec)
    assert inspect.iscoroutinefunction(reward)
    assert list(inspect.signature(reward).parameters) == ["task", "trace"]
    traces = [SimpleNamespace(root_reply=one.response, assistant_messages=(), info={}) for one in case.records]

    async def all_of_them() -> list[Any]:
        rows = [SimpleNamespace(model_dump={column(case): gold}.copy) for gold in given(case)]
        return await asyncio.gather(*map(reward, rows, traces))

    found = asyncio.run(all_of_them())
    none = [place for place, one in enumerate(case.records) if one.response is None]
    for place in none:  # no trace is without an answer: it is an empty one there
        found[place] = {} if case.scores[place] is None else case.scores[place]
    case.check([None if one == {} else one for one in found])
    kept = [place for place in range(200) if place not in none]
    assert [traces[place].info["scoring"]["status"] for place in kept] == [case.lines[n]["status"] for n in kept]


def test_an_empty_answer_and_no_answer_are_one_in_a_trace() -> None:
    reward = scoring.rewards.verifiers(TOWNS, reference="answer")
    data = SimpleNamespace(model_dump=lambda: {"answer": "paris"})
    told = [
        asyncio.run(reward(data, SimpleNamespace(root_reply=None, assistant_messages=said, info={})))
        for said in ([], [SimpleNamespace(content=None)], [SimpleNamespace(content=" Paris")])
    ]
    assert told == [0.0, 0.0, 0.0]


def test_prime_rl_is_told_that_there_is_no_reward() -> None:
    reward = scoring.rewards.prime_rl(TOWNS, reference="answer")
    trace = SimpleNamespace(root_reply="Paris", info={})
    assert asyncio.run(reward(SimpleNamespace(model_dump=lambda: {"answer": "paris"}), trace)) == 1.0
    with pytest.raises(scoring.InputError, match="towns gives no reward: the record has no reference"):
        asyncio.run(reward(SimpleNamespace(model_dump=lambda: {"answer": None}), trace))


def test_a_reference_that_no_column_has_is_told_with_the_columns_there_are() -> None:
    reward = scoring.rewards.trl(TOWNS)
    with pytest.raises(scoring.InputError) as told:
        reward(prompts=["a"], completions=["b"], answer=["c"], trainer_state=None)
    assert str(told.value) == (
        "`reference`, where demo/towns finds its references, is no column of this data; it has `answer` and `prompt`: "
        "name the right one by `reference=`"
    )
    assert scoring.rewards.trl(TOWNS, reference="answer")(prompts=["a"], completions=["b"], answer=["B"]) == [1.0]


def test_references_in_texts_are_read_as_json() -> None:
    spec = {"kind": "task", "name": "t", "parse": "json", "fields": {"n": "equal"}}
    reward = scoring.rewards.trl(spec, references_as="json")
    assert reward(prompts=["?"], completions=[[{**SAID, "content": '{"n": 1}'}]], reference=['{"n": 1}']) == [1.0]


@pytest.mark.parametrize("end", ENDS)
def test_tokens_that_end_an_answer_are_no_part_of_it(end: str) -> None:
    assert scoring.rewards.areal(TOWNS)("?", f"Paris{end}{end}", [], [], reference="paris") == 1.0


def test_many_tokens_at_the_end_are_taken_off_in_one_go() -> None:
    reward = scoring.rewards.areal(TOWNS, ends=["</s>", "!"])
    assert reward("?", "Paris" + "</s>!" * 200_000, [], [], reference="paris") == 1.0
    assert reward("?", "</s>", [], [], reference="") == 1.0


def test_a_task_without_references_needs_no_column() -> None:
    task = {"kind": "task", "name": "t", "score": 'matches_schema(schema={type="string"})'}
    assert scoring.rewards.trl(task)(prompts=["a"], completions=[[SAID]]) == [1.0]


def test_a_row_of_the_data_set_is_the_record() -> None:
    spec = {"kind": "task", "name": "t", "record": {"reference": "gold", "context": "task.kind"}}
    fields = {"town": {"score": "equal", "reference": "reference[0]"}}
    reward = scoring.rewards.trl({**spec, "fields": fields})
    assert reward(prompts=["?"] * 2, completions=[[SAID], "Rome"], gold=[["Paris"], ["Paris"]]) == [1.0, 0.0]


@pytest.mark.parametrize("name", sorted(scoring.rewards.__all__))
def test_each_trainer_has_a_function_with_a_page(name: str) -> None:
    assert getattr(scoring.rewards, name).__name__ == name
    page = Path(__file__).resolve().parents[3] / "docs/hosts/trainers.md"
    assert f"`{name}`" in page.read_text(encoding="utf-8")
