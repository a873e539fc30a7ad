"""Rewards in OpenRLHF's own executor, loaded from the file that is named in place of a remote reward model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from scoring.result import MISSING
from tests.extensions.hosts.real.letters import Letters
from tests.support.host_cases import CASES, HostCase, host_case

torch = pytest.importorskip("torch")
agent = pytest.importorskip("openrlhf.utils.agent")
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[HostCase]:
    found = host_case(request.param, tmp_path, "texts")
    with found.replaying():
        yield found


class Engine:
    """What gives answers that are known before."""

    def __init__(self, answer: str) -> None:
        self.tokens = [ord(letter) for letter in answer] + [Letters.END]

    async def generate(self, *_: Any, **__: Any) -> Any:
        """Return the answer, and the token that ends it."""
        output = SimpleNamespace(token_ids=self.tokens, finish_reason="stop", logprobs=None)
        return SimpleNamespace(outputs=[output])


def test_the_executors_rewards_are_the_scores(case: HostCase, tmp_path: Path) -> None:
    file = tmp_path / "rewards.py"
    text = f"import scoring\nreward_func = scoring.rewards.openrlhf({str(case.spec)!r}, references_as='json')\n"
    file.write_text(text, encoding="utf-8")
    executor = agent.SingleTurnAgentExecutor(str(file))
    settings = SimpleNamespace(max_tokens=100_000, logprobs=None)
    rows = [one for one in case.records if isinstance(one.response, str)]

    async def all_of_them() -> list[Any]:
        found = []
        for one in rows:
            label = None if one.reference is MISSING else json.dumps(one.reference)
            given = ("What do you see?<|im_end|>", label, settings, 200_000, Letters(), Engine(one.response))
            found.append(await executor.execute(*given))
        return found

    found = asyncio.run(all_of_them())
    scores = {line["id"]: line.get("score") or 0.0 for line in case.lines}
    wanted = torch.tensor([scores[one.id] for one in rows], dtype=torch.float32)
    assert torch.equal(torch.cat([one["reward"] for one in found]), wanted)
    assert torch.equal(torch.cat([one["scores"] for one in found]), wanted)
    unparsed = [line["status"] == "unparsed" for line in case.lines if line["id"] in {one.id for one in rows}]
    assert [bool(one["extra_logs"]["unparsed"]) for one in found] == unparsed
