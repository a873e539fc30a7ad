"""The same answers under several scorers, those that read the record among them."""

from __future__ import annotations

from scoring.extensions.dialects.comparing import compare_scorers, scorers_named
from scoring.extensions.dialects.scores import Compared, dialects_data, differing_indexes

HELD = [
    Compared("q1", "12.9", "12", {"record": {"answer_format": "Int"}}),
    Compared("q2", "renewable energi", "renewable energy", {"record": {"answer_format": "Str"}}),
    Compared("q3", "a", "b", {"record": {}}),
]


def test_scorers_that_read_the_record_can_be_compared() -> None:
    found = compare_scorers(["mmesgbench@1:answer", "mmesgbench-upstream@1:answer"], HELD)
    assert [one.scores[:2] for one in found] == [(1.0, 0.9375), (1.0, 0.0)]
    assert [one.scores[2] for one in found] == [None, None]
    assert [one.differing for one in found] == [0, 1]
    assert differing_indexes(found) == [1]
    assert dialects_data(found, HELD)["records"] == [
        {"id": "q2", "scores": {"mmesgbench@1:answer": 0.9375, "mmesgbench-upstream@1:answer": 0.0}}
    ]


def test_those_furthest_apart_come_first() -> None:
    held = [Compared("a", "house", ["mouse"], {}), Compared("b", "x", "X", {}), Compared("c", "x", "x", {})]
    found = compare_scorers(["lower | equal", "levenshtein", "equal"], held)
    # "x" and "X" are 1 or 0; only the last takes a list for a reference, and no score differs from a score of 0.
    assert [held[place].id for place in differing_indexes(found)] == ["b", "a"]


def test_a_pack_stands_for_its_scorers() -> None:
    names = scorers_named("mmesgbench@1, anls@1:docvqa")
    assert {"mmesgbench@1:str", "mmesgbench@1:answer", "anls@1:docvqa"} <= set(names)
