"""Breakdowns by plain, list-valued, crossed and computed attributes."""

from __future__ import annotations

import random

from scoring.metrics.summary import mean_score
from scoring.statistics.breakdown import attributes_of, parts_of
from scoring.statistics.rows import Rows

ROWS = Rows.of_scores(
    [1.0, 0.0, 0.5, None],
    doc_type=["report", "report", "letter", None],
    languages=[["de", "en"], ["en", "en"], [], ["de"]],
    pages=[[1], [2, 3], [4], []],
)


def table(name: str, rows: Rows = ROWS) -> dict[str, float | None]:
    parts = parts_of([rows.column(attribute) for attribute in attributes_of(name)])
    return {part.label: mean_score(rows.select(part.indices)).value() for part in parts}


def test_a_plain_attribute_groups_once_and_keeps_the_missing() -> None:
    assert table("doc_type") == {"letter": 0.5, "report": 0.5, "(none)": None}


def test_a_list_counts_in_each_of_its_groups_once() -> None:
    assert table("languages") == {"de": 1.0, "en": 0.5}


def test_crossed_attributes_make_every_combination_that_occurs() -> None:
    assert table("doc_type x languages") == {"report x de": 1.0, "report x en": 0.5, "(none) x de": None}


def test_true_and_one_are_different_groups() -> None:
    assert [part.group for part in parts_of([[True, 1, "1"]])] == [(1,), ("1",), (True,)]


def test_the_order_of_records_changes_no_figure() -> None:
    places = list(range(len(ROWS)))
    random.Random(5).shuffle(places)
    shuffled = ROWS.select(places)
    assert list(table("languages", shuffled).items()) == list(table("languages").items())


def test_equal_values_of_other_types_are_other_groups() -> None:
    """1, 1.0, True and "1" are equal or look alike; lists of them are, too."""
    for values in ([1, True, 1.0, "1", None, "None"], [[1], [True], ["1"], ["1", "1"]]):
        parts = parts_of([values])
        assert sorted(place for part in parts for place in part.indices) == list(range(len(values)))
        assert all(len({type(_one(values[place])) for place in part.indices}) == 1 for part in parts)
    assert [part.indices for part in parts_of([["a", "b", "a"], [["x", "y"], ["x"], ["x", "y"]]])] == [
        (0, 2),
        (0, 2),
        (1,),
    ]


def _one(value: object) -> object:
    return value[0] if isinstance(value, list) else value


def test_numbers_group_by_their_kind_too() -> None:
    parts = parts_of([[1, True, 1.0, 1, False, 0, -0.0, 0.0]])
    assert sorted((repr(part.group[0]), part.indices) for part in parts) == [
        ("-0.0", (6,)),
        ("0", (5,)),
        ("0.0", (7,)),
        ("1", (0, 3)),
        ("1.0", (2,)),
        ("False", (4,)),
        ("True", (1,)),
    ]
