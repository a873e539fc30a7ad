"""Judge calls per second over a server that takes 50 ms, with peers beside, and the account of a disturbed run.

python benchmarks/judge.py [--faults]

The server is a process of its own and shares the machine. With so many workers as there are, workers / 50 ms is what
no client can exceed. Rates are those between the first and the last tenth of the calls; where one call in a hundred
takes two seconds, the workers that wait for it are missing elsewhere: 64 workers can make 921 calls a second then.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import multiprocessing
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))

from scoring.engine.road.threads import in_threads  # noqa: E402
from scoring.extensions.judge.asking.cache import JudgeCache  # noqa: E402  # the repository must be on the path first
from scoring.extensions.judge.asking.cached import CachedJudge  # noqa: E402
from scoring.extensions.judge.asking.client import HttpJudge  # noqa: E402
from scoring.extensions.judge.asking.settings import JudgeSettings  # noqa: E402
from scoring.extensions.judge.protocol import Message, Question  # noqa: E402

DELAY, SLOW, SLOW_EVERY = 0.05, 2.0, 100
REPLY = {"choices": [{"message": {"content": '{"verdicts": ["yes"]}'}, "finish_reason": "stop"}], "usage": {}}


class Server(asyncio.Protocol):
    """Answers each request after a while, as cheaply as it can, so that the client is what is measured."""

    seen = slow_every = 0
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(json.dumps(REPLY)), json.dumps(REPLY).encode())

    def connection_made(self, transport: Any) -> None:
        """A new connection."""
        self.transport, self.read = transport, b""

    def data_received(self, data: bytes) -> None:
        """Some of a request, which may be the end of it."""
        self.read += data
        head, _, body = self.read.partition(b"\r\n\r\n")
        if len(body) < int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0] or b"1"):
            return
        self.read = b""
        Server.seen += 1
        slow = Server.slow_every and Server.seen % Server.slow_every == 0
        asyncio.get_running_loop().call_later(SLOW if slow else DELAY, self.transport.write, self.answer)


def serve(connection: Any, slow_every: int) -> None:
    """A process with a server; sends its port."""

    async def main() -> None:
        Server.slow_every = slow_every
        server = await asyncio.get_running_loop().create_server(Server, "127.0.0.1", 0, backlog=1024)
        connection.send(server.sockets[0].getsockname()[1])
        await asyncio.Event().wait()

    asyncio.run(main())


@contextmanager
def serving(slow_every: int = 0) -> Iterator[str]:
    """The address of a server."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.Process(target=serve, args=(theirs, slow_every), daemon=True)
    process.start()
    yield f"http://127.0.0.1:{ours.recv()}/v1"
    process.terminate()
    process.join()


def question(text: str) -> Question:
    """A question of usual length."""
    return Question((Message("system", ("You judge.",)), Message("user", (text + " and so on" * 50,))))


