"""Graphs as triples, against all matches of their variables; `tests/parity/test_trees.py` holds them to Smatch."""

from __future__ import annotations

import itertools
import time
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scoring
from scoring.extensions.trees.graphs import shared_triples
from scoring.extensions.trees.penman import amr_triples
from scoring.result import Unparsed, Unscored

VARIABLES = st.integers(0, 4)
GRAPHS = st.lists(
    st.tuples(st.sampled_from("rs"), VARIABLES, st.one_of(VARIABLES, st.sampled_from("ab"))).map(list), max_size=9
)


def by_all_matches(one: list[Any], other: list[Any]) -> int:
    """The greatest number of shared triples, by trying all matches of variables."""
    wanted = Counter(map(tuple, other))
    best = 0
    for places in itertools.permutations(range(5)):
        named = Counter(tuple(places[x] if type(x) is int else x for x in triple) for triple in one)
        best = max(best, (named & wanted).total())
    return best


@settings(max_examples=80, deadline=None)
@given(GRAPHS, GRAPHS)
def test_no_match_of_variables_shares_more(one: list[Any], other: list[Any]) -> None:
    assert shared_triples(one, other) == shared_triples(other, one) == by_all_matches(one, other)


def test_names_and_order_of_variables_do_not_count() -> None:
    one = [["r", 7, -1], ["a", 7, "x"], ["a", -1, True]]
    assert shared_triples(one, [["a", 1, True], ["a", 0, "x"], ["r", 0, 1]]) == 3
    assert shared_triples(one, [["a", 1, 1.0], ["a", 0, "X"], ["r", 1, 0]]) == 1
    assert shared_triples([], one) == shared_triples([["loop", 1, 2]], [["loop", 1, 1]]) == 0
    assert shared_triples([["r", 0, "x"]] * 3, [["r", 0, "x"]] * 2) == 2


@pytest.mark.parametrize("item", ["ab", 3, None, [], ["r", 0], ["r", "a", 0], ["r", True, 0], ["r", 0.0, 0], {"a": 1}])
def test_what_is_no_triple_is_unscored(item: Any) -> None:
    with pytest.raises(Unscored, match="which is no triple"):
        shared_triples([["r", 0, "x"]], [item])


def test_work_is_bounded() -> None:
    wheel = [["r", 0, place] for place in range(1, 200)]
    ring = [["r", place, (place + 1) % 80] for place in range(80)]
    dense = [["r", one, other] for one in range(12) for other in range(one)]
    start = time.process_time()
    for graph in (wheel, ring, dense):
        with pytest.raises(Unscored, match="could match"):
            shared_triples(graph, graph[::-1])
    assert time.process_time() - start < 30


def test_large_graphs_that_resemble_each_other_take_no_time() -> None:
    tree: list[list[Any]] = [[f"r{place % 8}", place // 3, place] for place in range(1, 120)]
    graph: list[list[Any]] = [["instance", place, f"c{place % 70}"] for place in range(120)] + tree
    turned = [[name, 200 - one, two if isinstance(two, str) else 200 - two] for name, one, two in graph]
    assert shared_triples(graph, [*graph[:-9], ["r", 0, "x"]]) == len(graph) - 9
    assert shared_triples(graph, turned) == len(graph)


def test_a_graph_is_read_to_where_it_breaks_off() -> None:
    assert amr_triples("(a / b :c (d / e)") == amr_triples("# ::id 1\n(a / b\n   :c (d / e))\n\n(f / g)")
    assert amr_triples('(A / B_ :C "D e" :mod A)')[1:] == [["domain", 0, 0], ["c", 0, "d"], ["top", 0, "top"]]


@pytest.mark.parametrize(
    "text", ["", "#", "(a)", "(a / b :c)", ")", ":a b", "(a / b))", "(" * 50_000, "a/b", "(:r (a / b))", "(a / b / c)"]
)
def test_what_is_no_graph_is_unparsed(text: str) -> None:
    with pytest.raises(Unparsed):
        amr_triples(text)


def test_a_deep_graph_takes_no_stack() -> None:
    text = "".join(f"(v{place} / x :r " for place in range(5_000)) + "-" + ")" * 5_000
    assert len(scoring.parser("amr_triples").parse(text)) == 10_001


def test_a_relation_called_instance_is_no_concept() -> None:
    one, other = (amr_triples(text) for text in ("(a / dog :Instance cat)", "(a / cat)"))
    assert one == [["instance", 0, "dog"], [":instance", 0, "cat"], ["top", 0, "top"]]
    assert shared_triples(one, other) == 1


@pytest.mark.parametrize("text", ["(a / (a / dog))", "(a / dog :r (a / cat))", "(a :r (a / dog))"])
def test_a_variable_opens_once(text: str) -> None:
    with pytest.raises(Unparsed):
        amr_triples(text)
