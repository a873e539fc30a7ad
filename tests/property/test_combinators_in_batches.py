"""Batches inside combinators: a column gives what its pairs give one by one, to the bit, whatever stands in it."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

import scoring
from scoring.primitives.combine import tables
from scoring.primitives.combine.tables import best_rows, greedy_pairs, optimal_pairs
from scoring.registry import registry
from scoring.registry.pairs import MOST_PAIRS, PairIndices

LEAVES = st.sampled_from(
    [
        "lower | levenshtein",
        "to_text | casefold | levenshtein | zero_below(0.5)",
        "to_text | contains",
        "lower | levenshtein | zero_below(0.3, strict=true)",
        "number | equal",
        "number | absolute_error | exp_decay(rate=1)",
        "number | within(relative=0.1)",
        "equal",
        "levenshtein",
    ]
)
OVER_KEYS = st.sampled_from(["union", "reference", "prediction", "common"])
OVER_ITEMS = st.sampled_from(["longer", "reference", "prediction"])
ITEMS = st.sampled_from(["[]", '["a", "Ab"]', "[1, null, [2]]"])
JOINS = st.sampled_from(["mean", "min", "max", "sum", "product", "mean | at_least(0.5)"])
FORMULAS = st.sampled_from(['"2 * a - b"', '"a / b"', '"if(a > 0.5, b, exp(a))"', '"max(a, b) == b"', '"log(a + b)"'])
PAIRING = st.sampled_from(["optimal", "best", "order", "greedy"])


def wrapped(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.builds("{}({}, {})".format, st.sampled_from(["any_of", "all_of", "first_of"]), inner, inner),
        st.builds("when(test={}, then={})".format, inner, inner),
        st.builds("when(test={}, then={}, otherwise={})".format, inner, inner, inner),
        st.builds("attempt({}, otherwise=0.25)".format, inner),
        st.builds("any_reference({})".format, inner),
        st.builds("any_prediction({})".format, inner),
        st.builds("sides(prediction=variants(to_text, to_text | lower)) | any_prediction({})".format, inner),
        st.builds('per_key({}, over="{}")'.format, inner, OVER_KEYS),
        st.builds('per_key({}, over="{}", missing="fill", fill="x")'.format, inner, OVER_KEYS),
        st.builds('align({}, by="{}", over="{}")'.format, inner, PAIRING, OVER_ITEMS),
        st.builds("each(over={}, score={}, join={})".format, ITEMS, inner, JOINS),
        st.builds("combine({}, a={}, b={})".format, FORMULAS, inner, inner),
        st.builds("map_items(to_text | lower) | {}".format, inner),
        st.builds("map_values(to_text | lower) | {}".format, inner),
        st.builds("fallback(number, to_text | lower) | {}".format, inner),
        st.builds(
            "{} | {}".format,
            inner,
            st.sampled_from(["invert", "at_least(0.5)", "zero_below(0.5, strict=true)", "at_most(0.4)"]),
        ),
    )


def well_typed(text: str) -> scoring.Scorer:
    """The scorer, unless steps don't fit: `map_items(lower) | lower` is refused before anything runs."""
    try:
        return scoring.scorer(text)
    except scoring.SpecError:
        reject()


PIPELINES = st.recursive(LEAVES, wrapped, max_leaves=4)
SCALARS = st.sampled_from(["a", "Ab", "abc", "1", "2.5", "x y", " X", "", "12 ", 3, 1, 0.5, True, None])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.sampled_from("pqr"), inner, max_size=3)),
    max_leaves=12,
)
PAIRS = st.lists(
    st.one_of(st.tuples(VALUES, VALUES), VALUES.map(lambda value: (value, value))), min_size=2, max_size=24
)


@pytest.mark.property
@settings(max_examples=300)
@given(PIPELINES, PAIRS)
def test_a_column_of_a_combinator_gives_what_pairs_give(text: str, pairs: list[tuple[Any, Any]]) -> None:
    compare = well_typed(text)
    alone = [compare.score(*pair) for pair in pairs]
    found = compare.score_many([one for one, _ in pairs], [other for _, other in pairs])
    assert list(map(repr, found)) == list(map(repr, alone))  # so that 1 and True, 0.0 and -0.0 differ