def rate(ask: Callable[[str], Any], calls: int, workers: int) -> dict[str, float]:
    """Calls per second between the first and the last tenth, and processor time for each."""
    ends: list[float] = []

    def one(text: str) -> None:
        ask(text)
        ends.append(time.perf_counter())

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(one, [f"warm {number}" for number in range(workers)]))  # connections are open from here on
    ends.clear()
    cpu = time.process_time()
    for _ in in_threads(one, map(str, range(calls)), workers):
        pass
    cpu = time.process_time() - cpu
    ends.sort()
    between = ends[calls * 9 // 10] - ends[calls // 10]
    return {"a second": round(0.8 * calls / between), "ms of the processor each": round(1000 * cpu / calls, 3)}


def ours(url: str, calls: int, workers: int, *, cached: bool) -> dict[str, float]:
    """Our client, alone or with its cache."""
    with tempfile.TemporaryDirectory() as folder:
        client = HttpJudge(JudgeSettings(url, "m", concurrency=workers))
        judge = CachedJudge(JudgeCache(Path(folder) / "judge.db"), client) if cached else client
        with closing(judge):
            return rate(lambda text: judge.ask(question(text)), calls, workers)


def body(text: str) -> dict[str, Any]:
    """What the peers send: the same request."""
    return {"model": "m", "messages": [{"role": "user", "content": text + " and so on" * 50}], "temperature": 0.0}


def by_httpx(url: str, calls: int, workers: int) -> dict[str, float]:
    """A peer: httpx in as many threads."""
    import httpx

    limits = httpx.Limits(max_connections=workers, max_keepalive_connections=workers)
    with httpx.Client(limits=limits, timeout=60) as client:
        return rate(lambda text: client.post(url + "/chat/completions", json=body(text)).json(), calls, workers)


def by_http_client(url: str, calls: int, workers: int) -> dict[str, float]:
    """A peer: http.client of the standard library, with connections that are kept."""
    idle: list[http.client.HTTPConnection] = []
    host = url.split("/")[2]

    def ask(text: str) -> Any:
        connection = idle.pop() if idle else http.client.HTTPConnection(host, timeout=60)
        connection.request("POST", "/v1/chat/completions", json.dumps(body(text)), {"Content-Type": "application/json"})
        answer = json.loads(connection.getresponse().read())
        idle.append(connection)
        return answer

    found = rate(ask, calls, workers)
    for connection in idle:
        connection.close()
    return found


def measure() -> dict[str, Any]:
    """Calls per second in the settings that matter."""
    result: dict[str, Any] = {}
    for workers, calls in ((64, 3_000), (256, 6_000)):
        with serving() as url:
            found: dict[str, Any] = {"no client can exceed": round(workers / DELAY)}
            found["ours"] = ours(url, calls, workers, cached=False)
            found["ours, with the cache"] = ours(url, calls, workers, cached=True)
            found["http.client in threads"] = by_http_client(url, calls, workers)
            found["httpx in threads"] = by_httpx(url, 800, workers)
        with serving(SLOW_EVERY) as url:
            found["ours, with the cache, 1 % of calls take 2 s"] = ours(url, 3 * calls, workers, cached=True)
        result[f"{workers} workers"] = found
    return result | replayed() | command_line()


def replayed() -> dict[str, Any]:
    """Questions that the cache answers."""
    with tempfile.TemporaryDirectory() as folder, serving() as url:
        path = Path(folder) / "judge.db"
        with closing(CachedJudge(JudgeCache(path), HttpJudge(JudgeSettings(url, "m", concurrency=64)))) as judge:
            list(in_threads(judge.ask, (question(str(number)) for number in range(2_000)), 64))
            parameters = judge.parameters
        with closing(CachedJudge(JudgeCache(path, read_only=True), None, name="m", parameters=parameters)) as replay:
            start = time.perf_counter()
            for number in range(2_000):
                replay.ask(question(str(number)))
            return {"replayed from the cache, a second": round(2_000 / (time.perf_counter() - start))}


def command_line(rows: int = 2_000) -> dict[str, Any]:
    """The whole road, start included: `scoring score` of a task that asks a judge about every row."""
    from tests.support.judged_files import write_files

    found = {}
    with tempfile.TemporaryDirectory() as name, serving() as url:
        task, records = write_files(Path(name), 1)
        row = {"response": "the answer, I believe", "reference": "the answer", "human": True}
        lines = [json.dumps({"id": n, **row, "response": f"{row['response']} {n}"}) + "\n" for n in range(rows)]
        records.write_text("".join(lines), encoding="utf-8")
        for workers in (64, 256):
            judge = ["--judge-url", url, "--judge-model", "m", "--judge-workers", f"{workers}"]
            judge += ["--judge-cache", f"{name}/{workers}.db", "-o", f"{name}/{workers}"]
            command = [sys.executable, "-m", "scoring", "score", str(task), str(records), *judge]
            start = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True, cwd=REPOSITORY)
            found[f"`score` of {rows:,} rows, {workers} workers, seconds"] = round(time.perf_counter() - start, 2)
    return found


def disturbed() -> dict[str, Any]:
    """2,000 records, one failure in five, three kills: what was lost, doubled, billed twice."""
    from tests.extensions.judge.test_faults import KILLS, RECORDS, finish, kill_after, start
    from tests.support.judge_server import JudgeServer, every_fifth

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with JudgeServer() as calm:
            calm.keep_bodies = False
            expected = finish(calm, folder / "calm.db", folder / "calm.jsonl")
        with JudgeServer(plan=every_fifth) as server:
            server.keep_bodies = False
            cache, out = folder / "judge.db", folder / "out.jsonl"
            for kill in range(1, KILLS + 1):
                with start(server, cache, out) as run:
                    kill_after(run, server, kill * len(calm.billed) // (KILLS + 1))
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
    result = {"disturbed run": disturbed()} if "--faults" in sys.argv else measure()
    json.dump(result, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
