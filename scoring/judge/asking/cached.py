"""A judge that remembers: what was asked before is answered from the cache, what is new is asked once.

Two threads, or two processes that share the file, never ask the same question at the same time: the first claims
it, the others wait for its reply. A claim of a process that is gone is taken over at once.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Mapping
from functools import cache
from typing import Any

from scoring.judge.asking.cache import JudgeCache, call_key
from scoring.judge.asking.ledger import Ledger
from scoring.judge.calls import Judge, JudgeError, Question, Reply

# For owners on other machines only; one of this machine that is gone loses its claim at once.
_LEASE = 3600.0
_POLL = 0.02


class CachedJudge:
    """Answers from the cache, or asks the judge behind it and stores the reply first.

    Args:
        cache: The file of calls.
        inner: Who is asked what is not in the file; None to replay only.
        name: The model's name, needed where there is no inner judge.
        parameters: Its parameters, likewise.
        ledger: The account; that of the inner judge where not given.
    """

    def __init__(
        self,
        cache: JudgeCache,
        inner: Judge | None,
        *,
        name: str = "",
        parameters: Mapping[str, Any] | None = None,
        ledger: Ledger | None = None,
    ) -> None:
        self.cache = cache
        self.inner = inner
        self.name = inner.name if inner is not None else name
        self.parameters: Mapping[str, Any] = dict(inner.parameters if inner is not None else parameters or {})
        self.restarts: int | None = getattr(inner, "restarts", None)
        self.ledger: Ledger = ledger or getattr(inner, "ledger", None) or Ledger()
        self._lock = threading.Lock()
        self._open: dict[str, threading.Event] = {}

    def close(self) -> None:
        """Close the judge, which finishes its calls, and then the cache that keeps them."""
        close = getattr(self.inner, "close", None)
        if close is not None:
            close()
        while (asked := next(iter(self._open.values()), None)) is not None:
            asked.wait()  # its thread has the reply, and is about to store it
        self.cache.close()

    def ask(self, question: Question) -> Reply:
        """The stored reply, or a new one that is stored before it is returned.

        Raises:
            JudgeError: when a replay meets a question that was not recorded, or the judge fails.
        """
        key = call_key(self.name, self.parameters, question)
        while True:
            known = self.cache.get(key)
            if known is not None:
                self.ledger.cached(known.usage)
                return known
            if self.inner is None:
                raise JudgeError(f"the replayed cache has no reply to this question ({key[:12]})")
            with self._lock:
                waiting = self._open.get(key)
                if waiting is None:
                    self._open[key] = threading.Event()
            if waiting is not None:
                waiting.wait()
                continue
            try:
                if self._claim(key):
                    return self._ask(key, self.inner, question)
            finally:
                self._release(key)
            time.sleep(_POLL)

    def _ask(self, key: str, inner: Judge, question: Question) -> Reply:
        try:
            # Between the first look and the claim another process may have finished.
            known = self.cache.get(key)
            if known is None:
                reply = inner.ask(question)
        except BaseException:
            self.cache.execute("DELETE FROM claims WHERE key = ?", (key,))
            raise
        if known is not None:
            self.ledger.cached(known.usage)
            self.cache.execute("DELETE FROM claims WHERE key = ?", (key,))
            return known
        self.cache.put(key, self.name, self.parameters, question, reply)
        return reply

    def _release(self, key: str) -> None:
        with self._lock:
            self._open.pop(key).set()

    def _claim(self, key: str) -> bool:
        """Whether this process may ask; False while another living one is at it."""
        now = time.time()
        won = self.cache.execute(
            "INSERT INTO claims VALUES (?, ?, ?) ON CONFLICT(key) DO UPDATE SET owner = excluded.owner, "
            "expires = excluded.expires WHERE claims.expires < ? RETURNING owner",
            (key, owner(), now + _LEASE, now),
        )
        if won:
            return True
        holder = self.cache.execute("SELECT owner FROM claims WHERE key = ?", (key,))
        if holder and _is_gone(holder[0][0]):
            # Expired only if it is still the dead owner's: two may notice at the same time.
            self.cache.execute("UPDATE claims SET expires = 0 WHERE key = ? AND owner = ?", (key, holder[0][0]))
        return False


@cache
def _owner_of(number: int) -> str:
    return f"{socket.gethostname()}|{number}|{_started(number)}"


def owner() -> str:
    """This process: its machine, its number, and when it started, so that a reused number is not mistaken for it."""
    return _owner_of(os.getpid())


def _is_gone(name: str) -> bool:
    """Whether a claim's owner ran on this machine and no longer does."""
    machine, number, started = name.rsplit("|", 2)
    return machine == socket.gethostname() and _started(int(number)) != started


def _started(number: int) -> str:
    """When a process started, "" where there is no such process, "?" where the system does not tell."""
    try:
        with open(f"/proc/{number}/stat", encoding="utf-8", errors="replace") as stat:
            return stat.read().rpartition(")")[2].split()[19]
    except FileNotFoundError:
        if os.path.isdir("/proc/self"):
            return ""
    except OSError:
        return "?"
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return ""
    except OSError:
        return "?"
    return "?"
