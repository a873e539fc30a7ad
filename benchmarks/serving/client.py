"""A client that asks over bare sockets, tries again what failed, and holds each answer to what it should be."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

BUSY = (429, 503)


@dataclass
class Tally:
    """What a client found: seconds of each request, how often it tried again and why, and answers by their kind."""

    seconds: list[float] = field(default_factory=list)
    again: Counter[str] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)

    def at(self, share: float) -> float:
        """The milliseconds within which this share of the requests was answered."""
        found = sorted(self.seconds)
        return 1000 * found[min(len(found) - 1, int(share * len(found)))] if found else 0.0


@dataclass(frozen=True)
class Question:
    """A request: its path, its body, and the scores of its rows by `Task.score`; None where no row is looked at."""

    path: str
    body: bytes
    scores: tuple[float | None, ...] | None

    def wire(self) -> bytes:
        """The bytes of the request."""
        head = f"POST {self.path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        return f"{head}Content-Length: {len(self.body)}\r\n\r\n".encode() + self.body

    def judge(self, reply: Mapping[str, Any], tally: Tally) -> None:
        """Count the answers in a reply: right, wrong, or lost where a row has none."""
        if self.scores is None:
            tally.answers["echoed" if json.dumps(reply).encode() == self.body else "wrong"] += 1
            return
        results = reply.get("results", [reply])
        tally.answers["lost"] += len(self.scores) - len(results)
        for result, score in zip(results, self.scores, strict=False):
            is_right = result["score"] == score
            tally.answers["right" if is_right else f"wrong: {result.get('reason')}"] += 1


class Connection:
    """A connection that is kept between requests, and made again where it was lost."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, wire: bytes) -> tuple[int, bytes]:
        """Return the status and the body of the reply to a request."""
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        writer.write(wire)
        await writer.drain()
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        size = int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0])
        body = await reader.readexactly(size)
        if b"connection: close" in head:
            self.close()
        return int(head.split(b" ", 2)[1]), body

    def close(self) -> None:
        """Close the connection."""
        if self._streams is not None:
            with contextlib.suppress(Exception):
                self._streams[1].close()
            self._streams = None


async def ask_all(port: int, questions: Iterable[Question], connections: int, tries: int = 600) -> Tally:
    """Ask all questions over some connections, and return what was found.

    Args:
        port: The port of the service.
        questions: The questions; each connection takes the next.
        connections: The number of connections at a time.
        tries: How often a request is sent again before its rows count as lost.
    """
    tally, rest = Tally(), iter(questions)
    await asyncio.gather(*(_ask_some(port, rest, tally, tries) for _ in range(connections)))
    return tally


async def _ask_some(port: int, rest: Iterator[Question], tally: Tally, tries: int) -> None:
    connection = Connection(port)
    for question in rest:
        wire, began = question.wire(), time.perf_counter()
        for _ in range(tries):
            try:
                status, body = await connection.ask(wire)
            except (OSError, asyncio.IncompleteReadError) as error:
                connection.close()
                tally.again[type(error).__name__] += 1
                await asyncio.sleep(0.05)
                continue
            if status == 200:
                tally.seconds.append(time.perf_counter() - began)
                question.judge(json.loads(body), tally)
                break
            tally.again[str(status)] += 1
            if status not in BUSY:
                tally.answers[f"refused {status}: {body[:200].decode()}"] += 1
                break
            await asyncio.sleep(0.2)
        else:
            tally.answers["lost"] += len(question.scores or (None,))
    connection.close()
