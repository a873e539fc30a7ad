"""Opening the file of a judge cache without trusting it: it may be another kind of file, damaged, or malicious.

Everything is checked before it is relied on: the file's type and the files next to it, its first bytes, its version,
and that it has our two tables and nothing else, since further views, triggers, defaults and indexes run code. After
that, every statement has a limit of steps and every value a limit of bytes. SQLite's errors are reworded into messages
that name the file and state what to do.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from functools import partial
from pathlib import Path

from scoring.data.os_errors import refused
from scoring.data.plain_files import open_plain, real_path
from scoring.extensions.judge.calls import JudgeError
from scoring.result import cause_of

SCHEMA = """
CREATE TABLE IF NOT EXISTS calls (
  key TEXT PRIMARY KEY, model TEXT NOT NULL, parameters TEXT NOT NULL, prompt TEXT NOT NULL, inputs TEXT NOT NULL,
  question TEXT NOT NULL, reply TEXT NOT NULL, finish_reason TEXT NOT NULL, answered_by TEXT NOT NULL,
  prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL, created REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS claims (key TEXT PRIMARY KEY, owner TEXT NOT NULL, expires REAL NOT NULL) WITHOUT ROWID;
"""
CACHE_ERRORS = (sqlite3.Error, UnicodeDecodeError)
"""Errors of SQLite, and the error Python raises for an SQLite message that quotes invalid UTF-8 from the file."""
VERSION = 1
LONGEST = 64_000_000
"""Maximum number of bytes in a value of a call; a longer value in a file from elsewhere is not read."""
PATIENCE = 60.0
"""Seconds to wait for a file that another process has locked."""
MOST_STEPS = 2_000_000
"""Maximum number of SQLite's virtual machine steps for looking up one call; a normal lookup takes about a hundred."""
_STEPS_OF_A_PAGE = 100_000
_STEPS_AT_ONCE = 100_000
# The most KiB of pages that SQLite keeps: keys are random, so that with fewer each call reads and writes pages anew.
_CACHED_KIB = 32_000
# Seconds that SQLite waits for a lock internally; it can't be interrupted meanwhile.
_BUSY_SECONDS = 0.1
_connect = partial(sqlite3.connect, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
_MAGIC = b"SQLite format 3\0"
# The end of a rollback journal that names a super-journal, which SQLite deletes wherever it is; our journals name none.
_NAMES_ANOTHER = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: LONGEST,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 10_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 20,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 50,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 2,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
    sqlite3.SQLITE_LIMIT_ATTACHED: 1,  # `VACUUM` attaches its copy
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}
_KINDS = ((stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"))
_DAMAGED = {
    sqlite3.SQLITE_ERROR: "its content is not that of a cache",
    sqlite3.SQLITE_SCHEMA: "its content is not that of a cache",
    sqlite3.SQLITE_MISMATCH: "its content is not that of a cache",
    sqlite3.SQLITE_CORRUPT: "its pages contradict one another",
    sqlite3.SQLITE_NOTADB: "it has another file format",
    sqlite3.SQLITE_TOOBIG: f"a value in it has more than {LONGEST:,} bytes",
    sqlite3.SQLITE_INTERRUPT: "reading it takes more steps than allowed",
    sqlite3.SQLITE_CONSTRAINT: "what it holds breaks its own rules",
}


class CacheError(JudgeError):
    """The error that a judge cache can't be used, with its path and the reason."""

    saying = "the judge cache {} can't be used: {}"

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(self.saying.format(path.name, why if ";" in why else f"{why}; name another file"))


class DamagedCache(CacheError):
    """The error that the content of a judge cache was damaged or altered."""

    saying = "the judge cache {} is damaged: {}, or replace it with an intact copy"


class NoCache(CacheError):
    """The error that a file is not a judge cache at all."""

    saying = "{} is not a judge cache: {}"


class CacheFile:
    """An open cache file; ``:memory:`` keeps calls in memory only. A read-only file may be on a read-only medium.

    Raises:
        CacheError: when the file can't be used, is not a cache, or is damaged; SQLite's errors are passed on.
    """

    def __init__(self, path: Path, read_only: bool) -> None:
        self.path = path
        self._steps_left = 0
        in_memory = str(path) == ":memory:"
        if not in_memory:
            _look_at(path, read_only)
        self._connection = self._opened(read_only and not in_memory)
        try:
            self._prepare(read_only)
        except BaseException:
            self._connection.close()
            raise

    def run(self, statement: str, values: tuple[object, ...] = (), *, all_calls: bool = False) -> sqlite3.Cursor:
        """Start an SQL statement and return its cursor; a statement that takes more work than its limit is aborted.

        With `all_calls`, the limit grows with the size of the file, so that the statement can read all stored calls.
        """
        pages = self._connection.execute("PRAGMA page_count").fetchone()[0] if all_calls else 0
        self._steps_left = MOST_STEPS + _STEPS_OF_A_PAGE * pages
        return self._connection.execute(statement, values)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _opened(self, read_only: bool) -> sqlite3.Connection:
        if not read_only:
            return self._limited(_connect(self.path))
        place = real_path(self.path).as_uri()
        connection = self._limited(_connect(f"{place}?mode=ro", uri=True))
        try:
            connection.execute("SELECT 1 FROM sqlite_schema").fetchone()
        except CACHE_ERRORS as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
                # To read a WAL file in a read-only folder, SQLite must be told that nobody else writes it.
                connection.close()
                still = f"{place}?mode=ro&immutable=1"
                return self._limited(_connect(still, uri=True))
        return connection

    def _limited(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        for limit, value in _LIMITS.items():
            connection.setlimit(limit, value)
        self._steps_left = MOST_STEPS
        connection.set_progress_handler(self._too_long, _STEPS_AT_ONCE)
        for pragma in ("trusted_schema=OFF", "cell_size_check=ON", "mmap_size=0"):
            connection.execute(f"PRAGMA {pragma}")
        return connection

    def _too_long(self) -> bool:
        self._steps_left -= _STEPS_AT_ONCE
        return self._steps_left < 0

    def _prepare(self, read_only: bool) -> None:
        """Create the tables of a new file, or check those of an existing one; several processes may create the file
        simultaneously.
        """
        self._steps_left = MOST_STEPS
        found = self._connection.execute("PRAGMA user_version").fetchone()[0]
        if found not in (0, VERSION):
            raise CacheError(
                self.path, f"it has version {found}, and this is version {VERSION}; use the release that wrote it"
            )
        is_new = found == 0 and not self._connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone()
        if not is_new or read_only:
            self._check()
        if not read_only:
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=NORMAL")
            self._connection.execute(f"PRAGMA cache_size=-{_CACHED_KIB}")
        if is_new and not read_only:
            self._connection.executescript(f"BEGIN IMMEDIATE; {SCHEMA} PRAGMA user_version={VERSION}; COMMIT;")

    def _check(self) -> None:
        """Check that the file has exactly the two tables of a cache; raise `DamagedCache` otherwise."""
        self._steps_left = MOST_STEPS
        rows = self._connection.execute(
            "SELECT type, name, tbl_name, substr(sql, 1, 10000), rootpage FROM sqlite_schema LIMIT 9"
        ).fetchall()
        tables = [" ".join(part.split()) for part in SCHEMA.replace("IF NOT EXISTS ", "").split(";") if part.strip()]
        wanted = {("table", sql.split()[2], sql.split()[2], sql) for sql in tables}
        found = {(kind, name, table, " ".join(str(sql).split())) for kind, name, table, sql, _ in rows}
        roots = {root for *_, root in rows if isinstance(root, int) and root > 1}
        if found != wanted or len(rows) != len(wanted) or len(roots) != len(wanted):
            raise DamagedCache(self.path, "its tables are not those of a cache")


def cache_error_for(path: Path, error: Exception) -> CacheError:
    """Return the `CacheError` to raise in place of an SQLite error (or a decoding error) about the cache at `path`."""
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:  # Python's own error about invalid UTF-8
        return DamagedCache(path, "a text in it is not a text")
    if code & 0xFF in _DAMAGED:
        return DamagedCache(path, _DAMAGED[code & 0xFF])
    return CacheError(path, cause_of(error))


def is_locked(error: Exception) -> bool:
    """Return True if the error means that another process has locked the file, so that retrying may help."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _look_at(path: Path, read_only: bool) -> None:
    """Check that a path is a cache file, or free for a new one, and that SQLite's companion files next to it (journal,
    write-ahead log, shared memory), which SQLite would open, are harmless.

    Args:
        path: The path of the cache.
        read_only: Whether the file must exist, since it can't be created.

    Raises:
        JudgeError: when the file to replay does not exist.
        CacheError: when the path can't be used, or is not a cache.
    """
    try:
        size = _size(path)
        if size is None:
            if read_only:
                raise JudgeError(f"there is no judge cache {path.name} to replay")
            if not path.parent.is_dir():
                raise CacheError(path, f"there is no folder {path.parent} to create it in")
        elif size:
            with open_plain(path) as stream:
                if stream.read(len(_MAGIC)) != _MAGIC:
                    raise NoCache(path, "it does not start like one")
        elif read_only:
            raise NoCache(path, "it is empty")
        for end in ("-journal", "-wal", "-shm"):
            _look_at_sibling(path, path.with_name(path.name + end))
    except OSError as error:
        raise CacheError(path, refused(error)) from None
    except ValueError:  # a path with a null byte
        raise CacheError(path, "no file can have that name") from None


def _size(path: Path) -> int | None:
    """Return the size of a regular file; None if nothing exists at the path; raise `NoCache` if it is something
    else.
    """
    try:
        found = path.stat()
    except FileNotFoundError:
        if os.path.lexists(path):
            raise NoCache(path, "it is a broken link") from None
        return None
    if not stat.S_ISREG(found.st_mode):
        kind = next((kind for holds, kind in _KINDS if holds(found.st_mode)), "a device")
        raise NoCache(path, f"it is {kind}")
    return found.st_size


def _look_at_sibling(path: Path, sibling: Path) -> None:
    try:
        found = sibling.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISREG(found.st_mode):
        raise DamagedCache(path, f"{sibling.name} next to it is not a plain file")
    if sibling.name.endswith("-journal") and found.st_size >= len(_NAMES_ANOTHER):
        with open_plain(sibling) as stream:
            stream.seek(-len(_NAMES_ANOTHER), os.SEEK_END)
            if stream.read() == _NAMES_ANOTHER:
                raise DamagedCache(path, f"{sibling.name} next to it names another file, which would be deleted")
