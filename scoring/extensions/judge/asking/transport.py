"""One HTTP call to a judge, with backoff and jitter, size-limited answers, and no secrets in messages or replies."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import random
import threading
import time
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from scoring.depth import in_full_depth
from scoring.extensions.judge.asking.ledger import Ledger
from scoring.extensions.judge.asking.settings import JudgeSettings
from scoring.extensions.judge.calls import JudgeError, JudgeRefused, JudgeUnavailable
from scoring.extensions.net.address import AddressRefused
from scoring.extensions.net.connection import ExchangeError, NotConnected
from scoring.extensions.net.http import Endpoint
from scoring.extensions.net.secret import hider

_TRY_AGAIN = {408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529}
# Statuses of requests that can never succeed: the key, rights, address or model is wrong.
HOPELESS = {401, 402, 403, 404, 405}
# Answers larger than this many bytes are parsed one at a time: as Python objects they can take thirty times the space.
_LARGE = 250_000
_reading = threading.Lock()
# After this many calls in a row without any answer, further calls are tried only once, until one is answered.
_MOST_UNHEARD = 3


class BadRequest(JudgeRefused):
    """The error that the server rejected a request, with the HTTP ``status`` and the server's message (``said``)."""

    def __init__(self, status: int, said: str) -> None:
        super().__init__(f"the judge's server refuses the request ({status}){said and ': '}{said}")
        self.status, self.said = status, said


class Transport:
    """A client of one endpoint, which posts requests as JSON, retries failed ones, and parses the answers.

    Raises:
        JudgeError: when the address or the key can't be used.
    """

    def __init__(self, settings: JudgeSettings, key: str | None, ledger: Ledger) -> None:
        self._settings = settings
        self._ledger = ledger
        place, mark, query = settings.base_url.partition("?")
        url = place.rstrip("/") + "/chat/completions" + mark + query
        authorization = {"Authorization": f"Bearer {key}"} if key else {}
        try:
            self._endpoint = Endpoint(url, authorization, settings.timeout, "the judge's address")
        except AddressRefused as error:
            advice = "; the key belongs in SCORING_JUDGE_KEY" if "@" in url else ""
            raise JudgeError(f"{error}{advice}") from None
        self._secrets = [secret for secret in (key, *self._endpoint.secrets) if secret]
        self._hide = self.hider(1)
        self._stopped = threading.Event()
        # Whether the server was ever reached; and, once given up on, the error message saying that it can't be.
        self._reached = False
        self._nowhere = ""
        # Number of consecutive calls that got no answer to any of their tries.
        self._unheard = 0
        # Jitter spreads retries in time and does not affect any result.
        self._chance = random.Random()

    def hider(self, least: int) -> Callable[[str], str]:
        """Return a function that removes secrets, such as the API key, of at least `least` characters from a string."""
        hiders = [hider(secret) for secret in self._secrets if len(secret) >= least]
        return lambda text: functools.reduce(lambda said, hide: hide(said), hiders, text)

    @property
    def stopped(self) -> bool:
        """Whether `stop` was called, so that further calls are refused."""
        return self._stopped.is_set()

    def stop(self) -> None:
        """Refuse further calls and retries from now on; calls in progress may finish."""
        self._stopped.set()

    def cut(self) -> None:
        """Abort the calls in progress."""
        self._endpoint.cut()

    def close(self) -> None:
        """Close the connections."""
        self._endpoint.close()

    def post(self, body: Mapping[str, Any], call: str, read: Callable[[Any], Any]) -> Any:
        """Send a request, with retries, and return what ``read`` returns for the answer; an answer that ``read``
        rejects counts as a transport error.

        Args:
            body: The request.
            call: An identifier that distinguishes this call from others with the same body; a digest of both is sent as
                Idempotency-Key, the same for every retry.
            read: Returns the result for the parsed JSON of the answer; raises ValueError if it is not a completion.

        Raises:
            JudgeUnavailable: when every try failed.
            JudgeRefused: when the server refuses the request.
        """
        data = json.dumps(body).encode()
        headers = {"Idempotency-Key": hashlib.sha256(data + b"\n" + call.encode()).hexdigest()}
        reason, wait, heard = "", 0.0, False
        tries = self._settings.retries + 1 if self._unheard < _MOST_UNHEARD else 1
        for retry in range(tries):
            if retry:
                self._ledger.add("retries")
            if self._stopped.wait(wait) if wait else self.stopped:
                raise JudgeUnavailable("the run was stopped")
            if self._nowhere:
                raise JudgeUnavailable(self._nowhere)
            longest = min(self._settings.backoff * 2.0 ** min(retry, 60), self._settings.longest_wait)
            wait = longest * (0.5 + self._chance.random() / 2)
            try:
                answer = self._endpoint.post(data, headers)
            except ExchangeError as error:
                reason = self._hide(str(error))
                self._reached |= not isinstance(error, NotConnected)
                continue
            self._reached = heard = True
            self._unheard = 0
            if answer.status == 200:
                try:
                    return _read(answer.body, read)
                except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
                    reason = "an answer that is not a completion"
                    continue
            said = self._said(answer.body)
            if answer.status not in _TRY_AGAIN:
                self._ledger.add("failed")
                raise BadRequest(answer.status, said)
            reason = f"status {answer.status}{said and ': '}{said}"
            requested = _retry_after(answer.headers.get("retry-after", ""))
            wait = min(max(wait, requested), self._settings.longest_wait)
        self._ledger.add("failed")
        if not heard:
            self._unheard += 1
        said = f"the judge did not answer in {tries} {'try' if tries == 1 else 'tries'}; the last: {reason}"
        if not self._reached:  # further calls would fail likewise, each after all its tries
            self._nowhere = said
        raise JudgeUnavailable(said)

    def _said(self, answer: bytes) -> str:
        """Return the server's own error message in an answer, in one short line; secrets are removed before it is
        shortened.
        """
        text = answer.decode("utf-8", "replace")
        try:
            error = in_full_depth(json.loads, text)["error"]
            text = str(error["message"] if isinstance(error, dict) else error)
        except (ValueError, LookupError, TypeError, RecursionError):
            pass  # not JSON, or of another form: the raw text is shown
        return printable(self._hide(text)[:10_000])[:200]


def _read(body: bytes, read: Callable[[Any], Any]) -> Any:
    with _reading if len(body) > _LARGE else contextlib.nullcontext():
        # As floats, since a number of more than 4,300 digits would be an error.
        return read(in_full_depth(functools.partial(json.loads, parse_int=float), body))


def printable(text: str) -> str:
    """Return a server's message in one line, without control characters that could affect a terminal.

    Examples:
        >>> printable("no\\x1b[2J\\n such model")
        'no [2J such model'
    """
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def _retry_after(value: str) -> float:
    """Return the number of seconds to wait that a Retry-After header gives, as a number or as a date; 0 if it gives
    none.
    """
    if value.isascii() and value.isdigit():
        return float(value[:9])
    try:  # a date is no longer than this
        return max(0.0, parsedate_to_datetime(value[:64]).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError, LookupError, OSError):
        return 0.0
