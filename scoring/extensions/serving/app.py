"""The ASGI application of a service: it admits requests within its bounds, and has their rows scored."""

from __future__ import annotations

import asyncio
import hmac
import math
import pickle
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec import Struct

from scoring.compiler.tasks.task import CompiledTask
from scoring.data.file_format import require
from scoring.data.json_write import dumps
from scoring.extensions.processes.crew import RowJob
from scoring.extensions.serving.answering import ServedAnswer, ServedRow, lost_answer
from scoring.extensions.serving.endpoints import ENDPOINTS, ServedEndpoint
from scoring.extensions.serving.metrics import TEXT_FORMAT, ServiceMetrics
from scoring.extensions.serving.openapi import openapi_document
from scoring.extensions.serving.pool import ScoringPool
from scoring.extensions.serving.protocol import PATIENCE
from scoring.extensions.serving.reading import Rejected, RequestQuery, body_value
from scoring.extensions.serving.replies import aggregate_reply, session_reply
from scoring.result import describe_error

ASSERTION = Path(__file__).with_name("promptfoo.cjs")
_GONE = 499
"""The status that is counted where nobody is left to take a reply."""
_LOCAL = ("127.0.0.1", "localhost", "[::1]")
_HEADERS = {"cache-control": "no-store", "x-content-type-options": "nosniff"}
_JSON, _SCRIPT = "application/json", "text/javascript; charset=utf-8"


class ServedTask(Struct, frozen=True):
    """A task of a service.

    Args:
        name: Its name in addresses.
        meaning: What scores mean by it.
        signature: The whole line of what can change them.
        bundle: The task, as it travels to the processes.
        task: The task itself.
    """

    name: str
    meaning: str
    signature: str
    bundle: bytes
    task: CompiledTask

    @property
    def about(self) -> dict[str, str]:
        """What every reply says about the task."""
        return {"task": self.name, "meaning": self.meaning}


class ServiceLimits(Struct, frozen=True):
    """The bounds of a service.

    Args:
        body: The most bytes of a request's body.
        rows: The most rows of a request.
        waiting: The most rows that wait or are scored at a time; one request may have more, if nothing waits.
        held: The most bytes of bodies in memory.
    """

    body: int = 16_000_000
    rows: int = 10_000
    waiting: int = 20_000
    held: int = 256_000_000


