"""The key `reward`: what it refuses, what it makes of each outcome, and that it is part of what a task means."""

from __future__ import annotations

import math
import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scoring
from scoring.engine.road.evaluate import unscored
from scoring.extensions.hosts.rewards.rule import RewardRule
from scoring.extensions.hosts.rewards.trainer import TrainerReward
from scoring.extensions.processes import crew
from scoring.extensions.processes.child import ChildProcess
from scoring.result import MISSING, Outcome, RecordResult

TASK: dict[str, Any] = {
    "kind": "task",
    "name": "demo/amounts",
    "version": "1.0.0",
    "parse": "json",
    "fields": {"total": "number | equal", "town": "levenshtein"},
    "pass": "total == 1",
}
WRONG = [
    ({"unparsed": 0.1}, "the worst answer is given 0, and what is unparsed would be given more: 0.1"),
    (
        {"unscored": 0.5, "range": [0.25, 1]},
        "the worst answer is given 0.25, and what is unscored would be given more: 0.5",
    ),
    (
        {"not_applicable": -0.5, "range": [-1, 1]},
        "the worst answer is given -1, and what is not applicable would be given",
    ),
    ({"unparsed": "zero"}, "a reward is a number, or `skip` for none"),
    ({"unparsed": math.inf}, "is not a number that a spec can use"),
    ({"range": [1, 0]}, "rewards go from the first number to the second, which must be greater than 1"),
    ({"range": [0, 0]}, "rewards go from the first number to the second, which must be greater than 0"),
    ({"range": [0]}, "expected at least 2 items"),
    ({"seconds": 0}, "expected more than 0"),
    ({"gate": "score"}, "expected `pass`"),
    ({"unparse": -1}, "unparse"),
]


def task_with(reward: dict[str, Any], **more: Any) -> scoring.Task:
    return scoring.load({**TASK, **more, "reward": reward})


def reward_of(task: scoring.Task, response: Any, reference: Any = None) -> float | None:
    gold = {"total": 3, "town": "Rome"} if reference is None else reference
    return RewardRule(task).reward_of(task.score_parts(response, gold))


@pytest.mark.parametrize(("reward", "message"), WRONG, ids=str)
def test_what_would_reward_failures_is_refused(reward: dict[str, Any], message: str) -> None:
    with pytest.raises(scoring.SpecError) as told:
        task_with(reward)
    assert message in str(told.value)


def test_a_gate_needs_what_passes() -> None:
    spec = {name: value for name, value in TASK.items() if name != "pass"}
    with pytest.raises(scoring.SpecError, match="the task does not say what passes"):
        scoring.load({**spec, "reward": {"gate": "pass"}})


def test_scores_without_an_end_have_no_place_on_a_scale() -> None:
    task = scoring.load({"kind": "task", "name": "t", "score": "number | absolute_error"})
    with pytest.raises(scoring.InputError, match=r"the scores of t lie in \[0, inf\], and rewards in \[0, 1\]: bound"):
        RewardRule(task)


def test_the_score_is_the_reward_without_the_key() -> None:
    task = scoring.load(TASK)
    for response in (
        '{"total": 3, "town": "Rome"}',
        '{"total": 3, "town": "Roma"}',
        '{"total": 4, "town": "Rom"}',
        "[]",
    ):
        result = task.score_parts(response, {"total": 3, "town": "Rome"})
        assert RewardRule(task).reward_of(result) == result.score


@pytest.mark.parametrize(
    ("policy", "reward", "expected"),
    [
        ({}, {}, None),
        ({}, {"unparsed": -0.1}, -0.1),
        ({}, {"unparsed": "skip"}, None),
        ({"on_unparsed": "zero"}, {}, 0.0),
        ({"on_unparsed": "zero"}, {"range": [-1, 1]}, -1.0),
        ({"on_unparsed": "zero"}, {"unparsed": -0.1}, -0.1),
        ({"on_unparsed": "zero"}, {"unparsed": "skip"}, None),
    ],
)
def test_an_answer_that_does_not_parse(policy: dict[str, Any], reward: dict[str, Any], expected: float | None) -> None:
    assert reward_of(task_with(reward, **policy), "no JSON") == expected


