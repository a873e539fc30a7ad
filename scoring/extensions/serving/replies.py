"""Write replies: results in our own form, and rewards in the forms of hosts that call a service for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from scoring.data.json_write import dumps
from scoring.extensions.serving.answering import ServedAnswer
from scoring.extensions.serving.reading import Rejected


def own_reply(answers: Sequence[ServedAnswer], about: Mapping[str, Any], is_batch: bool) -> str:
    """Return the reply in our own form: a result, or ``results`` with one for each row, as run folders have them."""
    head = dumps(about)[:-1]
    if not is_batch:
        return f"{head},{answers[0].text[1:]}"
    counted = sum(answer.score is not None for answer in answers)
    texts = ",".join(answer.text for answer in answers)
    return f'{head},"rows":{len(answers)},"counted":{counted},"results":[{texts}]}}'


def nemo_gym_reply(body: Mapping[str, Any], answer: ServedAnswer, about: Mapping[str, Any]) -> str:
    """Return the reply to ``/verify``: the request, the reward, its components, and how the row was scored.

    A row without a reward is given the least one, with the marks that keep it out of training, and take it to the file
    of failures, so that it counts in no figure.
    """
    reward = _or_least(answer)
    reply = {**body, **about, **_told(answer), "reward": reward, "mask_sample": answer.reward is None}
    reply["reward_components"] = dict(answer.components)
    reply |= {f"field/{name}": score for name, score in answer.components.items()}
    if answer.status in ("unscored", "not_applicable"):  # what is unparsed is the answer's own fault
        reply |= {"failure_kind": f"scoring:{answer.status}", "failure_reason": answer.reason}
    if answer.reward is None:
        reply["_ng_failure_class"] = f"scoring_{answer.status}"
    return dumps(reply)


def openrlhf_reply(answers: Sequence[ServedAnswer], about: Mapping[str, Any]) -> str:
    """Return the reply to ``remote_rm_url``: lists with a value for each query. OpenRLHF can skip none, so where there
    is no reward it is given the least one."""
    logs = {name: [float(answer.status == name) for answer in answers] for name in ("unparsed", "unscored")}
    rewards, scores = list(map(_or_least, answers)), [answer.share for answer in answers]
    told = {"extra_logs": logs, **about, "results": list(map(_told, answers))}
    return dumps({"rewards": rewards, "scores": scores, **told})


def vertex_reply(answer: ServedAnswer, about: Mapping[str, Any]) -> str:
    """Return the reply to Vertex AI's tuning: the reward within its range, and why in what its logs keep.

    Raises:
        Rejected: when there is no reward, with the status, its reason and the task's meaning: the service counts the
            call as failed.
    """
    if answer.reward is None:
        message = f"no reward, {answer.status}: {answer.reason or 'no reason is known'}"
        raise Rejected(422, message, about={**_told(answer), **about})
    reward = max(-1.0, min(1.0, answer.reward))
    said = f"{answer.status}: {answer.reason}" if answer.reason else answer.status
    more = {**about, "user_requested_aux_info": f"{said} ({about['meaning']})"}
    return dumps({"reward": reward, **_told(answer), **more})


def _or_least(answer: ServedAnswer) -> float:
    return answer.least if answer.reward is None else answer.reward


def _told(answer: ServedAnswer) -> dict[str, Any]:
    return {"score": answer.score, "status": answer.status, "reason": answer.reason}


def session_reply(body: Any) -> str:
    """Return the reply to ``/seed_session`` of NeMo Gym: there is nothing to begin.

    Raises:
        Rejected: when the body is no object.
    """
    if not isinstance(body, dict):
        raise Rejected(422, "a body is an object")
    return "{}"


def aggregate_reply(body: Any) -> str:
    """Return the reply to ``/aggregate_metrics`` of NeMo Gym: the mean reward of rollouts that have one.

    Raises:
        Rejected: when the body has no such list.
    """
    rows = body.get("verify_responses") if isinstance(body, dict) else None
    if not isinstance(rows, list):
        raise Rejected(422, "`verify_responses` is a list of verified rollouts")
    rewards = [
        float(row["reward"])
        for row in rows
        if isinstance(row, dict) and isinstance(row.get("reward"), int | float) and not _is_masked(row)
    ]
    found = {"mean/reward": fmean(rewards)} if rewards else {}
    return dumps({"group_level_metrics": [], "agent_metrics": found, "key_metrics": found})


def _is_masked(row: Mapping[str, Any]) -> bool:
    return "_ng_failure_class" in row or row.get("mask_sample") is True
