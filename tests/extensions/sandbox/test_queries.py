"""Queries by the rows that they give: the rules, and what a hostile one may take."""

from __future__ import annotations

import resource
import shutil
import sqlite3
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scoring
from scoring.effects import taking_notes
from scoring.extensions.sandbox.primitives.queries import same_rows, sql_equal
from scoring.result import Unscored
from tests.support.waiting import cpu_time_below

pytestmark = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")

SCRIPT = """
PRAGMA foreign_keys = OFF;
BEGIN TRANSACTION;
CREATE TABLE town (name TEXT, canton TEXT, people INTEGER, area REAL);
INSERT INTO town VALUES ('Bern', 'BE', 134, 51.6), ('Thun', 'BE', 43, 21.6), ('Chur', 'GR', 38, 54.3);
INSERT INTO town SELECT * FROM town WHERE name = 'Chur';
COMMIT;
"""
_ENDLESS = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r"
GOLD = "SELECT name, people FROM town"


@pytest.mark.parametrize(
    ("query", "settings", "score"),
    [
        (GOLD, {}, 1.0),
        ("SELECT people, name FROM town", {}, 1.0),
        ("SELECT people, name FROM town", {"columns": "in_order"}, 0.0),
        ("SELECT name, people FROM town ORDER BY people", {}, 1.0),
        ("SELECT name, people FROM town ORDER BY people", {"order": "always"}, 0.0),
        ("SELECT DISTINCT name, people FROM town", {}, 0.0),
        ("SELECT DISTINCT name, people FROM town", {"distinct": False}, 1.0),
        ("SELECT DISTINCT name, people FROM town", {"rows": "set"}, 1.0),
        ("SELECT name FROM town", {}, 0.0),
        ("SELECT name, people, area FROM town", {}, 0.0),
        ("", {}, 0.0),
        ("SELECT name, people FROM", {}, 0.0),
        ("SELECT name, people FROM town; SELECT 1", {}, 0.0),
        ("SELECT name, people * 1.0 FROM town", {}, 1.0),
    ],
)
def test_what_a_query_gives(query: str, settings: dict[str, Any], score: float) -> None:
    assert sql_equal(query, GOLD, script=SCRIPT, **settings) == score


def test_the_order_counts_where_the_gold_query_has_one() -> None:
    ordered = "SELECT name FROM town ORDER BY area"
    assert sql_equal("SELECT name FROM town ORDER BY area", ordered, script=SCRIPT) == 1.0
    assert sql_equal("SELECT name FROM town ORDER BY area DESC", ordered, script=SCRIPT) == 0.0
    assert sql_equal("SELECT name FROM town ORDER BY area DESC", ordered, script=SCRIPT, order="never") == 1.0


def test_the_word_distinct_in_a_text_stays() -> None:
    query = "SELECT 'distinct' /* distinct */, count(DISTINCT name) FROM town"
    assert sql_equal(query, "SELECT 'distinct', count(name) FROM town", script=SCRIPT, distinct=False) == 1.0


@pytest.mark.parametrize("opens", ["[", "/* ", "'\"`", "[/*'", "--"])
def test_the_word_distinct_is_looked_for_once_in_what_is_never_closed(opens: str) -> None:
    settings: dict[str, Any] = {"script": SCRIPT, "distinct": False}
    with cpu_time_below(5.0):
        assert sql_equal(opens * 300_000, GOLD, **settings) == 0.0
    assert sql_equal("SELECT count(name) FROM town /* DISTINCT", "SELECT count(name) FROM town", **settings) == 1.0


