"""Judge throughput against a local server that answers at once, and the account of a disturbed run.

python benchmarks/judge.py [--faults]

The server is a process of its own (and shares the machine), so the figures are what this side costs per call, at most.
"""

from __future__ import annotations

import json
import multiprocessing
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))

from scoring.judge.asking.cache import JudgeCache  # noqa: E402  # the repository must be on the path first
from scoring.judge.asking.cached import CachedJudge  # noqa: E402
from scoring.judge.asking.client import HttpJudge  # noqa: E402
from scoring.judge.asking.concurrent import in_threads  # noqa: E402
from scoring.judge.asking.settings import JudgeSettings  # noqa: E402
from scoring.judge.programs.run import run_program  # noqa: E402
from scoring.judge.protocol import Judge, Message, Question  # noqa: E402

CALLS = 1_500


def serve(connection: Any) -> None:
    """A process with a server; sends its address and ends when it is told so."""
    from tests.support.judge_server import JudgeServer

    with JudgeServer() as server:
        server.keep_bodies = False
        connection.send(server.url)
        connection.recv()


def per_second(judge: Judge, calls: int, workers: int, label: str) -> float:
    """Calls per second with questions that were not asked before under this label."""
    questions = [Question((Message("user", (f"{label} {number}",)),)) for number in range(calls)]
    start = time.perf_counter()
    for _ in in_threads(judge.ask, questions, workers):
        pass
    return calls / (time.perf_counter() - start)


def bare_httpx(url: str, calls: int) -> float:
    """The same calls through httpx alone, one after another: what the client adds is the difference."""
    import httpx

    body = {"model": "m", "messages": [{"role": "user", "content": "x"}], "temperature": 0.0}
    with httpx.Client() as client:
        start = time.perf_counter()
        for _ in range(calls):
            client.post(url + "/chat/completions", json=body).json()
        return calls / (time.perf_counter() - start)


def measure(url: str) -> dict[str, Any]:
    """Calls per second in the settings that matter."""
    result: dict[str, Any] = {"calls": CALLS, "httpx alone, one at a time": bare_httpx(url, CALLS)}
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(HttpJudge(JudgeSettings(url, "m", concurrency=32))) as client,
        closing(JudgeCache(Path(folder) / "judge.db")) as cache,
    ):
        result["client, one at a time"] = per_second(client, CALLS, 1, "one")
        for workers in (8, 32):
            result[f"client, {workers} at once"] = per_second(client, CALLS, workers, f"{workers}")
        judge = CachedJudge(cache, client)
        result["client and cache, one at a time"] = per_second(judge, CALLS, 1, "cached")
        result["client and cache, 8 at once"] = per_second(judge, CALLS, 8, "cached 8")
        replay = CachedJudge(cache, None, name="m", parameters=client.parameters)
        result["replayed from the cache"] = per_second(replay, CALLS, 1, "cached")
        result["two-step program, records at 8 at once"] = programs(judge, CALLS // 2)
    rates = {name: round(rate) for name, rate in result.items()}
    overhead = 1e6 / result["client and cache, one at a time"] - 1e6 / result["httpx alone, one at a time"]
    return {**rates, "overhead per call over httpx, microseconds": round(overhead)}


def programs(judge: Judge, records: int) -> float:
    """Records per second of a program that asks twice."""
    import yaml

    from scoring.judge.programs.program import load_program

    pack = yaml.safe_load((REPOSITORY / "specs" / "valor-llm" / "pack.yaml").read_text(encoding="utf-8"))
    program = load_program("bias", pack["judges"])
    rows = [{"response": f"Answer {number}."} for number in range(records)]
    start = time.perf_counter()
    for _ in in_threads(lambda row: run_program(program, row, judge), rows, 8):
        pass
    return records / (time.perf_counter() - start)


def disturbed() -> dict[str, Any]:
    """2,000 records, one failure in five, three kills: what was lost, doubled, billed twice."""
    from tests.support.judge_server import JudgeServer, every_fifth
    from tests.unit.judge.test_faults import KILLS, RECORDS, finish, kill_after, start

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with JudgeServer() as calm:
            calm.keep_bodies = False
            expected = finish(calm, folder / "calm.db", folder / "calm.jsonl")
        with JudgeServer(plan=every_fifth) as server:
            server.keep_bodies = False
            cache, out = folder / "judge.db", folder / "out.jsonl"
            for kill in range(1, KILLS + 1):
                kill_after(start(server, cache, out), server, kill * len(calm.billed) // (KILLS + 1))
            found = finish(server, cache, out)
        ids = [row["id"] for row in found]
        return {
            "records": RECORDS, "kills": KILLS, "requests": server.number, "faults": dict(server.faults),
            "lost": RECORDS - len(set(ids)), "duplicated": len(ids) - len(set(ids)),
            "calls needed": len(calm.billed), "calls billed": sum(server.billed.values()),
            "billed twice": sum(count - 1 for count in server.billed.values()),
            "answered again after a kill or a cut": sum(count - 1 for count in server.delivered.values() if count > 1),
            "identical": found == expected,
        }  # fmt: skip


def main() -> None:
    """Print the figures as JSON."""
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(theirs,), daemon=True)
    server.start()
    result = measure(ours.recv())
    ours.send("end")
    server.join(10)
    if "--faults" in sys.argv:
        result["disturbed run"] = disturbed()
    json.dump(result, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
