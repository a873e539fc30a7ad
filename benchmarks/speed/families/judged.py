"""The whole command on answers that a judge is asked about, over a server that takes 50 ms for each."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.speed.row import PEERS, Call, Command, Peer, Row, by_script, records, scored, task, write_lines

REPLY = {
    "type": "object",
    "required": ["verdicts"],
    "properties": {"verdicts": {"type": "array", "minItems": 1, "maxItems": 1, "items": {"enum": ["yes", "no"]}}},
}
PACK = {
    "kind": "pack",
    "name": "same-answer",
    "version": "1.0.0",
    "judges": {
        "same_answer": {
            "doc": "1 where the response says the same as the reference.",
            "inputs": {"response": "prediction", "wanted": "reference"},
            "prompt": "Do the two answers mean the same?",
            "reply": {"json": REPLY},
            "show": ["response", "wanted"],
            "gives": {"verdicts": "verdicts"},
            "score": "count(verdicts, yes)",
        }
    },
}
TASK = task("judged", imports={"mine": "./judges.json"}, score="mine.same_answer")


def prepare(folder: Path, size: int, seed: int) -> None:
    """The task, its pack and its records."""
    (folder / "judges.json").write_text(json.dumps(PACK))
    (folder / "task.json").write_text(json.dumps(TASK))
    rows = (
        {"id": n, "response": f"the answer {seed}, {n}, I believe", "reference": f"answer {n}"} for n in range(size)
    )
    write_lines(folder / "records.jsonl", rows)


@contextmanager
def server(folder: Path) -> Iterator[None]:
    """The judge: a process of its own, whose address it writes into the folder."""
    command = [sys.executable, str(PEERS / "judge_server.py"), str(folder / "url")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield
        finally:
            process.terminate()


def ours(workers: int) -> Command:
    """Our command, its cache included."""
    options = ["--judge-model", "m", "--judge-workers", str(workers), "--judge-cache", "{folder}/judge.db"]
    plain = scored(*options)

    def arguments(folder: Path) -> list[str]:
        return [*plain.arguments(folder), "--judge-url", (folder / "url").read_text()]

    return Command(arguments, plain.figure)


def pace(answers: int) -> Peer:
    """So many answers a second, which is no tool but a goal."""

    def ready(folder: Path) -> Callable[[], int]:
        return lambda: len(records(folder))

    return Peer(f"{answers:,} answers a second", Call(ready, took=lambda size: size / answers), 1, compares=False)


def row(workers: int, *paces: Peer) -> Row:
    """So many calls at once."""
    peers = (
        Peer("http.client in threads", by_script("judge.py", "{folder}", str(workers)), 0.8, is_floor=True), *paces
    )  # fmt: skip
    work = f"6,000 judged answers, {workers} workers, a cache, `scoring score`"
    return Row(f"judged/{workers}", work, 6_000, prepare, ours(workers), peers, by_clock=True, around=server)


@contextmanager
def answered(folder: Path) -> Iterator[None]:
    """The judge, who was asked everything before, so that the cache has all answers."""
    with server(folder):
        subprocess.run(ours(256).arguments(folder), stdout=subprocess.DEVNULL, check=True)
        yield


CACHED = Row(
    "judged/cached-256", "6,000 judged answers that the cache has, 256 workers, `scoring score`", 6_000, prepare,
    ours(256),
    (Peer("sqlite3 in a loop", by_script("judge_cache.py", "{folder}"), is_floor=True), pace(4_000)), by_clock=True,
    around=answered,
)  # fmt: skip
ROWS = [row(64), row(256, pace(4_000)), CACHED]
