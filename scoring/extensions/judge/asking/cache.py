"""The cache of judge calls on disk: a run can be replayed offline, resumed after a kill, and pays for no call twice.

The cache is one SQLite file in WAL mode. A call's key is the digest of the model, its parameters and the question
(prompt, inputs, schema, attempt, sample). A reply is committed before it is used. The file can be copied and shared;
it contains prompts and replies, but never an API key.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from scoring.depth import in_full_depth
from scoring.extensions.judge.asking.cache_file import (
    CACHE_ERRORS,
    LONGEST,
    PATIENCE,
    CacheError,
    CacheFile,
    DamagedCache,
    cache_error_for,
    is_locked,
)
from scoring.extensions.judge.calls import Question, Reply, Usage
from scoring.extensions.judge.prompt import canonical_ascii_json, digest_ascii_json

MOST_TOKENS = 10**12
"""Upper limit on a plausible count of tokens; larger integers are rejected because a cache can't store them."""
LONGEST_WORD = 1_000
"""Maximum number of characters kept of a name that a server reports (model, finish reason)."""
# Seconds by which another machine's clock may run ahead of ours.
_CLOCKS = 60.0
# The most pages of a file that is read ahead when it is opened, and how many more for each reply found in it since: so
# reading ahead never costs more than it can save.
_PAGES_AHEAD, _PAGES_OF_A_HIT = 8_192, 32
# The most characters that are read ahead, what a row takes besides, and the most seconds.
_MOST_AHEAD, _ROW_AHEAD, _SECONDS_AHEAD = 32_000_000, 500, 1.0

R = TypeVar("R")


