"""A chat-completions server on a loopback socket, with faults on demand and an account of what it would bill.

It speaks HTTP by hand over asyncio, so that it can do what real servers do on bad days: answer late, answer 429 or
500, send broken JSON, stop in the middle of a body, or hang up. Its replies follow the schema of the request and
depend on nothing but the request, so two runs get the same verdicts.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

from tests.support.waiting import PATIENCE

Body = dict[str, Any]
Answer = Callable[[Body], str]
# The fault of the n-th request (from 0), None for an honest answer.
Plan = Callable[[int, Body], str | None]


def no_faults(_number: int, _body: Body) -> None:
    return None


def every_fifth(number: int, _body: Body) -> str | None:
    """One request in five fails, each time in another way."""
    faults = ("429", "500", "malformed", "drop", "half", "slow")
    return faults[number // 5 % len(faults)] if number % 5 == 4 else None


def by_schema(body: Body) -> str:
    """A reply that satisfies the request's schema; what is free to choose depends on a hash of the messages."""
    wanted = body.get("response_format", {}).get("json_schema", {}).get("schema")
    seed = hashlib.sha256(json.dumps(body["messages"], sort_keys=True).encode()).digest()
    return "4" if wanted is None else json.dumps(_instance(wanted, list(seed)))


def _instance(schema: Body, luck: list[int]) -> Any:
    """An instance; every choice uses up one byte of luck."""
    if "enum" in schema:
        return schema["enum"][_next(luck) % len(schema["enum"])]
    kind = schema.get("type")
    if kind == "object":
        return {name: _instance(inner, luck) for name, inner in schema["properties"].items()}
    if kind == "array":
        size = schema.get("minItems", _next(luck) % 4)
        return [_instance(schema["items"], luck) for _ in range(size)]
    return f"text {_next(luck)}"


def _next(luck: list[int]) -> int:
    luck.append((luck[0] * 5 + 3) % 256)
    return luck.pop(0)


class JudgeServer:
    """Use as a context manager; ``url`` is the base address."""

    def __init__(
        self, answer: Answer = by_schema, plan: Plan = no_faults, *, delay: float = 0.0, idempotent: bool = True
    ) -> None:
        self.answer, self.plan, self.delay, self.idempotent = answer, plan, delay, idempotent
        self.requests: list[Body] = []
        self.headers: list[dict[str, str]] = []
        self.billed: Counter[str] = Counter()
        self.delivered: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.keep_bodies = True
        self.hold_at: int | None = None  # so many answers are billed, and then requests wait until it is taken back
        self.open_now = self.most_open = self.number = 0
        self._done: dict[str, bytes] = {}
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> JudgeServer:
        self._thread.start()
        assert self._ready.wait(PATIENCE)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive(), "the server did not end"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def _serve(self) -> None:
        asyncio.run(self._main())

    async def _main(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._connection, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while await self._request(reader, writer):
                pass
        writer.close()
        with contextlib.suppress(ConnectionError, asyncio.CancelledError):
            await writer.wait_closed()

    async def _request(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Serve one request; False when the connection is to be closed."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
        body = json.loads(await reader.readexactly(int(headers.get("content-length", "0"))))
        if self.keep_bodies:
            self.requests.append(body)
            self.headers.append(headers)
        number, self.number = self.number, self.number + 1
        self.open_now += 1
        self.most_open = max(self.most_open, self.open_now)
        try:
            return await self._reply(number, body, headers.get("idempotency-key", ""), writer)
        finally:
            self.open_now -= 1

    async def _reply(self, number: int, body: Body, key: str, writer: asyncio.StreamWriter) -> bool:
        fault = self.plan(number, body)
        if fault is not None:
            self.faults[fault] += 1
        if fault == "drop":
            return False
        if fault is not None and fault.isdigit():
            error = json.dumps({"error": {"message": f"fault {fault}"}}).encode()
            await _send(writer, int(fault), error, "Retry-After: 0\r\n")
            return True
        if fault == "malformed":
            await _send(writer, 200, b'{"choices": [{"message": {"content": "ye')
            return True
        delay = self.delay + (0.05 if fault == "slow" else 0.0)
        if delay:
            await asyncio.sleep(delay)
        while self.hold_at is not None and len(self.billed) >= self.hold_at:
            await asyncio.sleep(0.005)
        data = self._completion(body, key)
        if fault == "half":
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(data) + data[: len(data) // 2])
            await writer.drain()
            return False
        await _send(writer, 200, data)
        self.delivered[key] += 1
        return True

    def _completion(self, body: Body, key: str) -> bytes:
        """The answer, billed once for each key where the server honours idempotency keys."""
        if self.idempotent and key in self._done:
            return self._done[key]
        self.billed[key] += 1
        message = {"role": "assistant", "content": self.answer(body)}
        data = json.dumps(
            {
                "model": body["model"],
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 100, "completion_tokens": 10},
            }
        ).encode()
        if self.idempotent:
            self._done[key] = data
        return data


async def _send(writer: asyncio.StreamWriter, status: int, data: bytes, extra: str = "") -> None:
    head = f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\n{extra}\r\n"
    writer.write(head.encode() + data)
    await writer.drain()