@pytest.mark.parametrize(
    ("reward", "expected"), [({}, None), ({"unscored": "skip"}, None), ({"unscored": -2}, -2.0), ({"unscored": 0}, 0.0)]
)
def test_a_record_that_is_unscored(reward: dict[str, Any], expected: float | None) -> None:
    assert reward_of(task_with(reward), '{"total": 3}', MISSING) == expected


@pytest.mark.parametrize(("reward", "expected"), [({}, None), ({"not_applicable": -1}, -1.0)])
def test_a_record_to_which_the_task_does_not_apply(reward: dict[str, Any], expected: float | None) -> None:
    result = RecordResult(1, Outcome(None, "not_applicable", "nothing is asked"))
    assert RewardRule(task_with(reward)).reward_of(result) == expected


def test_the_scale_holds_the_range_of_scores() -> None:
    task = task_with({"range": [-1, 3]}, aggregate="total + town")
    assert str(task.range) == "[0, 2]"
    assert reward_of(task, '{"total": 3, "town": "Rome"}') == 3.0
    assert reward_of(task, '{"total": 4, "town": "Rome"}') == 1.0
    assert reward_of(task, '{"total": 4, "town": "x"}') == -1.0


def test_an_error_is_rewarded_where_it_is_small() -> None:
    spec = {"kind": "task", "name": "t", "parse": "json", "fields": {"error": "number | absolute_error"}}
    clipped = {**spec, "aggregate": "clip(error, 0, 10)", "metrics": ["mean"]}
    task = scoring.load({**clipped, "better": {"mean": "lower"}})
    rule = RewardRule(task)
    found = [task.score_parts(f'{{"error": {said}}}', {"error": 5}) for said in (5, 10, 99)]
    assert [rule.reward_of(one) for one in found] == [1.0, 0.5, 0.0]


def test_a_best_score_between_the_ends_is_refused() -> None:
    spec = {"kind": "task", "name": "t", "score": "levenshtein", "metrics": ["mean"], "better": {"mean": 0.5}}
    with pytest.raises(scoring.InputError, match=r"the best score of t is 0\.5, and neither end"):
        RewardRule(scoring.load(spec))


def test_what_does_not_pass_is_given_the_least() -> None:
    task = task_with({"gate": "pass", "range": [0.5, 1]})
    assert reward_of(task, '{"total": 3, "town": "Roma"}') == 0.9375
    assert reward_of(task, '{"total": 4, "town": "Rome"}') == 0.5
    undecided = RecordResult(1, Outcome(0.75), passed=None)
    assert RewardRule(task).reward_of(undecided) is None
    assert RewardRule(task_with({"gate": "pass", "unscored": 0})).reward_of(undecided) == 0.0


def test_fields_are_components_on_the_same_scale() -> None:
    task = task_with({"range": [-1, 1]})
    rule = RewardRule(task)
    gold = {"total": 3, "town": "Rome"}
    assert rule.components(task.score_parts('{"total": 3, "town": "Roma"}', gold)) == {"total": 1.0, "town": 0.5}
    assert rule.components(task.score_parts("no JSON", gold)) == {"total": -1.0, "town": -1.0}
    assert rule.components(unscored(task, 1, {}, "no score within 1 s")) == {"total": -1.0, "town": -1.0}


def test_it_is_part_of_the_meaning_and_travels() -> None:
    signatures = {str(task_with(reward).signature) for reward in ({}, {"unparsed": -0.1}, {"range": [0, 2]})}
    assert len({*signatures, str(scoring.load(TASK).signature)}) >= 3
    task = task_with({"unparsed": -0.5, "seconds": 3})
    same = scoring.Task.from_bytes(task.to_bytes())
    assert same.signature == task.signature
    assert RewardRule(same).rules == RewardRule(task).rules


