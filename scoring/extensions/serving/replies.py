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
    """Return the reply to ``/verify``: the request, the reward, its components, and the scoring of the row.

    A row without a score carries the mark that takes it to the file of failures, so that its 0.0 counts nowhere.
    """
    reply = {**body, **about, "reward": 0.0, "reward_components": dict(answer.components), **_told(answer)}
    reply |= {f"field/{name}": score for name, score in answer.components.items()}
    if answer.score is None:
        reply |= {"_ng_failure_class": f"scoring_{answer.status}", "_ng_failure_reason": answer.reason or ""}
    else:
        reply["reward"] = answer.score
        if not answer.components:
            reply["reward_components"] = {"score": answer.score}
    return dumps(reply)


def openrlhf_reply(answers: Sequence[ServedAnswer], about: Mapping[str, Any]) -> str:
    """Return the reply to ``remote_rm_url``: lists with a value for each query; null where there is no score, and null
    instead of a list of nothing else, which the trainer takes for no reward."""
    scores = [answer.score for answer in answers]
    rewards = scores if any(score is not None for score in scores) else None
    counts = {
        status: [float(answer.status == status) for answer in answers]
        for status in ("unscored", "unparsed", "not_applicable")
    }
    return dumps(
        {
            "rewards": rewards,
            "scores": rewards,
            "extra_logs": counts,
            **about,
            "results": [_told(answer) for answer in answers],
        }
    )


def vertex_reply(answer: ServedAnswer, about: Mapping[str, Any]) -> str:
    """Return the reply to Vertex AI's tuning: the reward within its range, and why in what its logs keep.

    Raises:
        Rejected: when there is no score: the service counts the call as failed.
    """
    if answer.score is None:
        raise Rejected(422, f"no reward, {answer.status}: {answer.reason or 'no reason is known'}")
    reward = max(-1.0, min(1.0, answer.score))
    return dumps({"reward": reward, **_told(answer), **about, "user_requested_aux_info": about["meaning"]})


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
        if isinstance(row, dict) and isinstance(row.get("reward"), int | float) and "_ng_failure_class" not in row
    ]
    found = {"mean/reward": fmean(rewards)} if rewards else {}
    return dumps({"group_level_metrics": [], "agent_metrics": found, "key_metrics": found})