@pytest.mark.property
@given(PIPELINES, st.lists(VALUES, min_size=1, max_size=10), VALUES, st.sampled_from([1, 8, 40]))
def test_the_best_of_many_is_the_best_of_each(text: str, some: list[Any], value: Any, times: int) -> None:
    compare, many = well_typed(text), some * times
    best = (
        well_typed(f"any_reference({text})").score(value, many),
        well_typed(f"any_prediction({text})").score(many, value),
    )
    for found, each in zip(best, ([(value, one) for one in some], [(one, value) for one in some]), strict=True):
        alone = [compare.score(*pair) for pair in each]
        failed = next((one for one in alone if not one.is_scored), None)
        wanted = failed or scoring.Outcome(max(one.value for one in alone if one.value is not None))
        assert repr(found) == repr(wanted)


@pytest.mark.property
@given(PAIRS)
def test_a_batch_in_small_portions_is_the_same(pairs: list[tuple[Any, Any]]) -> None:
    compare = scoring.scorer("any_of(align(per_key(to_text | levenshtein)), any_reference(to_text | levenshtein))")
    sides = [one for one, _ in pairs], [other for _, other in pairs]
    whole = compare.score_many(*sides)
    with pytest.MonkeyPatch.context() as patch:
        for name in ("scoring.registry.pairs", "scoring.primitives.combine.item_pairs"):
            patch.setattr(importlib.import_module(name), "MOST_PAIRS", 3)
        assert compare.score_many(*sides) == whole


KINDS = st.sampled_from(["text", "list", "other", 1, True, None, ["text"]])
BY_KIND = """switch(record.kind, text=to_text | levenshtein, list=align(equal),
    other=any_reference(switch(record.kind, other=equal)), "1"=per_key(equal))"""


@pytest.mark.property
@given(st.lists(st.tuples(KINDS, VALUES, VALUES), min_size=2, max_size=12))
def test_what_reads_the_record_gives_the_same_in_batches(records: list[tuple[Any, Any, Any]]) -> None:
    task = scoring.load({"kind": "task", "name": "t", "record": {"kind": "kind"}, "score": BY_KIND})
    rows = [{"kind": kind, "response": one, "reference": other} for kind, one, other in records]
    alone = [task.score(row).outcome for row in rows]
    assert [result.outcome for result in task.score_batch(rows)] == alone


@pytest.fixture
def counted() -> Iterator[Callable[[str], list[int]]]:
    """How many values the batch form of a primitive gets, call by call."""
    undo = []

    def count(name: str) -> list[int]:
        found, sizes = registry.get(name), list[int]()
        assert found is not None
        plain = found.forms["batch"]

        def batch(*columns: Any) -> Any:
            sizes.append(len(columns[0]))
            return plain(*columns)

        found.forms["batch"] = batch
        undo.append((found.forms, plain))
        return sizes

    yield count
    for forms, plain in undo:
        forms["batch"] = plain


def test_a_batch_asks_the_inner_scorer_once_and_prepares_each_text_once(counted: Callable[[str], list[int]]) -> None:
    asked, prepared = counted("levenshtein"), counted("lower")
    align = scoring.scorer("align(per_key(lower | levenshtein))")
    lines = [[{"a": f"{n} {i}", "b": "x"} for i in range(3)] for n in range(10)]
    assert [found.value for found in align.score_many(lines, lines)] == [1.0] * 10
    assert (asked, prepared) == ([10 * 3 * 3 * 2], [10 * 3 * 2] * 2)


