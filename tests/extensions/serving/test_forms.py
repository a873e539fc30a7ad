"""The requests of trainers, in the forms of their sources, and a script that promptfoo runs."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from yaml import safe_load

import scoring
from scoring.extensions.hosts.rewards.openrlhf import CUT
from scoring.extensions.serving.answering import ServedAnswer
from scoring.extensions.serving.replies import vertex_reply
from scoring.extensions.serving.verbs import scoring_service
from tests.extensions.hosts.test_reward_servers import verified
from tests.extensions.serving.asking import asked
from tests.extensions.serving.conftest import REWARDED
from tests.extensions.serving.conftest import TOWNS as TOWN_TASK

TOWNS = "/tasks/demo/towns"
GOLD = {"town": "Rome", "zip": 1}
RIGHT, HALF, NONE = '{"town": "rome", "zip": 1}', '{"town": "rome", "zip": 2}', "no answer"


def rollout(*texts: str, **more: Any) -> dict[str, Any]:
    """A request of NeMo Gym to `/verify`: a rollout whose last message consists of these texts."""
    blocks = [{"type": "output_text", "text": text, "annotations": []} for text in texts]
    output = [
        {"type": "reasoning", "id": "r", "summary": []},
        {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": blocks},
    ]
    created = {"input": [{"role": "user", "content": "Which town?"}]}
    return {"responses_create_params": created, "response": {"id": "resp", "output": output}, **more}


def test_nemo_gym_verifies_a_rollout_by_the_paths_of_the_spec(port: int) -> None:
    body = rollout(HALF[:5], HALF[5:], gold=GOLD, _ng_task_index=3)
    status, _, found = asked(port, f"{TOWNS}/verify", body)
    assert status == 200
    assert {name: found[name] for name in body} == body
    assert (found["reward"], found["reward_components"]) == (0.5, {"town": 1.0, "zip": 0.0})
    assert (found["field/town"], found["status"], found["task"]) == (1.0, "scored", "demo/towns")
    assert found["meaning"].endswith("|seed:0")
    assert found["mask_sample"] is False
    assert not {"_ng_failure_class", "failure_kind"} & found.keys()


def test_nemo_gym_keeps_what_has_no_score_apart(port: int) -> None:
    _, _, found = asked(port, f"{TOWNS}/verify", rollout(NONE, gold=GOLD))
    assert (found["reward"], found["mask_sample"], found["_ng_failure_class"]) == (0.0, True, "scoring_unparsed")
    assert found["reason"] == "town: no JSON object in the response (9 characters)"
    assert "failure_kind" not in found
    _, _, found = asked(port, f"{TOWNS}/verify", {"response": {"output": []}, "gold": GOLD})
    assert (found["status"], found["mask_sample"]) == ("unparsed", True)
    _, _, found = asked(port, f"{TOWNS}/verify", rollout(HALF))
    assert (found["mask_sample"], found["failure_kind"]) == (True, "scoring:unscored")
    assert found["failure_reason"] == found["reason"] is not None


def test_nemo_gym_is_given_what_our_method_for_it_gives(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    task = safe_load(REWARDED)
    for said, wanted in ((RIGHT, GOLD), (HALF, GOLD), (NONE, GOLD), (HALF, None)):
        ours = verified(said, wanted, monkeypatch, task)
        found = asked(port, f"/tasks/{task['name']}/verify", rollout(said, gold=wanted))[2]
        names = {"reward", "reward_components", "mask_sample", "status", "failure_kind"}
        assert {name: found.get(name) for name in names} == {name: ours.get(name) for name in names}


def test_nemo_gym_may_verify_again_and_needs_no_session(port: int) -> None:
    assert asked(port, "/reverify_mode")[2] == "stateless"
    assert asked(port, "/seed_session", {})[2] == {}
    rows = [{"reward": 1.0, "status": "scored"}, {"reward": 0.0, "status": "scored"}]
    _, _, found = asked(port, "/aggregate_metrics", {"verify_responses": rows})
    assert found["agent_metrics"] == {"mean/reward": 0.5}
    assert found["key_metrics"] == {"mean/reward": 0.5}


def test_openrlhf_is_given_rewards_in_order(port: int) -> None:
    prompt, end = "<|user|>Which town?<|assistant|>", "<|im_end|>"
    queries = [f"<s>{prompt}{text}{end}" for text in (RIGHT, HALF, NONE)]
    body = {"query": [*queries, "cut"], "prompts": [prompt] * 4, "labels": [json.dumps(GOLD)] * 4}
    status, _, found = asked(port, f"{TOWNS}/get_reward?references_as=json", body)
    assert (status, found["rewards"], found["scores"]) == (200, [1.0, 0.5, 0.0, 0.0], [1.0, 0.5, 0.0, 0.0])
    assert found["extra_logs"] == {"unparsed": [0.0, 0.0, 1.0, 0.0], "unscored": [0.0, 0.0, 0.0, 1.0]}
    assert [one["status"] for one in found["results"]] == ["scored", "scored", "unparsed", "unscored"]
    assert found["results"][3]["reason"] == CUT
    named = {"query": [f"{prompt}{RIGHT}####"], "prompts": [prompt], "labels": [json.dumps(GOLD)]}
    assert asked(port, f"{TOWNS}/get_reward?references_as=json&end=%23%23", named)[2]["rewards"] == [1.0]


@pytest.mark.parametrize("spec", [TOWN_TASK, REWARDED], ids=["towns", "rewarded"])
def test_openrlhf_is_given_what_our_function_for_it_gives(port: int, spec: str) -> None:
    task = safe_load(spec)
    said = (RIGHT, HALF, NONE, "", f"{HALF}</s></s>")
    body = {"query": [f"Q {one}" for one in said], "prompts": ["Q "] * 4 + ["P "], "labels": [GOLD] * 5}
    found = asked(port, f"/tasks/{task['name']}/get_reward", body)[2]
    ours = scoring.rewards.openrlhf(task).reply(body)
    assert {name: found[name] for name in ours} == ours


def test_what_the_spec_says_of_rewards_holds(port: int) -> None:
    body = {"query": [HALF, NONE], "labels": [GOLD, GOLD]}
    found = asked(port, "/tasks/demo/rewarded/get_reward", body)[2]
    assert (found["rewards"], found["scores"]) == ([0.0, -1.0], [0.5, 0.0])
    found = asked(port, "/tasks/demo/rewarded/verify", rollout(NONE, gold=GOLD))[2]
    assert (found["reward"], found["mask_sample"], found["status"]) == (-1.0, False, "unparsed")
    example = {"references": {"gold": json.dumps(GOLD)}}
    vertex = {"example": example, "response": {"parts": [{"text": NONE}]}}
    status, _, found = asked(port, "/tasks/demo/rewarded/vertex?references_as=json", vertex)
    assert (status, found["reward"], found["score"]) == (200, -1.0, None)


def test_scores_without_a_scale_have_no_reward(tmp_path: Path) -> None:
    spec = tmp_path / "unbounded.yaml"
    spec.write_text("kind: task\nname: unbounded\nscore: number | absolute_error\n", encoding="utf-8")
    with scoring_service(spec, port=0, processes=1, seconds=20) as service:
        assert asked(service.port, "/score", {"response": "3", "reference": 5})[2]["score"] == 2.0
        status, _, found = asked(service.port, "/get_reward", {"query": ["3"], "labels": [5]})
    assert status == 422
    assert found["error"].startswith("the scores of unbounded lie in ")


def test_openrlhf_columns_of_two_lengths_are_refused(port: int) -> None:
    status, _, found = asked(port, f"{TOWNS}/get_reward", {"query": ["a", "b"], "labels": ["a"]})
    assert (status, found["error"]) == (422, "2 queries do not go with 1 labels: give one for each")


def test_vertex_is_given_a_reward_and_why(port: int) -> None:
    thought = {"text": "Hm.", "thought": True}
    body = {
        "example": {"contents": [], "references": {"gold": json.dumps(GOLD)}},
        "response": {"parts": [thought, {"text": HALF}]},
        "metadata": {"step": 1, "tuningJobId": 123456789},
    }
    status, _, found = asked(port, f"{TOWNS}/vertex?references_as=json", body)
    assert (status, found["reward"], found["status"]) == (200, 0.5, "scored")
    body["example"] = {"references": {"a": "x", "b": json.dumps(GOLD)}}
    assert asked(port, f"{TOWNS}/vertex?references_as=json&reference=b", body)[2]["reward"] == 0.5
    status, _, found = asked(port, f"{TOWNS}/vertex?references_as=json&reference=c", body)
    assert (status, found["error"]) == (422, "`example.references` has no `c`, which the address asks for")


def test_vertex_counts_what_has_no_score_as_failed(port: int) -> None:
    body = {"example": {"references": {"a": json.dumps(GOLD)}}, "response": {"parts": [{"text": NONE}]}}
    status, _, found = asked(port, f"{TOWNS}/vertex?references_as=json", body)
    reason = "town: no JSON object in the response (9 characters)"
    assert (status, found["error"]) == (422, f"no reward, unparsed: {reason}")
    _, _, task = asked(port, f"{TOWNS}/score", {"response": NONE, "reference": GOLD})
    assert (found["status"], found["reason"], found["meaning"]) == ("unparsed", reason, task["meaning"])


@pytest.mark.parametrize(("score", "reward"), [(7.5, 1.0), (-3.0, -1.0), (0.25, 0.25)])
def test_a_reward_of_vertex_is_within_its_range(score: float, reward: float) -> None:
    reply = json.loads(vertex_reply(ServedAnswer("{}", "scored", 0.5, reward=score), {"task": "t", "meaning": "m"}))
    assert (reply["reward"], reply["score"]) == (reward, 0.5)
    assert reply["user_requested_aux_info"] == "scored (m)"


RUN = """
const assertion = require(process.argv[1]);
const config = { url: process.argv[2], task: 'demo/towns', references_as: 'json', reference: 'gold' };
const vars = { id: 'a', gold: '{"town": "Rome", "zip": 1}' };
Promise.all(JSON.parse(process.argv[3]).map((output) => assertion(output, { vars, config })))
  .then((found) => console.log(JSON.stringify(found)));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="the assertion is run by Node")
def test_the_assertion_keeps_named_scores(port: int, tmp_path: Any) -> None:
    _, headers, script = asked(port, "/promptfoo.cjs")
    assert headers["content-type"].startswith("text/javascript")
    (tmp_path / "promptfoo.cjs").write_text(script, encoding="utf-8")
    command = ["node", "-e", RUN, str(tmp_path / "promptfoo.cjs"), f"http://127.0.0.1:{port}"]
    done = subprocess.run([*command, json.dumps([RIGHT, HALF, NONE])], capture_output=True, text=True, check=True)
    right, half, none = json.loads(done.stdout)
    assert (right["pass"], right["score"], half["pass"], half["score"]) == (True, 1.0, False, 0.5)
    assert half["namedScores"] == {
        "score": 0.5, "counted": 1, "scored": 1, "unscored": 0, "unparsed": 0, "not_applicable": 0,
        "field.town": 1.0, "field.zip": 0.0,
    }  # fmt: skip
    assert (none["score"], none["namedScores"]["counted"], none["namedScores"]["unparsed"]) == (0, 0, 1)
    assert re.fullmatch(r"unparsed: town: no JSON .* \(demo/towns, .*\|seed:0\)", none["reason"])
