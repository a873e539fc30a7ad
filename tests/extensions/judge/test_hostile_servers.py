"""What servers that mean harm can do to a run: cost it a bounded time, and give its records reasons; nothing else."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import scoring
from scoring.api.tasks import Task
from scoring.extensions.judge.asking.cache import JudgeCache
from scoring.extensions.judge.asking.cached import CachedJudge
from scoring.extensions.judge.asking.client import HttpJudge
from scoring.extensions.judge.asking.settings import JudgeSettings
from scoring.extensions.judge.protocol import use_judge
from tests.extensions.judge.hostile_servers import SECRET, SERVERS, Server, listening

RECORDS = [{"id": number, "response": f"text {number}", "reference": ""} for number in range(2)]


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCORING_JUDGE_KEY", SECRET)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "https_proxy", "HTTPS_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Task:
    """A task whose judge gives a number from 0 to 9."""
    folder = tmp_path_factory.mktemp("task")
    rate = {
        "prompt": "How good?",
        "reply": {"integer": {"minimum": 0, "maximum": 9}},
        "inputs": {"text": "prediction"},
        "show": ["text"],
        "gives": {"n": "@"},
        "score": "n / 9",
    }
    pack = {"kind": "pack", "name": "rating", "version": "1.0.0", "judges": {"rate": rate}}
    (folder / "rating.yaml").write_text(json.dumps(pack))
    spec = {"kind": "task", "name": "t", "imports": {"r": "./rating.yaml"}, "score": "r.rate"}
    (folder / "task.yaml").write_text(json.dumps(spec))
    return scoring.load(folder / "task.yaml")


def test_there_are_so_many_servers() -> None:
    assert len({server.name for server in SERVERS}) == len(SERVERS) >= 92


@pytest.mark.parametrize("server", SERVERS, ids=lambda server: server.name)
def test_a_server_ends_no_run_and_its_records_have_scores_or_reasons(
    server: Server, task: Task, tmp_path: Path
) -> None:
    with listening(server.script) as place:
        settings = JudgeSettings(
            f"{server.scheme}://{place}/v1", "m", timeout=server.timeout, retries=1, backoff=0.001, longest_wait=0.01
        )
        judge = CachedJudge(JudgeCache(tmp_path / "judge.db"), HttpJudge(settings))
        with closing(judge), use_judge(judge):
            workers = 2 if server.says else 1  # one after the other, an answer can come to the question after its own
            run = scoring.evaluate(task, RECORDS, output=tmp_path / "run", judge_workers=workers, keep_records=True)
    outcomes = [record.outcome for record in run.records]
    if server.says:
        assert [outcome.status for outcome in outcomes] == ["unscored"] * 2
        assert all(server.says in (outcome.reason or "") for outcome in outcomes), outcomes
    else:
        assert [outcome.value for outcome in outcomes] == [1.0, 1.0]
        with closing(sqlite3.connect(tmp_path / "judge.db")) as held:
            kept = held.execute("SELECT answered_by, finish_reason FROM calls").fetchall()
        assert len(kept) == 2, "what is paid for is kept"
        assert all(len(word) <= 1_000 and word.isprintable() for row in kept for word in row)
    written = {path.name: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert not [name for name, text in written.items() if SECRET.encode() in text]
    assert not [name for name, text in written.items() if b"\x1b" in text and name != "judge.db"]