# Each is refused or ended by a count, and changes nothing.
HOSTILE = {
    "an endless recursion": _ENDLESS,
    "rows without end": "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r",
    "a product of tables": "SELECT count(*) FROM " + ", ".join(f"town t{n}" for n in range(20)),
    "a large blob": "SELECT randomblob(1000000000)",
    "a blob of zeros": "SELECT hex(zeroblob(900000000))",
    "a wide number": "SELECT printf('%.*c', 2000000000, 'x')",
    "a text that doubles": "WITH RECURSIVE r(t) AS (SELECT 'x' UNION ALL SELECT t || t FROM r) SELECT length(t) FROM r",
    "texts that fill the memory": "WITH RECURSIVE r(n, t) AS (SELECT 1, hex(randomblob(1000000)) UNION ALL "
    "SELECT n + 1, hex(randomblob(1000000)) FROM r) SELECT DISTINCT t FROM r",
    "a sum of texts": "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r LIMIT 9000000) "
    "SELECT length(group_concat(n)) FROM r",
    "a pattern of many wildcards": f"SELECT count(*) FROM town WHERE hex(zeroblob(200000)) LIKE '{'%0' * 400}1'",
    "a deep expression": "SELECT " + "(" * 5000 + "1" + ")" * 5000,
    "a long query": "SELECT " + " + ".join(["1"] * 60_000),
    "another file": "ATTACH DATABASE '/etc/passwd' AS x",
    "a new file": "ATTACH DATABASE '/tmp/x' AS x",
    "a copy of it": "VACUUM INTO '/tmp/x'",
    "an extension": "SELECT load_extension('/lib/x86_64-linux-gnu/libc.so.6')",
    "a tokenizer": "SELECT fts3_tokenizer('simple', x'41414141')",
    "a virtual table": "CREATE VIRTUAL TABLE v USING fts5(a)",
    "a setting": "PRAGMA writable_schema = 1",
    "a larger memory": "PRAGMA hard_heap_limit = 0",
    "writing": "INSERT INTO town VALUES ('x', 'x', 1, 1)",
    "removing": "DROP TABLE town",
    "changing": "UPDATE town SET name = 'x' RETURNING name",
    "a trigger": "CREATE TEMP TRIGGER t AFTER INSERT ON town BEGIN SELECT 1; END",
    "a transaction": "BEGIN EXCLUSIVE",
    "an explanation": "EXPLAIN SELECT 1",
    "a zero in it": "SELECT 1 \x00 FROM town",
    "half a letter": "SELECT '\ud800'",
    "a table of numbers": "SELECT value FROM generate_series(1, 1000000000)",
    "a tree of JSON": "SELECT json('" + "[" * 100_000 + "')",
}


@pytest.mark.parametrize("query", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_query_is_bounded_and_scores_nothing(query: str) -> None:
    with taking_notes() as notes:
        assert sql_equal(query, GOLD, script=SCRIPT, steps=5_000_000, memory_mb=128) == 0.0
    assert notes["reason"]


def test_steps_are_counted_and_not_measured() -> None:
    count = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r LIMIT {}) SELECT count(*) FROM r"
    for most, score in ((1_000, 1.0), (100_000, 0.0)):
        with taking_notes() as notes:
            assert sql_equal(count.format(most), f"SELECT {most}", script=SCRIPT, steps=100_000) == score
        assert bool(notes) == (score == 0.0)
        assert score == 1.0 or notes["reason"] == "the query fails: it takes more than 100000 steps of SQLite"


def test_the_host_takes_no_memory_for_a_large_result() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    query = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT hex(zeroblob(1000000)) FROM r"
    assert sql_equal(query, GOLD, script=SCRIPT) == 0.0
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 << 10


