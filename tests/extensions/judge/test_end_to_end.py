"""The whole path with a real model: a pack's judge programs, a real server, JSON schemas, the cache, a replay.

The model is far too small to judge well. What is tested is that its replies come through: each is either a verdict
that satisfies the schema or leaves its record unscored, and a replay gives the same without a server.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

from scoring.extensions.judge.asking.cache import JudgeCache
from scoring.extensions.judge.asking.opening import open_judge
from scoring.extensions.judge.asking.settings import JudgeSettings
from scoring.extensions.judge.programs.program import load_program
from tests.support.judge_run import judge_all
from tests.support.model_server import model_file
from tests.support.waiting import PATIENCE, running

REPOSITORY = Path(__file__).resolve().parents[3]
JUDGES = yaml.safe_load((REPOSITORY / "specs" / "valor-llm" / "pack.yaml").read_text(encoding="utf-8"))["judges"]
ROWS = [
    {
        "query": "When does the ferry leave?",
        "response": "The ferry leaves at noon. It is a beautiful boat.",
        "contexts": ["The ferry to the island leaves at noon every day.", "Tickets are sold on board."],
        "references": ["At noon."],
        "text": "The ferry to the island leaves at noon. Tickets are sold on board.",
        "summary": "A ferry goes at noon.",
    }
]

pytestmark = [
    pytest.mark.skipif(
        find_spec("xllamacpp") is None or model_file() is None, reason="extra judge-e2e is not installed"
    )
]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    command = [sys.executable, "-m", "tests.support.model_server"]
    pipe = subprocess.PIPE
    with running(command, cwd=REPOSITORY, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout is not None
        assert server.stdin is not None
        line = next((line for line in server.stdout if line.startswith("address ")), "")
        assert line, "the model server did not start"
        yield line.split()[1] + "/v1"
        server.stdin.close()
        server.wait(PATIENCE)


@pytest.mark.parametrize("metric", ["context_relevance", "summary_coherence"])
def test_a_real_model_judges_through_the_whole_path(address: str, metric: str, tmp_path: Path) -> None:
    settings = JudgeSettings(address, "smollm2", seed=1, max_tokens=200, timeout=120, restarts=1, concurrency=1)
    program = load_program(metric, JUDGES)
    with closing(open_judge(settings, cache=tmp_path / "judge.db")) as judge:
        (outcome,) = judge_all(program, ROWS, judge, workers=1)
    assert outcome.status in ("scored", "unscored")
    if outcome.status == "scored":
        assert program.low <= outcome.value <= program.high
    else:
        assert outcome.reason is not None
        assert "invalid reply" in outcome.reason or "incomplete" in outcome.reason
    with closing(JudgeCache(tmp_path / "judge.db")) as cache:
        assert cache.execute("SELECT min(completion_tokens) FROM calls")[0][0] > 0, "the server counts tokens"
    with closing(open_judge(settings, cache=tmp_path / "judge.db", replay=True)) as replayed:
        assert judge_all(program, ROWS, replayed, workers=1) == [outcome]