@pytest.mark.parametrize("times", [2, 8, 100, 1_000])
@pytest.mark.parametrize(
    ("score", "most"),
    [
        ("any_reference(collapse_spaces | equal)", 1),
        ("any_reference(collapse_spaces | levenshtein | zero_below(0.5, strict=true))", 1),
        ("any_reference(collapse_spaces | levenshtein | zero_below(record.least))", 1),
        ("sides(prediction=split(';')) | any_reference(any_prediction(collapse_spaces | levenshtein))", 32),
        ("any_reference(any_of(equal, collapse_spaces | equal))", 32),
    ],
)
def test_a_long_response_is_prepared_once_for_many_references(score: str, most: int, times: int) -> None:
    step, seen, response = registry.get("collapse_spaces"), list[str](), "a  b " * 500
    assert step is not None
    forms = {step.function.__code__, step.forms["batch"].__code__}

    def watch(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code in forms:
            given = frame.f_locals[frame.f_code.co_varnames[0]]
            seen.extend(given if isinstance(given, list) else [given])

    task = scoring.load({"kind": "task", "name": "t", "record": {"least": "least"}, "score": score})
    record = {"response": response, "reference": [f"no {place}" for place in range(times)], "least": 0.5}
    sys.setprofile(watch)
    try:
        found = task.score(record).score
    finally:
        sys.setprofile(None)
    assert found is not None
    assert 1 <= seen.count(response) <= most


def test_what_is_held_for_long_lists_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    products = PairIndices.products.__func__  # type: ignore[attr-defined]  # of a class method

    def measured(cls: type[PairIndices], *stretches: Any) -> PairIndices:
        found: PairIndices = products(cls, *stretches)
        sizes.append(len(found))
        return found

    monkeypatch.setattr(PairIndices, "products", classmethod(measured))
    long = list(map(float, range(700)))
    assert scoring.scorer("align(equal)").score(long, long[::-1]).value == 1.0
    assert scoring.scorer("align(equal)").score_many([long] * 2, [long] * 2)[1].value == 1.0
    assert sum(sizes) == 3 * 700 * 700
    assert max(sizes) <= MOST_PAIRS


@pytest.mark.parametrize(
    ("text", "one", "other", "reason"),
    [
        ("equal", [1.0] * 1_001, [1.0] * 1_001, "lists of 1,001 and 1,001 items are too long to be aligned: at most "
         "1,000,000 pairs of items are compared; shorten or split them"),
        ("equal", ["a"] * 20_000, ["a"] * 20_000, "lists of 20,000 and 20,000 items"),
        ("align(equal)", [[1] * 600] * 4, [[1] * 600] * 4, "lists that hold 2,400 and 2,400 values"),
    ],
)  # fmt: skip
def test_lists_that_are_too_long_are_refused_by_their_sizes(text: str, one: Any, other: Any, reason: str) -> None:
    align, short = scoring.scorer(f"align({text})"), [other[0]]
    assert str(align.score(one, other).reason).startswith(reason)
    refused, fine = align.score_many([one, short], [other, short])
    assert refused == align.score(one, other)
    assert fine.value == 1.0
    assert scoring.scorer(f'align({text}, by="order")').score(one, one).value == 1.0


@pytest.mark.parametrize(
    ("text", "one", "other", "reason"),
    [
        ("any_reference(levenshtein)", "a" * 50_001, ["b"] * 8_000, "a prediction of 50,001 characters and 8,000 "
         "values on the other side are too long to be compared: at most 400,000,000 characters are read, those of the "
         "prediction for each"),
        ("any_reference(equal)", [[0.5, "a"]] * 8_000, ["b"] * 8_000, "a prediction of 72,000 characters"),
        ("any_prediction(levenshtein)", ["b"] * 8_000, "a" * 50_001, "a reference of 50,001 characters"),
    ],
)  # fmt: skip
def test_what_is_too_long_for_so_many_values_is_refused(text: str, one: Any, other: Any, reason: str) -> None:
    best = scoring.scorer(text)
    refused, fine = best.score_many([one, one[:6_000]], [other, other[:6_000]])
    assert refused == best.score(one, other)
    assert str(refused.reason).startswith(reason)
    assert fine == best.score(one[:6_000], other[:6_000])
    assert fine.is_scored


def test_small_tables_are_solved_without_scipy() -> None:
    code = """
import sys, scoring
lines = [{"a": str(n), "b": n} for n in range(9)]
assert scoring.scorer("align(per_key(to_text | levenshtein))").score(lines[1:], lines).value == 8 / 9
assert "scipy" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


TABLES = st.tuples(st.integers(1, 7), st.integers(1, 7)).flatmap(
    lambda shape: st.lists(
        st.lists(st.sampled_from([0.0, 0.5, 1.0, 0.1, 0.3, 1 / 3]), min_size=shape[1], max_size=shape[1]),
        min_size=shape[0],
        max_size=shape[0],
    )
)


@pytest.mark.property
@settings(max_examples=500)
@given(TABLES)
def test_our_pairing_is_that_of_scipy_where_many_are_best(table: list[list[float]]) -> None:
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(table, maximize=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.delitem(sys.modules, "scipy.optimize")
        patch.setattr(tables, "_FIRST", iter(range(1)))
        assert optimal_pairs(table) == (rows.tolist(), columns.tolist())


@pytest.mark.property
@given(TABLES)
def test_tables_as_arrays_and_as_lists_are_paired_alike(table: list[list[float]]) -> None:
    import numpy as np

    array = np.array(table)
    for by_column in (False, True):
        assert best_rows(table, by_column=by_column) == best_rows(array, by_column=by_column)
    assert optimal_pairs(table) == optimal_pairs(array)
    ranked = sorted((-score, row, column) for row, line in enumerate(table) for column, score in enumerate(line))
    taken: dict[int, int] = {}
    for _, row, column in ranked:
        if row not in taken and column not in taken.values():
            taken[row] = column
    assert greedy_pairs(table) == greedy_pairs(array) == (sorted(taken), [taken[row] for row in sorted(taken)])
