"""Every judge call on disk: a run can be replayed without a network, resumed after a kill, and pays no call twice.

One SQLite file in WAL mode. A call's key is the digest of the model, its parameters and the question (prompt,
inputs, schema, attempt, sample). A reply is committed before it is used. The file can be copied and shared; it has
prompts and replies, never a key.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scoring.judge.calls import JudgeError, Question, Reply, Usage
from scoring.judge.prompt import canonical, digest

_SCHEMA = """
CREATE TABLE IF NOT EXISTS calls (
  key TEXT PRIMARY KEY, model TEXT NOT NULL, parameters TEXT NOT NULL, prompt TEXT NOT NULL, inputs TEXT NOT NULL,
  question TEXT NOT NULL, reply TEXT NOT NULL, finish_reason TEXT NOT NULL, answered_by TEXT NOT NULL,
  prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL, created REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS claims (key TEXT PRIMARY KEY, owner TEXT NOT NULL, expires REAL NOT NULL) WITHOUT ROWID;
"""
_VERSION = 1
_BUSY_SECONDS = 60.0


class JudgeCache:
    """The file of judge calls; safe to use from several threads and, one object each, from several processes.

    Args:
        path: The file; it is made where it does not exist.
        read_only: For replay: nothing is written, and a file on a read-only medium is enough.
    """

    def __init__(self, path: str | Path, *, read_only: bool = False) -> None:
        self.path = Path(path)
        self.read_only = read_only
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._process = 0
        with self._lock:
            self._open()

    def _open(self) -> sqlite3.Connection:
        """The connection of this process; one that came through a fork is never used."""
        if self._connection is not None and self._process == os.getpid():
            return self._connection
        connection = _open_read_only(self.path) if self.read_only else _open_for_writing(self.path)
        found = connection.execute("PRAGMA user_version").fetchone()[0]
        if found != _VERSION:
            connection.close()
            raise JudgeError(f"the judge cache {self.path.name} has version {found}, this is version {_VERSION}")
        self._connection, self._process = connection, os.getpid()
        return connection

    def execute(self, statement: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """Run one statement and return its rows."""
        with self._lock:
            return self._open().execute(statement, values).fetchall()

    def get(self, key: str) -> Reply | None:
        """The stored reply of a call."""
        rows = self.execute(
            "SELECT reply, prompt_tokens, completion_tokens, answered_by, finish_reason FROM calls WHERE key = ?",
            (key,),
        )
        if not rows:
            return None
        reply, prompt_tokens, completion_tokens, model, reason = rows[0]
        return Reply(json.loads(reply), Usage(prompt_tokens, completion_tokens), model, reason, cached=True)

    def put(self, key: str, model: str, parameters: Mapping[str, Any], question: Question, reply: Reply) -> None:
        """Store a reply and give up the claim on it, in one transaction; the first reply stays."""
        row = (
            key, model, canonical(parameters), question.prompt, question.inputs, canonical(question.to_json()),
            canonical(reply.text), reply.finish_reason, reply.model, reply.usage.prompt_tokens,
            reply.usage.completion_tokens, time.time(),
        )  # fmt: skip
        with self._lock:
            connection = self._open()
            connection.execute("BEGIN IMMEDIATE")
            try:
                connection.execute(f"INSERT OR IGNORE INTO calls VALUES ({', '.join('?' * len(row))})", row)
                connection.execute("DELETE FROM claims WHERE key = ?", (key,))
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def close(self) -> None:
        """Write everything into the one file and close it."""
        with self._lock:
            if self._connection is not None and self._process == os.getpid():
                if not self.read_only:
                    self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                self._connection.close()
            self._connection = None


def call_key(model: str, parameters: Mapping[str, Any], question: Question) -> str:
    """The key of a call: whatever can change the reply, nothing else."""
    return digest({"model": model, "parameters": dict(parameters), "question": question.to_json()})


def _open_for_writing(path: Path) -> sqlite3.Connection:
    """A connection in WAL mode, with the tables made where they are missing."""
    connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    deadline = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            # Several processes may make the file at once; for a change of mode SQLite does not wait by itself.
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            if connection.execute("PRAGMA user_version").fetchone()[0] == 0:
                connection.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA user_version={_VERSION}; COMMIT;")
            return connection
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                connection.close()
                raise
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            time.sleep(0.02)


def _open_read_only(path: Path) -> sqlite3.Connection:
    if not path.is_file():
        raise JudgeError(f"there is no judge cache {path.name} to replay")
    place = path.resolve().as_uri()
    for mode in ("?mode=ro", "?mode=ro&immutable=1"):
        connection = sqlite3.connect(place + mode, uri=True, isolation_level=None, check_same_thread=False)
        try:
            connection.execute("SELECT key FROM calls LIMIT 1").fetchall()
            return connection
        except sqlite3.OperationalError:
            # A WAL file in a folder that can't be written needs SQLite to be told that nobody else writes it.
            connection.close()
    raise JudgeError(f"{path.name} is no judge cache")
