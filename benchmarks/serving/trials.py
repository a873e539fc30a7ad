"""The trials: what is asked of a service, and what is done to it meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import scoring
from benchmarks.serving.client import Question, Tally, ask_all

SPEC = Path(__file__).resolve().parents[2] / "specs" / "quickstart" / "invoices.yaml"
_BATCH = 500


@dataclass(frozen=True)
class Line:
    """What a trial found."""

    name: str
    tally: Tally
    seconds: float
    before: float
    after: float

    @property
    def is_whole(self) -> bool:
        """Whether every answer came, and is right."""
        return set(+self.tally.answers) <= {"right", "echoed"}

    def shown(self) -> str:
        """The line of the table."""
        rows, requests = sum(self.tally.answers.values()), len(self.tally.seconds)
        again = " ".join(f"{count} × {why}" for why, count in self.tally.again.most_common()) or "-"
        odd = "" if self.is_whole else f"  {dict(self.tally.answers)}"
        return (
            f"{'  ' if self.is_whole else '! '}{self.name:22} {rows:9,} {requests / self.seconds:10,.0f} "
            f"{rows / self.seconds:9,.0f} {self.tally.at(0.5):8.1f} {self.tally.at(0.99):8.1f}  "
            f"{self.before:9.0f} {self.after:9.0f}  {again}{odd}"
        )


class Service:
    """A service in a process of its own."""

    def __init__(self, port: int, *options: str, floor: bool = False) -> None:
        program = ["-m", "benchmarks.serving.echo", str(port)]
        if not floor:
            program = ["-m", "scoring", "serve", str(SPEC), "--port", str(port), "--share-port", *options]
        self.port = port
        self.process = subprocess.Popen([sys.executable, *program], stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    async def ready(self) -> Service:
        """Wait until it listens, of which it tells; another one may listen on its port."""
        assert self.process.stdout is not None
        if not await asyncio.to_thread(self.process.stdout.readline):
            raise RuntimeError(f"it did not start: {self.process.communicate()[1]!r}")
        return self

    def children(self) -> list[int]:
        """The ids of its worker processes."""
        found: list[int] = []
        with contextlib.suppress(OSError):
            for path in Path(f"/proc/{self.process.pid}/task").glob("*/children"):
                with contextlib.suppress(OSError):
                    found += map(int, path.read_text().split())
        return found

    def megabytes(self, of_all: bool = False) -> float:
        """The memory of its process, and `of_all` of its workers, too."""
        total = 0
        for process in [self.process.pid, *(self.children() if of_all else ())]:
            with contextlib.suppress(OSError, IndexError):
                text = Path(f"/proc/{process}/status").read_text()
                total += int(text.partition("VmRSS:")[2].split()[0])
        return total / 1000

    def end(self, how: signal.Signals = signal.SIGTERM) -> str:
        """End it, wait for that, and return what it wrote to stderr."""
        self.process.send_signal(how)
        return self.process.communicate()[1].decode()


class Bench:
    """Questions to ask, and a service to ask; ``scale`` is the share of the usual number of requests."""

    def __init__(self, scale: float) -> None:
        self.scale, self.has_failed = scale, False
        task = scoring.load(SPEC)
        lines = SPEC.with_suffix(".jsonl").read_text("utf-8").splitlines()
        records = [json.loads(line) for line in lines]
        self._scored = [(record, task.score(record).score) for record in records]

    def number(self, usual: int) -> int:
        """The number of requests, where there usually are so many."""
        return max(1, int(usual * self.scale))

    def single(self, count: int) -> Iterator[Question]:
        """Questions of a row each."""
        made = [Question("/score", json.dumps({"record": one}).encode(), (score,)) for one, score in self._scored]
        return itertools.islice(itertools.cycle(made), count)

    def batches(self, count: int) -> Iterator[Question]:
        """Questions of many rows each."""
        rows = list(itertools.islice(itertools.cycle(self._scored), _BATCH))
        body = json.dumps({"rows": [{"record": one} for one, _ in rows]}).encode()
        return iter([Question("/score", body, tuple(score for _, score in rows))] * count)

    def echoed(self, questions: Iterable[Question]) -> Iterator[Question]:
        """The same questions to the floor."""
        return (Question(one.path, one.body, None) for one in questions)

    async def line(
        self, name: str, service: Service, questions: Iterable[Question], connections: int, tries: int = 600
    ) -> Line:
        """Ask, and return what was found."""
        before, began = service.megabytes(), time.perf_counter()
        tally = await ask_all(service.port, questions, connections, tries)
        line = Line(name, tally, time.perf_counter() - began, before, service.megabytes())
        self.has_failed |= not line.is_whole
        return line


def _port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


@asynccontextmanager
async def _running(*options: str, floor: bool = False) -> AsyncIterator[Service]:
    service = await Service(_port(), *options, floor=floor).ready()
    try:
        yield service
    finally:
        service.end()


async def pace(bench: Bench) -> list[Line]:
    """Single answers and batches, beside the floor."""
    found = []
    async with _running(floor=True) as floor:
        questions = bench.echoed(bench.single(bench.number(20_000)))
        found.append(await bench.line("floor, single", floor, questions, 64))
        found.append(await bench.line("floor, batch", floor, bench.echoed(bench.batches(bench.number(100))), 4))
    async with _running() as service:
        await ask_all(service.port, bench.single(200), 8)
        found.append(await bench.line("single", service, bench.single(bench.number(20_000)), 64))
        found.append(await bench.line("single, one by one", service, bench.single(bench.number(2_000)), 1))
        found.append(await bench.line("batch of 500", service, bench.batches(bench.number(100)), 4))
        found.append(await bench.line("single, again", service, bench.single(bench.number(20_000)), 64))
    return found


async def connections(bench: Bench) -> list[Line]:
    """Very many clients at a time."""
    async with _running() as service:
        many = bench.number(10_000)
        return [await bench.line(f"{many:,} connections", service, bench.single(2 * many), many)]


async def slow(bench: Bench) -> list[Line]:
    """Others are answered beside clients that send a byte at a time, and never finish."""
    async with _running() as service:
        crawling = [asyncio.create_task(_crawl(service.port)) for _ in range(bench.number(1_000))]
        await asyncio.sleep(1)
        line = await bench.line("beside 1,000 slow ones", service, bench.single(bench.number(20_000)), 64)
        ended = await asyncio.gather(*crawling)
        line.tally.again["slow clients refused"] = sum(ended)
        return [line]


async def _crawl(port: int) -> bool:
    """Send a request byte by byte; return whether the service refused it in the end."""
    wire = b"POST /score HTTP/1.1\r\nHost: localhost\r\nX-Slow: " + b"a" * 10_000
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    reply = asyncio.create_task(reader.read(20))
    with contextlib.suppress(OSError):
        for at in range(len(wire)):
            writer.write(wire[at : at + 1])
            await asyncio.wait((reply,), timeout=0.5)
            if reply.done():
                break
    said = await reply
    writer.close()
    return b"408" in said


async def _meanwhile(
    bench: Bench, name: str, running: list[Service], count: int, harm: Callable[[], Awaitable[int]]
) -> Line:
    asked = asyncio.create_task(bench.line(name, running[0], bench.single(count), 64))
    times = 0
    while not asked.done():
        times += await harm()
    line = await asked
    return Line(f"{name} {times} times", line.tally, line.seconds, line.before, running[0].megabytes())


async def killed(bench: Bench) -> list[Line]:
    """A worker process dies every second."""
    async with _running() as service:

        async def harm() -> int:
            await asyncio.sleep(1)
            children = service.children()
            with contextlib.suppress(OSError):
                os.kill(random.choice(children), signal.SIGKILL)
            return 1

        return [await _meanwhile(bench, "worker killed", [service], bench.number(40_000), harm)]


async def restarted(bench: Bench) -> list[Line]:
    """The whole service dies, and starts again; clients try again what was under way."""
    running = [await Service(_port()).ready()]

    async def harm() -> int:
        await asyncio.sleep(1.5)
        running[0].end(signal.SIGKILL)
        running[0] = await Service(running[0].port).ready()
        return 1

    try:
        return [await _meanwhile(bench, "service killed", running, bench.number(40_000), harm)]
    finally:
        running[0].end()


async def rolled(bench: Bench) -> list[Line]:
    """A new service listens on the port, then the old one is asked to end, and finishes what is under way."""
    running = [await Service(_port()).ready()]

    async def harm() -> int:
        await asyncio.sleep(1)
        new = await Service(running[0].port).ready()
        told = await asyncio.to_thread(running[0].end)
        assert "Traceback" not in told, told
        running[0] = new
        return 1

    try:
        return [await _meanwhile(bench, "rolled", running, bench.number(40_000), harm)]
    finally:
        running[0].end()


async def full(bench: Bench) -> list[Line]:
    """More is asked than may wait: the rest is told when to come again, and nothing is lost."""
    async with _running("--max-waiting", "600") as service:
        batches = bench.batches(bench.number(200))
        return [await bench.line("batches, 600 may wait", service, batches, 32, tries=10_000)]


TRIALS: dict[str, Callable[[Bench], Awaitable[list[Line]]]] = {
    one.__name__: one for one in (pace, connections, slow, killed, restarted, rolled, full)
}
