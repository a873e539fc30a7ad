"""Files that are given as judge caches, as data: what was done to a sound one, and what must come of it."""

from __future__ import annotations

import contextlib
import gzip
import os
import random
import socket
import sqlite3
import struct
import zipfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from scoring.extensions.judge.asking.cached import owner

DAMAGED, NONE, UNUSABLE, SOUND = "is damaged", "is not a judge cache", "can't be used", ""

Change = Callable[[Path], object]


@dataclass(frozen=True)
class Cache:
    """A file.

    Args:
        name: What is odd about it.
        change: Makes it of a sound cache of two calls.
        replayed: Words of what a replay says; none where every record is scored.
        asked: Words of what a run says that may ask a server, too.
    """

    name: str
    change: Change
    replayed: str
    asked: str


def sql(*statements: str, values: tuple[object, ...] = ()) -> Change:
    def change(path: Path) -> None:
        with closing(sqlite3.connect(path, isolation_level=None)) as held:
            for statement in statements:
                held.execute(statement, values if "?" in statement else ())
            with contextlib.suppress(sqlite3.Error):  # it may not read it any more
                held.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    return change


def schema(statement: str) -> Change:
    """As nobody can write it who uses SQLite as it is meant to be used."""
    return sql("PRAGMA writable_schema=ON", statement)


def claimed(owner_of_it: object, expires: object = None, seconds: int = 0) -> Change:
    """A claim on each call, which nobody has answered; it ends at a time, or so many seconds from now on."""

    def change(path: Path) -> None:
        with closing(sqlite3.connect(path)) as held, held:
            held.execute("DELETE FROM claims")
            ends = "unixepoch() + ?" if expires is None else "?"
            values = owner_of_it, seconds if expires is None else expires
            held.execute(f"INSERT INTO claims SELECT key, ?, {ends} FROM calls", values)
            held.execute("DELETE FROM calls")

    return change


def raw(content: bytes) -> Change:
    return lambda path: path.write_bytes(content)


def cut(share: float) -> Change:
    return lambda path: os.truncate(path, int(path.stat().st_size * share))


def over(place: int, content: bytes) -> Change:
    def change(path: Path) -> None:
        with path.open("r+b") as stream:
            stream.seek(place if place >= 0 else path.stat().st_size + place)
            stream.write(content)

    return change


def noise(path: Path) -> None:
    size, chance = path.stat().st_size, random.Random(5)
    with path.open("r+b") as stream:
        for place in range(4096, size, 4096):
            stream.seek(place)
            stream.write(chance.randbytes(2048))


def circle(path: Path) -> None:
    """Every child of the root is the root."""
    many(path)
    root = _root(path, "calls")
    with path.open("r+b") as stream:
        stream.seek((root - 1) * 4096)
        page = bytearray(stream.read(4096))
        assert page[0] in (2, 5), "the root has children"
        for cell in range(struct.unpack(">H", page[3:5])[0]):
            at = struct.unpack(">H", page[12 + 2 * cell : 14 + 2 * cell])[0]
            page[at : at + 4] = struct.pack(">I", root)
        page[8:12] = struct.pack(">I", root)
        stream.seek((root - 1) * 4096)
        stream.write(page)


