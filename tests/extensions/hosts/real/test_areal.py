"""Rewards in AReaL's own wrapper, which computes them in processes of a pool."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.result import MISSING
from tests.support.host_cases import CASES, HostCase, host_case

reward_api = pytest.importorskip("areal.api.reward_api")
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[HostCase]:
    found = host_case(request.param, tmp_path, "texts")
    with found.replaying():
        yield found


def test_the_wrappers_rewards_are_the_scores(case: HostCase) -> None:
    workers = 1 + CASES.index(case.name)  # pools are kept by their size, and have the environment of their start
    wrapper = reward_api.AsyncRewardWrapper(
        scoring.rewards.areal(case.spec, reference="wanted"), timeout_seconds=60, max_workers=workers
    )
    rows = [one for one in case.records if one.response is not None]

    async def all_of_them() -> list[Any]:
        given = ((one.response, None if one.reference is MISSING else one.reference) for one in rows)
        calls = (wrapper("?", f"{said}<|im_end|>", [1], [2], wanted=gold, messages=[]) for said, gold in given)
        return await asyncio.gather(*calls)

    scores = {line["id"]: line.get("score") or 0.0 for line in case.lines}
    found = asyncio.run(all_of_them())
    wrapper._executors[workers].shutdown()
    assert found == [scores[one.id] for one in rows]