@dataclass
class ScoringApp:
    """A service of tasks; `routes` makes the application.

    Args:
        tasks: The tasks by name.
        pool: What scores.
        limits: The bounds.
        token: What a request must carry; None if it needs nothing.
        patience: The seconds in which a body must have arrived.
    """

    tasks: Mapping[str, ServedTask]
    pool: ScoringPool
    limits: ServiceLimits = field(default_factory=ServiceLimits)
    token: str | None = None
    patience: float = PATIENCE
    connections: Callable[[], int] = lambda: 0
    is_ending: bool = False

    def __post_init__(self) -> None:
        self.metrics = ServiceMetrics()
        self._waiting, self._held = 0, 0
        self._document = dumps(openapi_document(tuple(self.tasks), self.token is not None))

    def routes(self) -> Any:
        """Return the application.

        Raises:
            InputError: when Starlette is not installed.
        """
        routing = require("scoring serve", "starlette.routing", "scoring-dsl[serve]")
        applications = require("scoring serve", "starlette.applications", "scoring-dsl[serve]")
        errors = require("scoring serve", "starlette.exceptions", "scoring-dsl[serve]")
        plain: dict[str, Callable[[Any], Any]] = {
            "/health": lambda request: _reply(dumps({"status": "ok"})),
            "/ready": self._ready,
            "/metrics": lambda request: _reply(self.metrics.exposition(self._gauges()), media_type=TEXT_FORMAT),
            "/openapi.json": lambda request: _reply(self._document),
            "/tasks": lambda request: _reply(dumps({"tasks": [self._listed(one) for one in self.tasks.values()]})),
            "/reverify_mode": lambda request: _reply(dumps("stateless")),
            "/promptfoo.cjs": lambda request: _reply(ASSERTION.read_text("utf-8"), media_type=_SCRIPT),
        }
        found = []
        for endpoint in ENDPOINTS:
            for path in (f"/{endpoint.path}", f"/tasks/{{task:path}}/{endpoint.path}"):
                found.append(routing.Route(path, self._guarded(path, self._scoring(endpoint)), methods=["POST"]))
        open_to_all = ("/health", "/ready")
        for path, answer in plain.items():
            found.append(routing.Route(path, self._guarded(path, _later(answer), is_open=path in open_to_all)))
        sessions = {"/seed_session": session_reply, "/aggregate_metrics": aggregate_reply}
        for path, reply in sessions.items():
            found.append(routing.Route(path, self._guarded(path, self._of_session(reply)), methods=["POST"]))
        return applications.Starlette(
            routes=found, exception_handlers={errors.HTTPException: self._no_such, Exception: _failed}
        )

    def _listed(self, task: ServedTask) -> dict[str, Any]:
        return {**task.about, "signature": task.signature, "score": f"/tasks/{task.name}/score"}

    def _gauges(self) -> dict[str, float]:
        return {
            "scoring_workers_lost_total": self.pool.lost,
            "scoring_waiting_rows": self._waiting,
            "scoring_held_bytes": self._held,
            "scoring_connections": self.connections(),
            "scoring_workers": self.pool.slots,
        }

    def _ready(self, request: Any) -> Any:
        if self.is_ending or self._waiting >= self.limits.waiting:
            return _reply(dumps({"ready": False}), 503, {"retry-after": str(self._wait())})
        return _reply(dumps({"ready": True}))

    async def _no_such(self, request: Any, error: Any) -> Any:
        known = ", ".join(f"/{endpoint.path}" for endpoint in ENDPOINTS)
        told = {
            404: f"there is no such address; rows are scored at {known}, and /openapi.json describes all",
            405: f"this address takes {(error.headers or {}).get('Allow', 'another method')}, not {request.method}",
        }
        message = told.get(error.status_code, str(error.detail))
        self.metrics.count_request("other", error.status_code, 0.0)
        return _reply(dumps({"error": message}), error.status_code, error.headers)

    def _guarded(self, path: str, answer: Callable[[Any], Any], *, is_open: bool = False) -> Callable[[Any], Any]:
        """Return an endpoint that refuses whoever may not ask, counts requests, and tells refusals as such."""

        async def guarded(request: Any) -> Any:
            began = time.perf_counter()
            try:
                if not is_open:
                    self._check_sender(request)
                reply = await answer(request)
            except Rejected as refused:
                more = {"retry-after": str(refused.wait)} if refused.wait is not None else {}
                if refused.status == 401:
                    more["www-authenticate"] = "Bearer"
                if refused.status in (408, 413):
                    more["connection"] = "close"  # the rest of the body is not read
                reply = _reply(dumps({"error": refused.message, **refused.about}), refused.status, more)
            except Exception:  # a defect, which `_failed` tells
                self.metrics.count_request(path, 500, time.perf_counter() - began)
                raise
            self.metrics.count_request(path, reply.status_code, time.perf_counter() - began)
            return reply

        return guarded

    def _check_sender(self, request: Any) -> None:
        if self.token is None:
            host = request.headers.get("host", "")
            if host.rpartition(":")[0] not in _LOCAL and host not in _LOCAL:
                raise Rejected(421, "without a token only 127.0.0.1 and localhost are names of this service")
            return
        kind, _, given = request.headers.get("authorization", "").partition(" ")
        if kind.lower() != "bearer" or not hmac.compare_digest(given.strip().encode(), self.token.encode()):
            raise Rejected(401, "a request carries the token: `Authorization: Bearer TOKEN`")

    def _of_session(self, reply: Callable[[Any], str]) -> Callable[[Any], Any]:
        async def answered(request: Any) -> Any:
            body = await self._body(request)
            try:
                return _reply(reply(body_value(body)))
            finally:
                self._held -= len(body)

        return answered

    def _scoring(self, endpoint: ServedEndpoint) -> Callable[[Any], Any]:
        async def scored(request: Any) -> Any:
            task, query = self._task(request), _query(request, endpoint.options)
            body = await self._body(request)
            try:
                value = body_value(body)
                rows, is_batch = endpoint.read(value, query)
                answers = await self._answers(request, task, rows)
            finally:
                self._held -= len(body)
            self.metrics.count_rows(task.name, [answer.status for answer in answers])
            return _reply(endpoint.reply(value, is_batch, answers, task.about))

        return scored

    def _task(self, request: Any) -> ServedTask:
        name = request.path_params.get("task")
        if name is None:
            if len(self.tasks) == 1:
                return next(iter(self.tasks.values()))
            raise Rejected(404, f"there are several tasks: ask /tasks/NAME{request.url.path}, of {_names(self.tasks)}")
        found = self.tasks.get(name)
        if found is None:
            raise Rejected(404, f"there is no task `{name:.60}`, but {_names(self.tasks)}")
        return found

    async def _body(self, request: Any) -> bytes:
        """Return the body of a request, counted in what is held; whoever calls this gives it back."""
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != _JSON and not (kind.startswith("application/") and kind.endswith("+json")):
            raise Rejected(415, f"a body is declared as `content-type: {_JSON}`, and this as {kind or 'nothing'!r:.60}")
        if request.headers.get("content-encoding", "identity").lower() != "identity":
            raise Rejected(415, "a body is not compressed")
        size = request.headers.get("content-length", "0")
        if size.isdecimal() and len(size) < 20 and int(size) > self.limits.body:
            raise Rejected(413, f"a body has at most {self.limits.body:,} bytes; send rows in several requests")
        body = bytearray()
        try:
            async with asyncio.timeout(self.patience):
                while await self._read_block(request, body):
                    pass
        except TimeoutError:
            self._held -= len(body)
            raise Rejected(408, f"the body was not complete within {self.patience:g} s") from None
        except BaseException:
            self._held -= len(body)
            raise
        return bytes(body)

    async def _read_block(self, request: Any, body: bytearray) -> bool:
        """Add the next block of a body, and return whether there is more."""
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise Rejected(_GONE, "the client has gone")
        block = message.get("body", b"")
        self._held += len(block)
        body += block
        if len(body) > self.limits.body:
            raise Rejected(413, f"a body has at most {self.limits.body:,} bytes; send rows in several requests")
        if self._held > self.limits.held:
            raise Rejected(429, "too many bytes of requests are in memory", self._wait())
        return bool(message.get("more_body"))

    def _wait(self) -> int:
        """Return in how many seconds about half of what waits will be scored."""
        return max(1, min(60, math.ceil(self._waiting * self.pool.usual_seconds / self.pool.slots / 2)))

    async def _answers(self, request: Any, task: ServedTask, rows: Sequence[ServedRow]) -> list[ServedAnswer]:
        if len(rows) > self.limits.rows:
            raise Rejected(413, f"a request has at most {self.limits.rows:,} rows, and this {len(rows):,}")
        if self._waiting and self._waiting + len(rows) > self.limits.waiting:
            raise Rejected(429, f"{self._waiting:,} rows are waiting, which is the most", self._wait())
        self._waiting += len(rows)
        try:
            answers = await self._scored(request, task, rows)
        finally:
            self._waiting -= len(rows)
        refused = next((at for at, answer in enumerate(answers) if answer.status == "refused"), None)
        if refused is not None:
            where = f"rows[{refused}]: " if len(rows) > 1 else ""
            raise Rejected(422, f"{where}{answers[refused].reason}")
        return answers

    async def _scored(self, request: Any, task: ServedTask, rows: Sequence[ServedRow]) -> list[ServedAnswer]:
        """Return the answers of all rows; when the client has gone, what is not begun by then is not scored."""
        packed = [pickle.dumps((task.name, row), pickle.HIGHEST_PROTOCOL) for row in rows]
        job = RowJob(packed, lambda place, why: lost_answer(task.task, rows[place], why))
        if rows:
            self.pool.submit(job)
        work, gone = asyncio.wrap_future(job.answers), asyncio.ensure_future(_gone(request))
        try:
            await asyncio.wait((work, gone), return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                raise Rejected(_GONE, "the client has gone")
            return work.result()
        finally:
            gone.cancel()
            work.cancel()
            job.is_cancelled = True


async def _gone(request: Any) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _names(tasks: Mapping[str, ServedTask]) -> str:
    some = list(tasks)[:20]
    return ", ".join(some) + (f" and {len(tasks) - len(some)} more" if len(tasks) > len(some) else "")


def _query(request: Any, known: Sequence[str]) -> RequestQuery:
    """Return the options in a request's address.

    Raises:
        Rejected: for an option that has no effect there, or is given twice.
    """
    if not request.scope["query_string"]:
        return RequestQuery()
    odd = next((name for name in request.query_params if name not in known), None)
    if odd is not None:
        raise Rejected(422, f"the address has `{odd:.60}`; it may have {', '.join(known)}")
    twice = next((name for name in known if name != "end" and len(request.query_params.getlist(name)) > 1), None)
    if twice is not None:
        raise Rejected(422, f"the address has `{twice}` twice; give it once")
    form = request.query_params.get("references_as", "values")
    if form not in ("values", "json"):
        raise Rejected(422, f"`references_as` is values or json, not {form!r:.60}")
    ends = tuple(request.query_params.getlist("end"))
    return RequestQuery(form == "json", ends, request.query_params.get("reference"))


def _later(answer: Callable[[Any], Any]) -> Callable[[Any], Any]:
    async def answered(request: Any) -> Any:
        return answer(request)

    return answered


async def _failed(request: Any, error: Exception) -> Any:
    return _reply(dumps({"error": f"a defect of the service, which goes on: {describe_error(error)}"}), 500)


def _reply(text: str, status: int = 200, headers: Mapping[str, str] | None = None, media_type: str = _JSON) -> Any:
    responses = require("scoring serve", "starlette.responses", "scoring-dsl[serve]")
    return responses.Response(text.encode(), status, {**_HEADERS, **(headers or {})}, media_type)