def endless_overflow(path: Path) -> None:
    """A long reply whose second page goes on with itself."""
    sql("UPDATE calls SET reply = '\"' || hex(zeroblob(50000)) || '\"'")(path)
    data = path.read_bytes()
    pages = [n for n in range(len(data) // 4096) if data[n * 4096 + 4 : n * 4096 + 4000] == b"0" * 3996]
    for page in pages:
        over(page * 4096, struct.pack(">I", page + 1))(path)
    assert pages


def endless_free_pages(path: Path) -> None:
    """The list of free pages begins again where it ends."""
    many(path)
    sql("DELETE FROM calls WHERE key LIKE 'k%'")(path)
    first = struct.unpack(">I", path.read_bytes()[32:36])[0]
    assert first
    over((first - 1) * 4096, struct.pack(">II", first, 1_000) + struct.pack(">I", first) * 900)(path)


def many(path: Path) -> None:
    with closing(sqlite3.connect(path)) as held, held:
        row = held.execute("SELECT * FROM calls").fetchone()
        marks = ", ".join("?" * len(row))
        held.executemany(f"INSERT INTO calls VALUES ({marks})", [(f"k{n}", *row[1:]) for n in range(400)])
        held.commit()
        held.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _root(path: Path, table: str) -> int:
    with closing(sqlite3.connect(path)) as held:
        found: int = held.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).fetchone()[0]
        return found


def in_utf_16(path: Path) -> None:
    with closing(sqlite3.connect(path)) as held:
        said = list(held.iterdump())
    path.unlink()
    with closing(sqlite3.connect(path)) as held:
        held.execute("PRAGMA encoding = 'UTF-16be'")
        held.executescript("\n".join(said) + "PRAGMA user_version=1;")


def replaced(make: Callable[[Path], object]) -> Change:
    def change(path: Path) -> None:
        path.unlink()
        make(path)

    return change


def linked(path: Path) -> None:
    path.rename(path.with_name("elsewhere.db"))
    path.symlink_to("elsewhere.db")


def listening(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as stream:
        where = os.getcwd()
        os.chdir(path.parent)  # a socket's name may not be long
        try:
            stream.bind(path.name)
        finally:
            os.chdir(where)


def zipped(path: Path) -> None:
    content = path.read_bytes()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("judge.db", content)


def beside(end: str, make: Callable[[Path], object]) -> Change:
    return lambda path: make(path.with_name(path.name + end))


def to_passwords(path: Path) -> int:
    path.symlink_to("/etc/passwd")
    return 1


def naming_another(path: Path) -> None:
    """A hot journal whose last record names a file that SQLite looks into, and deletes."""
    victim = path.with_name("victim")
    victim.write_text("precious")
    name = str(victim).encode()
    head = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + struct.pack(">IIIII", 0, 7, path.stat().st_size // 4096, 512, 4096)
    tail = struct.pack(">I", 0x40000000 // 4096 + 1) + name + struct.pack(">II", len(name), sum(name))
    path.with_name(path.name + "-journal").write_bytes(head.ljust(512, b"\0") + tail + head[:8])
    over(18, b"\1\1")(path)


def log_of_another(path: Path) -> None:
    other = path.with_name("other.db")
    with closing(sqlite3.connect(other)) as held:
        held.execute("PRAGMA journal_mode=WAL")
        held.execute("CREATE TABLE calls (key)")
        held.execute("PRAGMA user_version=1")
        held.commit()
        path.with_name(path.name + "-wal").write_bytes(other.with_name("other.db-wal").read_bytes())


ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"
CALLS = (
    "CREATE TABLE calls (key TEXT PRIMARY KEY, model TEXT NOT NULL, parameters TEXT NOT NULL, prompt TEXT NOT NULL, "
    "inputs TEXT NOT NULL, question TEXT NOT NULL, reply TEXT NOT NULL, finish_reason TEXT NOT NULL, answered_by TEXT "
    "NOT NULL, prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL, created REAL NOT NULL"
)
ELSEWHERE = "another-machine|1|2"

TABLES = {
    "a view in place of the calls": sql("DROP TABLE calls", f"CREATE VIEW calls AS {ENDLESS}"),
    "a view in place of the claims": sql("DROP TABLE claims", f"CREATE VIEW claims AS {ENDLESS}"),
    "a view beside the tables": sql(f"CREATE VIEW more AS {ENDLESS}"),
    "a trigger on claims": sql("CREATE TRIGGER t AFTER INSERT ON claims BEGIN DELETE FROM calls; END"),
    "a trigger on calls": sql("CREATE TRIGGER t BEFORE INSERT ON calls BEGIN SELECT RAISE(IGNORE); END"),
    "an index over an expression": sql("CREATE INDEX i ON calls (length(reply))"),
    "an index over a part": sql("CREATE INDEX i ON calls (reply) WHERE reply > 'a'"),
    "another table": sql("CREATE TABLE more (x)"),
    "a search table": sql("CREATE VIRTUAL TABLE more USING fts5(x)"),
    "a computed column": sql("DROP TABLE claims", "CREATE TABLE claims (key TEXT PRIMARY KEY, owner TEXT, "
                             "expires REAL AS (zeroblob(1000000000)))"),
    "a default that computes": sql("DROP TABLE calls", CALLS + ", more TEXT DEFAULT (hex(zeroblob(9)))) WITHOUT ROWID"),
    "a check that computes": sql("DROP TABLE calls", CALLS + ", CHECK (length(hex(zeroblob(9))) > 1)) WITHOUT ROWID"),
    "an order that nobody knows": schema(
        "UPDATE sqlite_schema SET sql = replace(sql, 'key TEXT', 'key TEXT COLLATE strange')"),
    "a function that nobody knows": schema(
        "UPDATE sqlite_schema SET sql = replace(sql, 'created REAL', 'created REAL DEFAULT (strange())')"),
    "calls with row numbers": sql("DROP TABLE calls", CALLS + ")"),
    "strict calls": sql("DROP TABLE calls", CALLS + ") WITHOUT ROWID, STRICT"),
    "one more column": sql("ALTER TABLE calls ADD COLUMN more TEXT"),
    "no claims": sql("DROP TABLE claims"),
    "no calls": sql("DROP TABLE calls"),
    "no tables": sql("DROP TABLE calls", "DROP TABLE claims"),
    "tables by other names": sql("ALTER TABLE calls RENAME TO called"),
    "two tables on one page": schema(
        "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'claims')"),
    "calls on the first page": schema("UPDATE sqlite_schema SET rootpage = 1 WHERE name = 'calls'"),
    "calls on a page that is not there": schema("UPDATE sqlite_schema SET rootpage = 999 WHERE name = 'calls'"),
    "calls on no page": schema("UPDATE sqlite_schema SET rootpage = 'x' WHERE name = 'calls'"),
    "a table of no words": schema("UPDATE sqlite_schema SET sql = NULL WHERE name = 'calls'"),
    "a table of bytes": schema("UPDATE sqlite_schema SET sql = x'ff00' WHERE name = 'calls'"),
    "a table of megabytes": schema("UPDATE sqlite_schema SET sql = sql || hex(zeroblob(5000000))"),
    "many tables": schema(
        "INSERT INTO sqlite_schema WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 20000) "
        "SELECT 'table', 't' || x, 't' || x, 2, 'CREATE TABLE t' || x || ' (a)' FROM n"),
}  # fmt: skip
FILES = [
    Cache("of a version to come", sql("PRAGMA user_version=2"), "has version 2", "has version 2"),
    Cache("of a version before all", sql("PRAGMA user_version=-1"), "has version -1", "has version -1"),
    Cache("a folder", replaced(Path.mkdir), NONE, NONE),
    Cache("a pipe", replaced(os.mkfifo), NONE, NONE),
    Cache("a socket", replaced(listening), NONE, NONE),
    Cache("a device of noughts", replaced(lambda path: path.symlink_to("/dev/zero")), NONE, NONE),
    Cache("a device of nothing", replaced(lambda path: path.symlink_to("/dev/null")), NONE, NONE),
    Cache("a link to a folder", replaced(lambda path: path.symlink_to("/")), NONE, NONE),
    Cache("a link to nothing", replaced(lambda path: path.symlink_to("nowhere/at/all")), NONE, NONE),
    Cache("a link to itself", replaced(lambda path: path.symlink_to(path.name)), UNUSABLE, UNUSABLE),
    Cache("a link to a sound one", linked, SOUND, SOUND),
    Cache("nothing", raw(b""), NONE, SOUND),
    Cache("a text", raw(b"anything but a database" * 100), NONE, NONE),
    Cache("half a name", raw(b"SQLite"), NONE, NONE),
    Cache("a name alone", raw(b"SQLite format 3\0"), DAMAGED, DAMAGED),
    Cache("a name and noughts", raw(b"SQLite format 3\0".ljust(8192, b"\0")), DAMAGED, DAMAGED),
    Cache("a name and noise", raw(b"SQLite format 3\0" + random.Random(3).randbytes(8192)), DAMAGED, DAMAGED),
    Cache("a zip file", zipped, NONE, NONE),
    Cache("packed", lambda path: path.write_bytes(gzip.compress(path.read_bytes())), NONE, NONE),
    Cache("cut in half", cut(0.5), DAMAGED, DAMAGED),
    Cache("cut in the first page", cut(0.02), DAMAGED, DAMAGED),
    Cache("pages of a size that is none", over(16, b"\0\7"), DAMAGED, DAMAGED),
    Cache("of a format to come", over(18, b"\7\7"), DAMAGED, DAMAGED),
    Cache("fractions of payload that are none", over(21, b"\1\2\3"), DAMAGED, DAMAGED),
    Cache("a first page of noughts", over(100, bytes(3996)), DAMAGED, DAMAGED),
    Cache("free pages in a circle", endless_free_pages, SOUND, SOUND),
    Cache("in another encoding", in_utf_16, SOUND, SOUND),
    Cache("with a rollback journal", sql("PRAGMA journal_mode=DELETE"), SOUND, SOUND),
    Cache("a journal that names another file", naming_another, DAMAGED, DAMAGED),
    Cache("a journal of noise", beside("-journal", lambda path: path.write_bytes(b"x" * 9_000)), SOUND, SOUND),
    Cache("a journal that is a link", beside("-journal", to_passwords), DAMAGED, DAMAGED),
    Cache("a log of another file", log_of_another, DAMAGED, DAMAGED),
    Cache("a log of noise", beside("-wal", lambda path: path.write_bytes(b"x" * 9_000)), SOUND, SOUND),
    Cache("a log that is a folder", beside("-wal", lambda path: path.mkdir() or 1), DAMAGED, DAMAGED),
    Cache("a log that is a link", beside("-wal", to_passwords), DAMAGED, DAMAGED),
    Cache("a log that is a pipe", beside("-wal", lambda path: os.mkfifo(path) or 1), DAMAGED, DAMAGED),
    Cache("an index of noise", beside("-shm", lambda path: path.write_bytes(b"x" * 32_768)), SOUND, SOUND),
    Cache("an index that is a link", beside("-shm", lambda path: path.symlink_to("/dev/zero") or 1), DAMAGED, DAMAGED),
]  # fmt: skip
PAGES = [
    Cache("noise in each page", noise, DAMAGED, DAMAGED),
    Cache("pages in a circle", circle, DAMAGED, DAMAGED),
    Cache("a value that goes on with itself", endless_overflow, DAMAGED, DAMAGED),
]
ROWS = {
    "a reply that is not JSON": sql("UPDATE calls SET reply = 'no JSON'"),
    "a reply that is not a text": sql("UPDATE calls SET reply = '5'"),
    "a reply of bytes": sql("UPDATE calls SET reply = x'ff'"),
    "a reply that is no UTF-8": sql("UPDATE calls SET reply = CAST(x'22ff22' AS TEXT)"),
    "a deep reply": sql("UPDATE calls SET reply = replace(hex(zeroblob(60000)), '00', '[')"),
    "a reply of megabytes": sql("UPDATE calls SET reply = '\"' || hex(zeroblob(40000000)) || '\"'"),
    "tokens in words": sql("UPDATE calls SET prompt_tokens = 'many'"),
    "tokens in parts": sql("UPDATE calls SET completion_tokens = 1.5"),
    "tokens below zero": sql("UPDATE calls SET completion_tokens = -5"),
    "tokens beyond all bills": sql("UPDATE calls SET prompt_tokens = 9223372036854775807"),
    "tokens of bytes": sql("UPDATE calls SET prompt_tokens = x'00'"),
    "answered by bytes": sql("UPDATE calls SET answered_by = x'ff'"),
    "answered by no UTF-8": sql("UPDATE calls SET answered_by = CAST(x'ff' AS TEXT)"),
    "ended by bytes": sql("UPDATE calls SET finish_reason = x'00'"),
}
ODD_ROWS = {
    "a model of bytes": sql("UPDATE calls SET model = x'ff'"),
    "a model that is no UTF-8": sql("UPDATE calls SET model = CAST(x'ff' AS TEXT)"),
    "a model of megabytes": sql("UPDATE calls SET model = hex(zeroblob(1000000))"),
    "a prompt of bytes": sql("UPDATE calls SET prompt = x'ff'"),
    "a time without end": sql("UPDATE calls SET created = 9e999"),
    "a time in words": sql("UPDATE calls SET created = 'today'"),
    "a time below zero": sql("UPDATE calls SET created = -5.0"),
    "the first second after the year 9999": sql("UPDATE calls SET created = 253402300800.0"),
    "parameters that are no JSON": sql("UPDATE calls SET parameters = '{'"),
    "a question that is no mapping": sql("UPDATE calls SET question = '5'"),
    "a deep question": sql("UPDATE calls SET question = replace(hex(zeroblob(60000)), '00', '[')"),
}
CLAIMS = {
    "claimed for ever": claimed(ELSEWHERE, 9e12),
    "claimed without end": claimed(ELSEWHERE, 9e999),
    "claimed for an hour": claimed(ELSEWHERE, seconds=3_000),
    "claimed in words": claimed(ELSEWHERE, "tomorrow"),
    "claimed until bytes": claimed(ELSEWHERE, b"\xff"),
    "claimed by bytes": claimed(b"\xff\0", seconds=300),
    "claimed by nobody": claimed("", seconds=300),
    "claimed by somebody without a number": claimed("a|b|c", seconds=300),
    "claimed by a number without end": claimed(f"a|{'9' * 5_000}|1", seconds=300),
    "claimed by megabytes": claimed("x|" * 1_000_000, seconds=300),
    "claimed by the dead": claimed(f"{owner().split('|')[0]}|999999999|12345", seconds=300),
}
CACHES = [
    *(Cache(name, change, DAMAGED, DAMAGED) for name, change in TABLES.items()),
    *FILES,
    *PAGES,
    *(Cache(name, change, DAMAGED, DAMAGED) for name, change in ROWS.items()),
    *(Cache(name, change, SOUND, SOUND) for name, change in ODD_ROWS.items()),
    *(Cache(name, change, "no reply to this question", SOUND) for name, change in CLAIMS.items()),
]
