"""Queries of the subset of SQL, by hand, and hostile ones; `tests/parity/test_trees.py` holds them to Spider."""

from __future__ import annotations

import time
from typing import Any

import pytest

import scoring
from scoring.packs.spider.clauses import sql_clauses
from scoring.packs.spider.queries import MOST_NESTED
from scoring.result import Unparsed, Unscored

TABLES = {"town": ["name", "size", "land"], "land": ["name", "area"]}


def clauses(query: str, **settings: Any) -> dict[str, Any]:
    return sql_clauses(query, tables=TABLES, **settings)


def test_order_values_aliases_and_distinct_do_not_count() -> None:
    one = clauses("SELECT name , count( DISTINCT size ) FROM town AS t WHERE t.size > 3 AND name = 'x'")
    other = clauses('select count(size), town.name from town where name = "y" and size > 9 ;')
    assert one == other
    assert clauses("select name from town where size < 3")["where"] != one["where"]


def test_queries_inside_conditions_count_as_they_are_written() -> None:
    text = "select name from town where land in (select name from land where area > {} limit {})"
    assert clauses(text.format(1, 1)) == clauses(text.format(2, 1))
    assert clauses(text.format(1, 1)) != clauses(text.format(1, 2))
    inner = "select count(*) from (select name from land where area > {})"
    assert clauses(inner.format(1)) != clauses(inner.format(2))


def test_a_condition_that_nothing_joins_joins_the_others_with_its_value() -> None:
    one, other = (clauses(f"select name from town where size = {n} land = {n}") for n in "34")
    assert one["where"] == other["where"] == ["town.size ="]
    assert (one["logic"], other["logic"]) == (["town.land = 3.0"], ["town.land = 4.0"])
    assert one["keywords"] == ["where"]
    with pytest.raises(Unparsed, match="`and` nor `or`"):
        clauses("select name from town where size = 3 land = 3 and name = 3")


@pytest.mark.parametrize("query", ["select name from town as", "select name from town order by name as"])
def test_an_alias_has_a_name(query: str) -> None:
    with pytest.raises(Unparsed):
        clauses(query)


def test_foreign_keys_are_the_same_column() -> None:
    keys = [["town.land", "LAND.name"]]
    over = "from town join land on town.land = land.name"
    one, other = (clauses(f"select {name} {over}", foreign_keys=keys) for name in ("land", "land.name"))
    assert one == other
    assert one["select"] == ["town.land"]
    assert clauses("select name from land", foreign_keys=keys)["select"] == ["town.land"]
    for wrong in (["town.land"], ["town.land", "land.x"], ["a", "b"], ["town.land", "land.name", "land.area"]):
        with pytest.raises(Unscored, match="foreign key"):
            clauses("select name from land", foreign_keys=[wrong])


@pytest.mark.parametrize(
    "query",
    [
        "", "select", "select name", "drop table town", "select name from town where", "select name from town limit",
        "select x from town", "select name from x", "select land.name from town as land", "select name from town '",
        "select name from town where size = 3 name = 4", "select name from town where size is not null",
        "select name from town where size=3", "select a.b.c from town", "select name from town order by",
        "(" * 10_000, "select name from (" * 10_000, "(select name from town", "select name from town union",
        "select name from town where size in (" * 60 + "select name from town" + ")" * 60,
    ],
)  # fmt: skip
def test_what_is_no_query_is_refused_or_has_no_clauses(query: str) -> None:
    start = time.process_time()
    try:
        found = clauses(query)
    except Unparsed:
        found = clauses(query, failed="empty")
        assert not any(found.values())
    else:  # the released code accepts it, too
        odd = ("select name from town where", "select name from town order by")
        assert query in (*odd, "select name from town where size = 3 name = 4")
    assert time.process_time() - start < 10


def test_queries_are_nested_as_deeply_as_is_said() -> None:
    def nested(depth: int) -> str:
        return "select name from town where size in ( " * depth + "select size from town" + " )" * depth

    assert clauses(nested(MOST_NESTED))["keywords"] == ["in", "where"]
    with pytest.raises(Unparsed, match="nested deeper"):
        clauses(nested(MOST_NESTED + 1))
    with pytest.raises(Unparsed, match="words"):
        clauses("select " + "name , " * 20_000 + "name from town")


def test_tables_that_are_none_are_unscored() -> None:
    task = scoring.load({"kind": "task", "name": "t", "fields": {"a": {
        "score": "spider/sql_clauses(tables=record.tables, foreign_keys=record.keys) | equal"}}})  # fmt: skip
    sides = {"response": "select * from town", "reference": "select * from town"}
    assert task.score({**sides, "tables": {"town": ["a"]}, "keys": []}).score == 1
    for tables in (None, 3, "town", ["town"], {"town": 3}, {"town": [3]}, {"town": [None]}):
        assert task.score({**sides, "tables": tables, "keys": []}).score is None
    for keys in (3, "a", [3], [["a"]], [[["a"], {}]], {"a": 1}, [["town.a", None]]):
        assert task.score({**sides, "tables": {"town": ["a"]}, "keys": keys}).score is None
