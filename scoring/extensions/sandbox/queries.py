"""Running one SQLite query inside the sandbox: read-only, with a limited number of steps.

Like the runner that loads it, it imports nothing of this package. The steps are those of SQLite's virtual machine, so
a query that exceeds the limit does so on every machine. The database is opened without locks and read-only, and an
authorizer refuses any operation that is not reading: other files, settings, extensions.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

_EVERY = 1000  # steps between two checks of their number
LONGEST_TEXT = 4 << 20
LONGEST_QUERY = 100_000
_TABLES = frozenset({"table_info", "table_xinfo", "table_list", "index_list", "index_info", "foreign_key_list"})


class _TooMuch(Exception):
    """The exception for a query whose result exceeds a limit on rows or size."""


class _Steps:
    """A progress handler for SQLite, which makes a query stop after `most` steps of SQLite's virtual machine."""

    def __init__(self, most: int) -> None:
        self.left = most // _EVERY
        self.most = most

    def __call__(self) -> int:
        self.left -= 1
        return int(self.left < 0)


def prepare_query(job: dict[str, Any]) -> Callable[[], int]:
    """Open the database of a job, and return a function that runs the job's query, also after this process has changed
    to a user who can't read the file."""
    path = job["query"]["path"]
    if path:
        opened = sqlite3.connect(f"file:{quote(path)}?mode=ro&immutable=1", uri=True, isolation_level=None)
    else:
        opened = sqlite3.connect(":memory:", isolation_level=None)
    return lambda: _run_query(opened, job)


def _run_query(opened: sqlite3.Connection, job: dict[str, Any]) -> int:
    """Run a job's query on an open database, and return the exit status. A JSON object is written to standard output
    with one key: ``rows``, ``failed`` (why the query failed) or ``broken`` (why the database can't be read)."""
    query = job["query"]
    steps = _Steps(query["steps"])
    try:
        _limit(opened, job["limits"]["memory_bytes"])
        opened.set_progress_handler(steps, _EVERY)
        if query["script"]:
            opened.set_authorizer(_may_build)
            opened.executescript(query["script"])
        opened.set_authorizer(None)
        opened.execute("PRAGMA query_only = 1")
        opened.execute("SELECT count(*) FROM sqlite_master").fetchall()  # fails here if the file is not a database
        opened.set_authorizer(_may_read)
    except (sqlite3.Error, sqlite3.Warning, MemoryError, ValueError) as error:
        return _say({"broken": _why(error, steps)})
    try:
        return _say({"rows": _rows(opened, job["source"], query["rows"], job["limits"]["output_bytes"] // 2)})
    except (sqlite3.Error, sqlite3.Warning, MemoryError, ValueError, _TooMuch) as error:
        return _say({"failed": _why(error, steps)})


def _limit(opened: sqlite3.Connection, memory: int) -> None:
    for name, most in (
        (sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_TEXT),
        (sqlite3.SQLITE_LIMIT_SQL_LENGTH, LONGEST_TEXT),
        (sqlite3.SQLITE_LIMIT_ATTACHED, 0),
        (sqlite3.SQLITE_LIMIT_VDBE_OP, 1_000_000),
        (sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000),
        (sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0),
    ):
        opened.setlimit(name, most)
    opened.text_factory = lambda data: data.decode("utf-8", "ignore")
    for setting in (f"hard_heap_limit = {memory // 2}", "temp_store = MEMORY", "trusted_schema = OFF", "mmap_size = 0"):
        opened.execute(f"PRAGMA {setting}")


def _may_build(action: int, first: str | None, second: str | None, *_: Any) -> int:
    """Return SQLite's code for an operation of the script that builds a database: allowed within that database, denied
    outside of it, and ignored for settings."""
    if action == sqlite3.SQLITE_PRAGMA:
        return sqlite3.SQLITE_IGNORE
    refused = (sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH, sqlite3.SQLITE_CREATE_VTABLE)
    return sqlite3.SQLITE_DENY if action in refused or _loads(action, second) else sqlite3.SQLITE_OK


def _may_read(action: int, first: str | None, second: str | None, *_: Any) -> int:
    reads = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)
    is_schema_pragma = action == sqlite3.SQLITE_PRAGMA and first in _TABLES
    return (
        sqlite3.SQLITE_OK
        if (action in reads and not _loads(action, second)) or is_schema_pragma
        else sqlite3.SQLITE_DENY
    )


def _loads(action: int, function: str | None) -> bool:
    return action == sqlite3.SQLITE_FUNCTION and (function or "").lower() in ("load_extension", "fts3_tokenizer")


def _rows(opened: sqlite3.Connection, query: str, most: int, most_bytes: int) -> list[list[Any]]:
    if len(query) > LONGEST_QUERY:
        raise _TooMuch(f"it has {len(query)} characters, but the limit is {LONGEST_QUERY}")
    rows: list[list[Any]] = []
    left = most_bytes
    for row in opened.execute(query):
        cells = [{"blob": cell.hex()} if isinstance(cell, bytes) else cell for cell in row]
        left -= 8 + sum(len(cell["blob"] if isinstance(cell, dict) else str(cell)) + 8 for cell in cells)
        if len(rows) == most:
            raise _TooMuch(f"it gives more than {most} rows")
        if left < 0:
            raise _TooMuch(f"its rows take more than {most_bytes >> 20} MiB")
        rows.append(cells)
    return rows


def _why(error: BaseException, steps: _Steps) -> str:
    if steps.left < 0:
        return f"it takes more than {steps.most} steps of SQLite"
    if isinstance(error, MemoryError):
        return "it needs more memory than allowed"
    return str(error)[:300] or type(error).__name__


def _say(found: dict[str, Any]) -> int:
    sys.stdout.write(json.dumps(found))
    return 0