class JudgeCache:
    """The file of judge calls (questions with their replies); safe to use from several threads and, with one object
    each, from several processes.

    Args:
        path: The file; it is created if it does not exist.
        read_only: For replay: nothing is written, so a file on a read-only medium works.

    Attributes:
        requested: The keys of the calls that were looked up.

    Raises:
        JudgeError: when the file is not a cache, has another version, is damaged, or can't be opened.
    """

    def __init__(self, path: str | Path, *, read_only: bool = False) -> None:
        self.path = Path(path)
        self.read_only = read_only
        self.requested: set[str] = set()
        self._lock = threading.Lock()
        self._file: CacheFile | None = None
        self._process = 0
        self._closing = False
        # Rows read ahead by key, the number of replies found, and that at which the file is worth reading ahead.
        self._ahead: dict[object, tuple[Any, ...]] = {}
        self._hits, self._enough = 0, 0.0
        self._patiently(lambda file: None)

    def _open(self) -> CacheFile:
        """Return the open file of this process, opening it if needed; a connection inherited through a fork is never
        used.
        """
        if self._file is None or self._process != os.getpid():
            self._file = CacheFile(self.path, self.read_only)
            self._process = os.getpid()
        return self._file

    def _patiently(self, what: Callable[[CacheFile], R]) -> R:
        """Call `what` with the open file and return its result; while another process has locked the file, retry for a
        limited time.
        """
        until = time.monotonic() + PATIENCE
        while True:
            with self._lock:
                try:
                    return what(self._open())
                except CACHE_ERRORS as error:
                    if not is_locked(error) or self._closing or time.monotonic() > until:
                        raise cache_error_for(self.path, error) from None
            time.sleep(0.01)

    def execute(
        self, statement: str, values: tuple[Any, ...] = (), *, all_calls: bool = False
    ) -> list[tuple[Any, ...]]:
        """Run an SQL statement and return its rows; a statement that takes more work than its limit is aborted.

        Args:
            statement: The statement, with a question mark for each value.
            values: The values.
            all_calls: Whether the statement may read all stored calls, so that its limit grows with the size of the
                file; otherwise the limit suffices to read one call.

        Raises:
            CacheError: when the file can't be read or written, or is locked by another process for too long.
        """
        return self._patiently(lambda file: file.run(statement, values, all_calls=all_calls).fetchall())

    def rows(self, statement: str) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of an SQL statement, which may read every call, one at a time.

        Raises:
            CacheError: when the file can't be read.
        """
        file = self._patiently(lambda file: file)
        try:
            yield from file.run(statement, all_calls=True)
        except CACHE_ERRORS as error:
            raise cache_error_for(self.path, error) from None

    def get(self, key: str) -> Reply | None:
        """Return the stored reply to the call with this key; None if there is none.

        Raises:
            JudgeError: when the stored value is not a reply.
        """
        self.requested.add(key)
        row = self._ahead.get(key)
        if row is None:
            row = self._patiently(lambda file: self._row(file, key))
            if row is None:
                return None
        return self._reply(key, row)

    def get_ahead(self, key: str) -> Reply | None:
        """Return the stored reply to the call with this key if it has been read ahead, which takes no lock; None if it
        must be looked up (`get`).

        Raises:
            JudgeError: when the stored value is not a reply.
        """
        row = self._ahead.get(key)
        if row is None:
            return None
        self.requested.add(key)
        return self._reply(key, row)

    def _reply(self, key: str, row: tuple[Any, ...]) -> Reply:
        stored, prompt_tokens, completion_tokens, model, reason = row
        text = parse_stored_json(stored)
        if not isinstance(text, str) or not all(map(is_count, (prompt_tokens, completion_tokens))):
            raise DamagedCache(self.path, f"the call {key[:12]} has no reply")
        if not all(isinstance(word, str) for word in (model, reason)):
            raise DamagedCache(self.path, f"the call {key[:12]} was answered by nobody")
        usage = Usage(prompt_tokens, completion_tokens)
        return Reply(text, usage, model[:LONGEST_WORD], reason[:LONGEST_WORD], cached=True)

    def _row(self, file: CacheFile, key: str) -> tuple[Any, ...] | None:
        """Return the row of a stored reply; None if there is none."""
        if self._hits > self._enough:
            self._read_ahead(file)
        row = self._ahead.get(key)  # perhaps another thread has read ahead while this one waited
        if row is None:
            found = file.run(f"SELECT {_REPLY} FROM calls WHERE key = ?", (key,)).fetchall()
            row = found[0] if found else None
            self._hits += row is not None
        return row

    def read_ahead(self) -> None:
        """Read the stored replies at once, up to a limit of memory, unless the file is too large for the few that may
        be looked up: with many threads, a statement for each costs far more than one for all."""
        self._patiently(self._read_ahead)

    def _read_ahead(self, file: CacheFile) -> None:
        until, room = time.monotonic() + _SECONDS_AHEAD, _MOST_AHEAD
        with contextlib.suppress(*CACHE_ERRORS):  # where a row is damaged, only its own call shall fail, when looked up
            pages = file.run("PRAGMA page_count").fetchone()[0]
            self._enough = (pages - _PAGES_AHEAD) / _PAGES_OF_A_HIT
            if self._hits < self._enough:
                return
            self._enough = math.inf
            for key, *row in file.run(f"SELECT key, {_REPLY} FROM calls"):
                room -= _ROW_AHEAD + sum(len(value) for value in (key, *row) if isinstance(value, (str, bytes)))
                if room < 0 or time.monotonic() > until:
                    return
                self._ahead[key] = tuple(row)

    def claim(self, key: str, owner: str, lease: float) -> bool:
        """Reserve the call with this key for `owner`, for `lease` seconds; return True, or False if its reply is stored
        already or another process has reserved it.
        """
        now = time.time()
        return bool(self.execute(_CLAIM, (key, owner, now + lease, key, now, now + lease + _CLOCKS)))

    def holder(self, key: str) -> str | None:
        """Return the name of the process that has reserved (claimed) the call with this key; None if none has."""
        rows = self.execute("SELECT CAST(owner AS BLOB) FROM claims WHERE key = ?", (key,))
        return bytes(rows[0][0]).decode("utf-8", "surrogateescape") if rows else None

    def give_up(self, key: str, owner: str) -> None:
        """Delete the claim of `owner` on the call with this key, so that another process can make the call."""
        name = owner.encode("utf-8", "surrogateescape")  # a name that another program wrote may be any bytes
        self.execute("DELETE FROM claims WHERE key = ? AND CAST(owner AS BLOB) = ?", (key, name))

    def put(self, key: str, model: str, parameters: Mapping[str, Any], question: Question, reply: Reply) -> Reply:
        """Store the reply to a question under its key, and return the reply that is stored: if there was one already,
        that one.

        The reply is on disk when this returns. A claim on the call has no effect from then on.

        Raises:
            CacheError: when the file can't be written, or the call is too long to be stored.
        """
        row = (
            key, model, canonical_ascii_json(parameters), question.prompt, question.inputs,
            canonical_ascii_json(question.to_json()), canonical_ascii_json(reply.text),
            reply.finish_reason[:LONGEST_WORD], reply.model[:LONGEST_WORD],
            reply.usage.prompt_tokens, reply.usage.completion_tokens, time.time(),
        )  # fmt: skip
        if sum(len(part) for part in row if isinstance(part, str)) > LONGEST // 2:
            raise CacheError(self.path, f"a call has more than {LONGEST // 2:,} characters; show the judge less")
        stored = self.execute(f"INSERT OR IGNORE INTO calls VALUES ({', '.join('?' * len(row))}) RETURNING 1", row)
        return reply if stored else self.get(key) or reply

    def close(self) -> None:
        """Delete claims without effect, merge the write-ahead log into the main file, and close it."""
        self._closing = True
        with self._lock:
            if self._file is not None and self._process == os.getpid():
                if not self.read_only:
                    # All replies are on disk already; what remains are obsolete claims and the write-ahead log.
                    with contextlib.suppress(*CACHE_ERRORS):
                        self._file.run("DELETE FROM claims WHERE key IN (SELECT key FROM calls)", all_calls=True)
                        self._file.run("PRAGMA wal_checkpoint(TRUNCATE)", all_calls=True).fetchall()
                self._file.close()
            self._file = None
            self._closing = False


_REPLY = "reply, prompt_tokens, completion_tokens, answered_by, finish_reason"
# A single statement is its own transaction; with many threads, every further statement costs a thread switch.
# A claim that expires later than any made about now could is invalid, and so is one whose owner is not text.
_CLAIM = (
    "INSERT INTO claims SELECT ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM calls WHERE key = ?) "
    "ON CONFLICT(key) DO UPDATE SET owner = excluded.owner, expires = excluded.expires "
    "WHERE claims.expires < ? OR claims.expires > ? OR typeof(claims.owner) <> 'text' RETURNING owner"
)


def call_key(model: str, parameters: Mapping[str, Any], question: Question) -> str:
    """Return the key of a call: a digest of everything that can change the reply, and of nothing else."""
    return digest_ascii_json({"model": model, "parameters": dict(parameters), "question": question.to_json()})


def parse_stored_json(text: object) -> Any:
    """Return the value that a stored JSON string represents; None if it is not valid JSON."""
    if not isinstance(text, str):
        return None
    try:
        return in_full_depth(json.loads, text)
    except (ValueError, RecursionError):
        return None


def is_count(value: object) -> bool:
    """Return True if a stored value is a whole number that can be a count of tokens."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS
