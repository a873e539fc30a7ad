"""Batches of records: however they are cut and joined, each record keeps its id, place, values and problem."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from scoring.data.rows.batch import Batch, Item, in_batches, one_by_one, split_at
from scoring.engine.road.evaluate import Job

items = st.lists(
    st.builds(
        Item,
        st.one_of(st.none(), st.text(max_size=2)),
        st.integers(1, 99).map("line {}".format),
        st.fixed_dictionaries({"x": st.integers(0, 3)}),
        st.one_of(st.none(), st.just("no prediction")),
    ),
    max_size=12,
)


def cut(found: list[Item], places: list[int]) -> list[Batch]:
    """The items in batches that end at some places; a batch may be empty."""
    ends = sorted({0, *(min(place, len(found)) for place in places), len(found)})
    return [Batch.of(found[start:end]) for start, end in zip(ends, ends[1:] or ends, strict=False)]


@given(items, st.lists(st.integers(0, 12)))
def test_joined_batches_have_the_records_of_all(found: list[Item], places: list[int]) -> None:
    batches = cut(found, places)
    assert list(one_by_one(batches)) == list(one_by_one([Batch.join(batches)])) == found


@given(items, st.integers(0, 12), st.integers(0, 12))
def test_a_slice_has_the_records_between(found: list[Item], start: int, stop: int) -> None:
    assert list(one_by_one([Batch.of(found)[start:stop]])) == found[start:stop]


@given(items, st.lists(st.integers(0, 12)), st.integers(0, 14))
def test_the_first_records_and_the_rest_are_all(found: list[Item], places: list[int], count: int) -> None:
    first, rest = split_at(cut(found, places), count)
    assert list(one_by_one([first])) == found[:count]
    assert list(one_by_one(rest)) == found[count:]


def test_what_follows_the_first_records_is_not_read() -> None:
    def read() -> Iterator[Batch]:
        yield Batch.of([Item("a", "line 1", {})])
        raise AssertionError("the second batch was read")

    first, _ = split_at(read(), 1)
    assert first.ids == ["a"]


@given(items)
def test_records_with_a_problem_are_not_whole(found: list[Item]) -> None:
    assert Batch.of(found).whole() == [item.record for item in found if item.problem is None]


def test_batches_hold_512_records() -> None:
    assert [len(batch) for batch in in_batches(Item(n, "", {}) for n in range(1025))] == [512, 512, 1]


@given(items.filter(lambda found: len(found) > 1), st.lists(st.integers(0, 12)))
def test_the_halves_of_a_job_have_its_records_in_order(found: list[Item], places: list[int]) -> None:
    job = Job([(number, batch) for number, batch in enumerate(cut(found, places)) if len(batch)])
    one, other = job.halves()
    assert abs(len(one) - len(other)) <= 1
    assert list(one_by_one(batch for half in (one, other) for _, batch in half.parts)) == found


def test_a_job_of_one_record_has_no_halves() -> None:
    assert Job([(0, Batch.of([Item("a", "line 1", {})]))]).halves() == []