@pytest.mark.parametrize(
    ("gold", "settings", "said"),
    [
        ("SELECT nowhere", {"script": SCRIPT}, "the gold query can't be run: the query fails: no such column"),
        ("SELECT 1", {"script": "CREATE"}, "the database can't be read: "),
        ("SELECT 1", {"script": "ATTACH '/tmp/x' AS x"}, "not authorized"),
        ("SELECT 1", {"script": _ENDLESS, "steps": 10_000_000}, "takes more than 10000000 steps"),
        ("SELECT 1", {}, "there is no database"),
        ("SELECT 1", {"database": "x.sqlite", "folder": "."}, "is not there"),
        ("SELECT 1", {"database": "../x.sqlite", "folder": "."}, "leaves its folder"),
        ("SELECT 1", {"database": [], "folder": "."}, "there is no database"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_record_leaves_it_unscored(gold: str, settings: dict[str, Any], said: str) -> None:
    with pytest.raises(Unscored, match=said):
        sql_equal("SELECT 1", gold, **settings)


SPEC = """\
kind: task
name: queries
version: 1.0.0
doc: Queries.
fields:
  rows: 'sql_equal(database=record.db, folder="databases")'
"""


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    (tmp_path / "databases" / "towns").mkdir(parents=True)
    for name, word in (("towns/towns.sqlite", "Bern"), ("other.sqlite", "Thun")):
        with sqlite3.connect(tmp_path / "databases" / name) as made:
            made.execute("CREATE TABLE town (name)")
            made.execute("INSERT INTO town VALUES (?)", (word,))
        made.close()
    (tmp_path / "databases" / "other.sqlite").chmod(0o600)
    (tmp_path / "databases" / "text.sqlite").write_text("no database " * 100, encoding="utf-8")
    (tmp_path / "outside.sqlite").write_bytes((tmp_path / "databases" / "other.sqlite").read_bytes())
    (tmp_path / "task").mkdir()
    shutil.move(tmp_path / "databases", tmp_path / "task" / "databases")
    (tmp_path / "task" / "databases" / "link.sqlite").symlink_to(tmp_path / "outside.sqlite")
    path = tmp_path / "task" / "queries.yaml"
    path.write_text(SPEC, encoding="utf-8")
    return path


def test_databases_lie_beside_the_spec(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    task = scoring.load(spec)
    query = "SELECT name FROM town"
    records: list[dict[str, Any]] = [
        {"response": query, "reference": "SELECT 'Bern'", "db": "towns/towns.sqlite"},
        {"response": query, "reference": "SELECT 'Bern'", "db": "other.sqlite"},
        {"response": query, "reference": query, "db": ["other.sqlite", "towns/towns.sqlite"]},
        {"response": "SELECT 'Thun'", "reference": query, "db": ["other.sqlite", "towns/towns.sqlite"]},
    ]
    assert [task.score(record).score for record in records] == [1.0, 0.0, 1.0, 0.0]
    assert [one.score for one in task.score_batch(records)] == [1.0, 0.0, 1.0, 0.0]
    for name, said in (("link.sqlite", "outside the spec's folder"), ("../outside.sqlite", "leaves its folder"),
                       ("towns", "is outside|is not there"), ("text.sqlite", "file is not a database")):  # fmt: skip
        found = task.score({"response": query, "reference": query, "db": name})
        assert found.status == "unscored"
        assert any(word in str(found.reason) for word in said.split("|")), found.reason
    notes = task.score(records[0]).fields["rows"].outcome.notes
    assert notes is not None
    assert notes["database"].startswith("towns.sqlite ")
    before = {path: path.stat().st_mtime_ns for path in spec.parent.rglob("*")}
    task.score({"response": "DELETE FROM town", "reference": query, "db": "other.sqlite"})
    assert {path: path.stat().st_mtime_ns for path in spec.parent.rglob("*")} == before


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ('database="x.sqlite"', "is relative to a `folder`"),
        ('database=record.db, folder="/etc"', "leaves its folder"),
        ('database=record.db, folder="../other"', "leaves its folder"),
        ('database=record.db, folder=".", script=record.s', ""),
        ('database="x.sqlite", folder=".", script="SELECT 1"', "both are given"),
        ("steps=1", "at least"),
    ],
)
def test_settings_are_checked_with_the_spec(settings: str, said: str) -> None:
    if said:
        with pytest.raises(scoring.SpecError, match=said):
            scoring.scorer(f"sql_equal({settings})")
    else:
        assert scoring.scorer(f"sql_equal({settings})")


def test_the_version_of_sqlite_stands_in_the_signature() -> None:
    assert f"sqlite {sqlite3.sqlite_version}" in scoring.scorer("sql_equal(script=record.s)").signature.env
    assert "sqlite" not in scoring.scorer("run_asserts(tests=record.t)").signature.env


_ROWS = st.integers(1, 4).flatmap(
    lambda width: st.tuples(*[st.lists(st.tuples(*[st.sampled_from([0, 1, "a", None])] * width), max_size=5)] * 2)
)


@given(_ROWS, st.sampled_from(["bag", "set"]), st.booleans())
def test_columns_in_any_order_are_those_of_some_permutation(rows: Any, rule: Any, ordered: bool) -> None:
    ours, theirs = rows
    one_by_one = any(
        same_rows([tuple(row[place] for place in order) for row in ours], theirs, rows=rule, ordered=ordered,
                  columns="in_order")
        for order in permutations(range(len(ours[0]) if ours else 1))
    ) if bool(ours) == bool(theirs) else False  # fmt: skip
    assert same_rows(ours, theirs, rows=rule, ordered=ordered, columns="any_order") == one_by_one


def test_too_many_orders_of_columns_are_no_answer() -> None:
    ours = [(*[0, 1] * 12,), (*[1, 0] * 12,)] * 3000
    theirs = [(*[0, 1] * 11, 1, 0), (*[1, 0] * 11, 0, 1)] * 3000
    assert same_rows(ours, theirs, rows="bag", ordered=False, columns="any_order")
