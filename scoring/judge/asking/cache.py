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
from scoring.result import cause_of

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
# No text of a call is longer; a longer one in a file of others is not read.
_LONGEST = 64_000_000


class JudgeCache:
    """The file of judge calls; safe to use from several threads and, one object each, from several processes.

    Args:
        path: The file; it is made where it does not exist.
        read_only: For replay: nothing is written, and a file on a read-only medium is enough.

    Attributes:
        asked: The keys of the calls that were looked for.

    Raises:
        JudgeError: when the file is no cache, or one of another version, or it was changed by hand.
    """

    def __init__(self, path: str | Path, *, read_only: bool = False) -> None:
        self.path = Path(path)
        self.read_only = read_only
        self.asked: set[str] = set()
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
        try:
            _check(connection, self.path.name)
        except BaseException:
            connection.close()
            raise
        self._connection, self._process = connection, os.getpid()
        return connection

    def execute(self, statement: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """Run one statement and return its rows.

        Raises:
            JudgeError: when the file can't be read or written.
        """
        with self._lock:
            try:
                return self._open().execute(statement, values).fetchall()
            except sqlite3.Error as error:
                raise JudgeError(f"the judge cache {self.path.name} can't be used: {cause_of(error)}") from None

    def get(self, key: str) -> Reply | None:
        """The stored reply of a call.

        Raises:
            JudgeError: when what is stored is no reply.
        """
        self.asked.add(key)
        rows = self.execute(
            "SELECT reply, prompt_tokens, completion_tokens, answered_by, finish_reason FROM calls WHERE key = ?",
            (key,),
        )
        if not rows:
            return None
        stored, prompt_tokens, completion_tokens, model, reason = rows[0]
        try:
            text = json.loads(stored)
        except (ValueError, TypeError, RecursionError):
            text = None
        if not (isinstance(text, str) and isinstance(prompt_tokens, int) and isinstance(completion_tokens, int)):
            raise JudgeError(f"the judge cache {self.path.name} is damaged: the call {key[:12]} has no reply")
        return Reply(text, Usage(prompt_tokens, completion_tokens), str(model), str(reason), cached=True)

    def claim(self, key: str, owner: str, lease: float) -> bool:
        """Whether the owner may ask: the call is not there, and nobody else is asking.

        Args:
            key: The call.
            owner: Who wants to ask.
            lease: For how many seconds nobody else may.
        """
        now = time.time()
        return bool(self.execute(_CLAIM, (key, owner, now + lease, key, now, now + 2 * lease)))

    def holder(self, key: str) -> str | None:
        """Who has claimed a call."""
        rows = self.execute("SELECT owner FROM claims WHERE key = ?", (key,))
        return str(rows[0][0]) if rows else None

    def give_up(self, key: str, owner: str) -> None:
        """Take away the claim of an owner, who will not ask."""
        self.execute("DELETE FROM claims WHERE key = ? AND owner = ?", (key, owner))

    def put(self, key: str, model: str, parameters: Mapping[str, Any], question: Question, reply: Reply) -> None:
        """Store a reply, on disk when this returns; the first reply stays. A claim on it means nothing from then on."""
        row = (
            key, model, canonical(parameters), question.prompt, question.inputs, canonical(question.to_json()),
            canonical(reply.text), reply.finish_reason, reply.model, reply.usage.prompt_tokens,
            reply.usage.completion_tokens, time.time(),
        )  # fmt: skip
        self.execute(f"INSERT OR IGNORE INTO calls VALUES ({', '.join('?' * len(row))})", row)

    def close(self) -> None:
        """Write everything into the one file and close it."""
        with self._lock:
            if self._connection is not None and self._process == os.getpid():
                if not self.read_only:
                    self._connection.execute("DELETE FROM claims WHERE key IN (SELECT key FROM calls)")
                    self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                self._connection.close()
            self._connection = None


# One statement, which is a transaction of its own: with many threads every further one costs a change of threads.
# A claim that ends much later than any that is made about now is none.
_CLAIM = (
    "INSERT INTO claims SELECT ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM calls WHERE key = ?) "
    "ON CONFLICT(key) DO UPDATE SET owner = excluded.owner, expires = excluded.expires "
    "WHERE claims.expires < ? OR claims.expires > ? RETURNING owner"
)


def call_key(model: str, parameters: Mapping[str, Any], question: Question) -> str:
    """The key of a call: whatever can change the reply, nothing else."""
    return digest({"model": model, "parameters": dict(parameters), "question": question.to_json()})


def _check(connection: sqlite3.Connection, name: str) -> None:
    """Refuse a file with anything but our two tables: views, triggers, defaults and indexes of others run code."""
    found = connection.execute("PRAGMA user_version").fetchone()[0]
    if found != _VERSION:
        raise JudgeError(f"the judge cache {name} has version {found}, this is version {_VERSION}")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
    made = connection.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL").fetchall()
    wanted = _SCHEMA.replace("IF NOT EXISTS ", "").split(";")
    if sorted(" ".join(str(sql).split()) for (sql,) in made) != sorted(
        filter(None, (" ".join(s.split()) for s in wanted))
    ):
        raise JudgeError(f"the judge cache {name} is damaged: its tables are not those of a cache")


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
            connection.execute("SELECT 1 FROM sqlite_schema").fetchone()
            return connection
        except sqlite3.DatabaseError:
            # A WAL file in a folder that can't be written needs SQLite to be told that nobody else writes it.
            connection.close()
    raise JudgeError(f"{path.name} is no judge cache")
