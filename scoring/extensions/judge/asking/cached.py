"""A judge with a cache: a question asked before is answered from the cache, a new one is sent to the model only once.

Two threads, or two processes that share the file, never ask the same question at the same time: the first claims it
and the others wait for its reply. A claim of a process that has ended is taken over immediately.
"""

from __future__ import annotations

import contextlib
import os
import re
import socket
import threading
import time
from collections.abc import Mapping
from functools import cache
from typing import Any

from scoring import processes
from scoring.extensions.judge.asking.cache import JudgeCache, call_key
from scoring.extensions.judge.asking.cache_file import CacheError
from scoring.extensions.judge.asking.ledger import Ledger
from scoring.extensions.judge.calls import Judge, JudgeError, Question, Reply

LEASE = 600.0
"""Seconds that a claim from another machine is respected; a dead process on this machine loses its claim at once."""
_POLL = 0.02
# Seconds given to pending replies to reach the cache when a run ends.
_STORING = 5.0


class CachedJudge:
    """A judge that answers from the cache or, for a new question, asks another judge and stores its reply before
    returning it.

    Args:
        cache: The file of calls.
        inner: The other judge, for questions that are not in the file; None to replay only.
        name: The model's name, needed if there is no inner judge.
        parameters: The model's parameters, needed if there is no inner judge.
        ledger: The account of calls and costs; the inner judge's if not given.
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
        cache.read_ahead()  # before any threads are there, which would wait for one another
        self.inner = inner
        self.name = inner.name if inner is not None else name
        self.parameters: Mapping[str, Any] = dict(inner.parameters if inner is not None else parameters or {})
        self.restarts: int | None = getattr(inner, "restarts", None)
        self.ledger: Ledger = ledger or getattr(inner, "ledger", None) or Ledger()
        self._lock = threading.Lock()
        self._open: dict[str, threading.Event] = {}
        self._closed = False
        # Whether the last question was in the cache; then the next one is looked for before it is claimed.
        self._finds = True
        # The error that stops storing; replies that can't be stored are not paid for.
        self._full: CacheError | None = None

    def close(self) -> None:
        """Close the other judge, which first finishes its calls, and then the cache that stores them."""
        close = getattr(self.inner, "close", None)
        try:
            if close is not None:
                close()
        finally:
            with self._lock:
                self._closed, pending = True, list(self._open.values())
            until = time.monotonic() + _STORING
            for (
                one
            ) in pending:  # its thread has the reply and will store it, unless another process has locked the file
                one.wait(max(0.0, until - time.monotonic()))
            self.cache.close()

    def ask(self, question: Question) -> Reply:
        """Return the stored reply, or a new one that is stored before it is returned.

        Raises:
            JudgeError: when there is no judge to ask and the question is not in the cache, or when the judge fails.
        """
        key = call_key(self.name, self.parameters, question)
        if self.inner is None:
            known = self.cache.get(key)
            if known is None:
                raise JudgeError(f"the replayed cache has no reply to this question ({key[:12]})")
            self.ledger.cached(known.usage)
            return known
        # Threads that find their replies must not queue for a lock: handing it on takes far longer than a look.
        known = None if self._closed else self.cache.get_ahead(key)
        if known is not None:
            self.ledger.cached(known.usage)
            return known
        while True:
            with self._lock:
                if self._closed:
                    raise JudgeError("the run was stopped")
                waiting = self._open.get(key)
                if waiting is None:
                    self._open[key] = threading.Event()
            if waiting is not None:
                waiting.wait()
                continue
            try:
                known = self.cache.get(key) if self._finds else None
                if known is None:
                    if self.cache.claim(key, owner(), LEASE):
                        self._finds = False
                        return self._ask(key, self.inner, question)
                    known = self.cache.get(key)
                self._finds = known is not None
            finally:
                with self._lock:
                    self._open.pop(key).set()
            if known is not None:
                self.ledger.cached(known.usage)
                return known
            # Another process is asking the same question; if it has ended, it loses its claim.
            holder = self.cache.holder(key)
            if holder is not None and _is_gone(holder):
                self.cache.give_up(key, holder)
            else:
                time.sleep(_POLL)

    def _ask(self, key: str, inner: Judge, question: Question) -> Reply:
        try:
            if self._full is not None:
                raise JudgeError(f"{self._full}; nothing more is asked")
            reply = inner.ask(question)
            try:
                # Another process may have stored a reply first, if our lease expired or a clock was changed.
                return self.cache.put(key, self.name, self.parameters, question, reply)
            except CacheError as error:
                self._full = error
                raise
        except BaseException:
            with contextlib.suppress(CacheError):  # the original error is the one to report
                self.cache.give_up(key, owner())
            raise


@cache
def _owner_of(number: int) -> str:
    return f"{socket.gethostname()}|{number}|{_started(number)}"


def owner() -> str:
    """Return a name for this process: its host, PID and start time, so that a reused PID is not mistaken for it."""
    return _owner_of(os.getpid())


def _is_gone(name: str) -> bool:
    """Return True if the process of this name (see `owner`) ran on this machine and has ended, or if the name is
    invalid.
    """
    found = re.fullmatch(r"(.*)\|([0-9]{1,10})\|([0-9]*|\?)", name)
    return found is None or (found[1] == socket.gethostname() and _started(int(found[2])) != found[3])


def _started(number: int) -> str:
    """Return the start time of the process with this PID: "" if there is no such process, "?" if the system does not
    report it.
    """
    try:
        with open(f"/proc/{number}/stat", encoding="utf-8", errors="replace") as stat:
            return stat.read().rpartition(")")[2].split()[19]
    except FileNotFoundError:
        if os.path.isdir("/proc/self"):
            return ""
    except OSError:
        return "?"
    return "" if processes.lives(number) is False else "?"
