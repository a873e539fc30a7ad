"""One HTTP call with patience: retries with backoff and jitter, bounded answers, and no secret in any message."""

from __future__ import annotations

import json
import os
import random
import threading
import time
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from scoring.judge.asking.ledger import Ledger
from scoring.judge.asking.settings import JudgeSettings
from scoring.judge.calls import JudgeRefused, JudgeUnavailable

MAX_BODY = 8_000_000
_TRY_AGAIN = {408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529}
# The request can never succeed: key, rights, address or model are wrong.
HOPELESS = {401, 402, 403, 404, 405}


class BadRequest(JudgeRefused):
    """The server understood the request and will not have it; ``status`` and what it said."""

    def __init__(self, status: int, said: str) -> None:
        super().__init__(f"the judge's server refuses the request ({status}): {said}")
        self.status = status


class Transport:
    """Posts JSON to an endpoint and returns JSON."""

    def __init__(self, settings: JudgeSettings, key: str | None, ledger: Ledger) -> None:
        import httpx

        self._httpx = httpx
        self._settings = settings
        self._key = key
        self._ledger = ledger
        self._url = settings.base_url.rstrip("/") + "/chat/completions"
        self._hide = _hider(key)
        self._clients: dict[int, Any] = {}
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        # Jitter spreads retries in time and has no part in any result.
        self._chance = random.Random()

    def _client(self) -> Any:
        """The connections of this process; those that came through a fork belong to the parent."""
        with self._lock:
            found = self._clients.get(os.getpid())
            if found is None:
                most = self._settings.concurrency
                found = self._clients[os.getpid()] = self._httpx.Client(
                    headers={"Authorization": f"Bearer {self._key}"} if self._key else {},
                    timeout=self._settings.timeout,
                    limits=self._httpx.Limits(max_connections=most, max_keepalive_connections=most),
                    follow_redirects=False,
                )
            return found

    @property
    def stopped(self) -> bool:
        """Whether no further call is started."""
        return self._stopped.is_set()

    def stop(self) -> None:
        """Start no further call and no further retry; calls under way are finished."""
        self._stopped.set()

    def close(self) -> None:
        """Close the connections."""
        client = self._clients.pop(os.getpid(), None)
        if client is not None:
            client.close()

    def post(self, body: Mapping[str, Any], call_key: str, read: Callable[[Any], Any]) -> Any:
        """What ``read`` makes of the answer; an answer that it can't read counts as a transport error.

        Args:
            body: The request.
            call_key: Sent as Idempotency-Key, the same for every retry of the call.
            read: Raises ValueError for an answer that is no completion.

        Raises:
            JudgeUnavailable: when every try failed.
            JudgeRefused: when the server refuses the request.
        """
        data = json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "Idempotency-Key": call_key}
        reason, wait = "", 0.0
        for retry in range(self._settings.retries + 1):
            if retry:
                self._ledger.add("retries")
            if self._stopped.wait(wait):
                raise JudgeUnavailable("the run was stopped")
            wait = self._pause(retry)
            try:
                status, answer, asked_wait = self._once(data, headers)
            except Exception as error:
                if not isinstance(error, (self._httpx.TransportError, self._httpx.StreamError)):
                    raise
                reason = type(error).__name__
                continue
            if status == 200:
                try:
                    return read(json.loads(answer))
                except (ValueError, KeyError, TypeError, IndexError, RecursionError):
                    reason = "an answer that is no completion"
                    continue
            reason = f"status {status}: {self._hide(_said(answer))}"
            if status not in _TRY_AGAIN:
                self._ledger.add("failed")
                raise BadRequest(status, self._hide(_said(answer)))
            wait = min(max(wait, asked_wait), self._settings.longest_wait)
        self._ledger.add("failed")
        raise JudgeUnavailable(f"the judge did not answer in {self._settings.retries + 1} tries; the last: {reason}")

    def _once(self, data: bytes, headers: dict[str, str]) -> tuple[int, bytes, float]:
        """Status, body and the pause that the server asks for."""
        started = time.monotonic()
        body = bytearray()
        with self._client().stream("POST", self._url, content=data, headers=headers) as response:
            for chunk in response.iter_bytes():
                body += chunk
                # A server that drips one byte a second never trips the read timeout.
                if len(body) > MAX_BODY or time.monotonic() - started > 5 * self._settings.timeout:
                    raise self._httpx.ReadTimeout("the answer is too long or too slow")
            return response.status_code, bytes(body), _retry_after(response.headers.get("Retry-After", ""))

    def _pause(self, retry: int) -> float:
        longest = min(self._settings.backoff * 2.0**retry, self._settings.longest_wait)
        return longest * (0.5 + self._chance.random() / 2)


def _retry_after(value: str) -> float:
    """Seconds from a Retry-After header, in either of its forms; 0 where there is none."""
    if value.isascii() and value.isdigit():
        return float(value[:9])
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return 0.0


def _said(answer: bytes) -> str:
    """The server's own words about a failure, short."""
    try:
        found = json.loads(answer)
        message = found["error"]["message"] if isinstance(found["error"], dict) else found["error"]
        return " ".join(str(message).split())[:200]
    except (ValueError, KeyError, TypeError, RecursionError):
        return " ".join(answer[:200].decode("utf-8", "replace").split())


def _hider(key: str | None) -> Callable[[str], str]:
    return (lambda text: text.replace(key, "[key]")) if key else (lambda text: text)
