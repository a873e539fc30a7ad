"""The driver of runs over many machines: whoever dies, each part comes back, and one bad record costs itself alone."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.data.file import InputFile
from scoring.data.rows.read import read_rows
from scoring.data.slice import Slice
from scoring.engine.road.drive import TRIES, Driver, WorkerDied
from scoring.errors import InputError
from scoring.extensions.wide.cutting import cut
from scoring.extensions.wide.part import halves_of_part


class FakeWorkers:
    """Workers that die at some calls, and at the records that kill."""

    def __init__(self, dying: set[int], began: bool = True) -> None:
        self.count = 2
        self.calls = 0
        self.dying = dying
        self.began = began

    def submit(self, work: Callable[[Any], Any], given: Any) -> Future[Any]:
        found: Future[Any] = Future()
        self.calls += 1
        try:
            if self.calls in self.dying:
                raise WorkerDied("killed", began=self.began)
            found.set_result(work(given))
        except Exception as error:
            found.set_exception(error)
        return found


def ids_of(part: Slice, killers: set[int]) -> list[Any]:
    found = [row.record["id"] for row in read_rows(InputFile.of(part)) if row.record is not None]
    if killers & set(found):
        raise WorkerDied("this record kills")
    return found


def apart(part: Slice) -> list[Slice]:
    rows = sum(1 for _ in read_rows(InputFile.of(part)))
    return list(halves_of_part(part, rows)) if rows > 1 else []


def driven(parts: list[Slice], workers: FakeWorkers, killers: set[int]) -> list[Any]:
    driver = Driver(workers, lambda part: ids_of(part, killers), apart, lambda part: [None], lambda one, two: one + two)
    found = dict(driver.results(parts))
    return [one for number in sorted(found) for one in found[number]]


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> list[Slice]:
    path = tmp_path_factory.mktemp("drive") / "a.jsonl"
    path.write_text("".join(json.dumps({"id": number}) + "\n" for number in range(60)))
    return list(cut(InputFile(str(path)), 100))


@given(st.sets(st.integers(0, 59), max_size=3))
def test_only_the_records_that_kill_are_lost(parts: list[Slice], killers: set[int]) -> None:
    assert len(parts) > 5
    found = driven(parts, FakeWorkers(set()), killers)
    assert found == [None if number in killers else number for number in range(60)]


@given(st.sets(st.integers(1, 30)))
def test_what_waited_behind_another_part_is_not_lost_however_often_that_dies(
    parts: list[Slice], dying: set[int]
) -> None:
    assert driven(parts, FakeWorkers(dying, began=False), set()) == list(range(60))


@given(st.sets(st.integers(1, 30)))
def test_every_record_has_its_place_whenever_workers_die(parts: list[Slice], dying: set[int]) -> None:
    found = driven(parts, FakeWorkers(dying), set())
    assert [number for number, one in enumerate(found) if one not in (None, number)] == []
    assert len(found) == 60


def test_a_worker_that_dies_once_costs_nothing(parts: list[Slice]) -> None:
    workers = FakeWorkers({1, 4})
    assert driven(parts, workers, set()) == list(range(60))
    assert workers.calls == len(parts) + 2


def test_taking_apart_takes_few_steps(parts: list[Slice]) -> None:
    workers = FakeWorkers(set())
    driven(parts, workers, {17})
    rows = sum(1 for _ in read_rows(InputFile.of(parts[0])))
    assert workers.calls <= len(parts) + TRIES + 2 * TRIES * rows.bit_length()


def test_an_error_that_is_no_death_ends_the_run(parts: list[Slice]) -> None:
    def work(part: Slice) -> Any:
        raise InputError("no such column")

    driver: Driver[Any, Any] = Driver(FakeWorkers(set()), work, apart, lambda part: [], lambda one, two: [])
    with pytest.raises(InputError, match="no such column"):
        list(driver.results(parts))


def test_parts_are_taken_from_the_list_as_workers_are_free(parts: list[Slice]) -> None:
    workers = FakeWorkers(set())
    driver: Driver[Any, Any] = Driver(
        workers, lambda part: ids_of(part, set()), apart, lambda part: [], lambda one, two: one + two
    )
    some = itertools.islice(driver.results(itertools.cycle(parts)), 3)
    assert len(list(some)) == 3
    assert workers.calls <= 2 * workers.count + 3
