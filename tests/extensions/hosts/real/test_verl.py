"""Rewards in verl's own reward manager, loaded from a file as its config names it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scoring.result import MISSING
from tests.extensions.hosts.real.letters import Letters
from tests.support.host_cases import CASES, HostCase, host_case

torch = pytest.importorskip("torch")
verl = pytest.importorskip("verl")
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[HostCase]:
    found = host_case(request.param, tmp_path, "texts")
    with found.replaying():
        yield found


def row_of(answer: str, gold: Any) -> Any:
    """A row of a batch, as the manager is given it."""
    said = [ord(letter) for letter in answer] + [Letters.END]
    tensors = {
        "prompts": torch.tensor([[1, 2]]),
        "responses": torch.tensor([said]),
        "attention_mask": torch.ones(1, 2 + len(said), dtype=torch.long),
    }
    ground = None if gold is MISSING else json.dumps(gold)
    held = {"data_source": "demo", "reward_model": {"ground_truth": ground}, "extra_info": {"index": 1}}
    return verl.DataProto.from_dict(tensors, {name: np.array([value], dtype=object) for name, value in held.items()})


def test_the_managers_rewards_are_the_scores(case: HostCase, tmp_path: Path) -> None:
    naive = pytest.importorskip("verl.experimental.reward_loop.reward_manager.naive")
    utils = pytest.importorskip("verl.utils.import_utils")
    file = tmp_path / "rewards.py"
    text = f"import scoring\ncompute_score = scoring.rewards.verl({str(case.spec)!r}, references_as='json')\n"
    file.write_text(text, encoding="utf-8")
    compute_score = utils.load_extern_object(module_path=str(file), object_name="compute_score")
    rows = [one for one in case.records if isinstance(one.response, str)]

    async def all_of_them() -> list[Any]:
        manager = naive.NaiveRewardManager({}, Letters(), compute_score)
        return [await manager.run_single(row_of(one.response, one.reference)) for one in rows]

    found = asyncio.run(all_of_them())
    lines = {line["id"]: line for line in case.lines}
    assert [one["reward_score"] for one in found] == [lines[one.id].get("score") or 0.0 for one in rows]
    told = [(one["reward_extra_info"]["status"], one["reward_extra_info"]["reason"]) for one in found]
    assert told == [(lines[one.id]["status"], lines[one.id].get("reason") or "") for one in rows]
    assert len({tuple(one["reward_extra_info"]) for one in found}) == 1  # it takes the names of the first for all
    case.check(case.scores, signature=compute_score.task.signature)