@given(
    low=st.floats(-100, 100),
    width=st.floats(0.01, 100),
    below=st.tuples(*[st.none() | st.just("skip") | st.floats(0, 100)] * 3),
    gate=st.sampled_from([None, "pass"]),
    policy=st.sampled_from(["unscored", "zero"]),
)
def test_no_failure_is_given_more_than_an_answer(
    low: float, width: float, below: tuple[Any, ...], gate: str | None, policy: str
) -> None:
    names = ("unparsed", "unscored", "not_applicable")
    stated = {
        name: one if isinstance(one, str) else low - one
        for name, one in zip(names, below, strict=True)
        if one is not None
    }
    reward = {**stated, "range": [low, low + width], **({"gate": gate} if gate else {})}
    task = task_with(reward, on_unparsed=policy, on_error=policy)
    rule = RewardRule(task)
    answers = ['{"total": 3, "town": "Rome"}', '{"total": 4, "town": "x"}', '{"total": 3, "town": "x"}']
    rewards = [rule.reward_of(task.score_parts(one, {"total": 3, "town": "Rome"})) for one in answers]
    failed = [
        rule.reward_of(task.score_parts("", {"total": 3, "town": "Rome"})),
        rule.reward_of(task.score_parts(answers[0], MISSING)),
        rule.reward_of(RecordResult(1, Outcome(None, "not_applicable", "nothing is asked"))),
    ]
    worst = min(one for one in rewards if one is not None)
    assert all(low <= one <= low + width for one in rewards if one is not None)
    assert all(one is None or one <= worst for one in failed)


def test_a_batch_is_one_call_of_the_task(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    whole = scoring.Task.score_columns

    def counted(self: Any, responses: Any, *args: Any, **options: Any) -> Any:
        calls.append(len(responses))
        return whole(self, responses, *args, **options)

    monkeypatch.setattr(scoring.Task, "score_columns", counted)
    rewarding = TrainerReward({"kind": "task", "name": "t", "score": "lower | equal"})
    results = rewarding.results(["Paris"] * 512, [{"reference": "paris"}] * 512)
    assert [one.score for one in results] == [1.0] * 512
    assert calls == [512]


def test_records_that_hang_cost_the_time_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    under_way: set[int] = set()  # the records that hang now
    most: list[int] = []
    sent: dict[Any, list[bytes]] = {}
    let_go = threading.Event()
    send, has_answer = ChildProcess.send, ChildProcess.has_answer

    def sending(self: Any, questions: Any) -> None:
        sent[self] = list(questions)
        send(self, questions)

    def hanging(self: Any, seconds: float) -> bool:
        if self not in sent or not seconds:  # it starts, or has answered already
            return has_answer(self, seconds)
        if b"hangs" not in sent[self][0]:
            assert has_answer(self, 60.0)
            sent[self].pop(0)
            return True
        # As if it had not ended in its time, which is over once all four are waited for.
        under_way.add(id(self))
        most.append(len(under_way))
        if len(under_way) == 4:
            let_go.set()
        if seconds > 1_000.0:  # not the first part of its time, after which others go on
            assert let_go.wait(60.0)
        return False

    monkeypatch.setattr(crew, "processor_count", lambda: 2)
    monkeypatch.setattr(ChildProcess, "send", sending)
    monkeypatch.setattr(ChildProcess, "has_answer", hanging)
    reward = {"seconds": 2_000, "unscored": -0.5}
    rewarding = scoring.rewards.trl({"kind": "task", "name": "t", "score": "lower | equal", "reward": reward})
    texts = ["hangs" if place in (0, 1, 9, 19) else "Paris" for place in range(20)]
    said = [[{"role": "assistant", "content": text}] for text in texts]
    found = rewarding(prompts=["?"] * 20, completions=said, reference=["paris"] * 20)
    assert found == [-0.5 if text == "hangs" else 1.0 for text in texts]
    assert max(most) == 4  # all of them at the same time
