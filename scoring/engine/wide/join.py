"""Parts joined: their states in the order of their places, and the ids that stand in several of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from scoring.compiler.task import CompiledTask
from scoring.data.file import InputFile
from scoring.data.rows.join import id_text, single
from scoring.data.rows.read import blocks_or_none
from scoring.data.rows.report import MAX_EXAMPLES, InputReport
from scoring.data.rows.row import InputError
from scoring.data.slice import Slice
from scoring.engine.remote.drive import Driver, Workers
from scoring.engine.remote.engines import workers_of
from scoring.engine.road.pool import LocalWorkers
from scoring.engine.road.summary import RunState
from scoring.engine.wide.part import REPEATED, UNCOMPARED, PartDone, PartScorer

NameOf = Callable[[int, int], tuple[Any, str]]
"""The id and the place in the input of a record, by its part's place and its own place there."""


@dataclass
class Joined:
    """What is known of the parts so far; they are added in the order of their places.

    Args:
        task: What scored them.
        is_small: Whether the state stays of constant size.
        named: Tells of a record whose id stands twice what its id is.
    """

    task: CompiledTask
    is_small: bool
    named: NameOf
    report: InputReport = field(default_factory=InputReport)
    records: int = 0
    _state: RunState | None = None
    _runs: list[Any] = field(default_factory=list)

    def add(self, place: int, done: PartDone) -> None:
        """The next part.

        Raises:
            InputError: when its state is not one of this task.
        """
        try:
            state = RunState.unpack(self.task, done.state)
            state = state if self._state is None else self._state.merge(state)
            self._state = state.reduced() if self.is_small else state
            self.report.take(done.report)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise InputError(f"part {place + 1} has no state of this task; score it again") from error
        self.records += done.records
        for number, position in enumerate(self._repeated(done.ids)):
            if number >= MAX_EXAMPLES:
                self.report.add(REPEATED, "")  # counted; examples there are enough
                continue
            name, where = self.named(place, position)
            self.report.add(REPEATED, f"{id_text(name)} ({where})")

    def summary(self) -> dict[str, Any]:
        """The summary of all parts."""
        assert self._state is not None, "a run has a part"
        if self.is_small:
            self.report.add(*UNCOMPARED)
        return self._state.summary(self.task, self.report)

    def _repeated(self, ids: bytes) -> list[int]:
        """Which records have an id that stood before: sorted runs of 8 bytes a record are all that is kept."""
        import numpy as np

        own = np.frombuffer(ids, dtype="<u8")
        if not len(own):
            return []
        order = np.argsort(own, kind="stable")
        ordered = own[order]
        again = np.concatenate([[False], ordered[1:] == ordered[:-1]])
        for run in self._runs:
            at = np.minimum(np.searchsorted(run, ordered), len(run) - 1)
            again |= run[at] == ordered
        again &= ordered != 0
        self._runs.append(ordered)
        while len(self._runs) > 1 and len(self._runs[-2]) <= 2 * len(self._runs[-1]):
            self._runs[-2:] = [np.sort(np.concatenate(self._runs[-2:]))]
        return sorted(order[again].tolist())


@contextmanager
def workers_for(scorer: PartScorer, engine: str, processes: int) -> Iterator[Workers | None]:
    """Whoever scores the parts of a run, None for this process.

    Args:
        scorer: What they do.
        engine: ``local``, or the name of one of `scoring.engine.remote.engines`.
        processes: How many work here; 1 leaves another engine the number that it has room for.

    Raises:
        InputError: when there is no such engine, or its library is missing.
    """
    if engine != "local":
        with workers_of(engine, processes if processes > 1 else None) as remote:
            yield remote
    elif processes <= 1:
        yield None
    else:
        local = LocalWorkers(scorer, processes)
        try:
            yield local
        finally:
            local.close()


def scored_parts(
    scorer: PartScorer, parts: Iterable[tuple[int, Slice]], workers: Workers | None = None
) -> Iterator[tuple[int, PartDone]]:
    """Score parts, in this process or in others.

    Args:
        scorer: Scores them.
        parts: The rows of each with its place.
        workers: Who works, this process by default; one that dies loses nothing.

    Yields:
        The places in the order in which they are done, and what is known of the parts.
    """
    if workers is None:
        for place, part in parts:
            yield place, scorer(part)
        return
    places: list[int] = []

    def given() -> Iterator[Slice]:
        for place, part in parts:
            places.append(place)
            yield part

    for number, done in Driver(workers, scorer, apart, scorer.lost, scorer.merge).results(given()):
        yield places[number], done


def apart(part: Slice) -> list[Slice]:
    """A part that kills whoever scores it in two halves; nothing where it is one row."""
    rows = sum(map(len, blocks_or_none(InputFile.of(part))))
    return list(part.halves(rows)) if rows > 1 else []


def name_in(task: CompiledTask, part: Slice, position: int) -> tuple[Any, str]:
    """The id and the place of a record, read from the input again."""
    items = single(blocks_or_none(InputFile.of(part)), task.record_id, InputReport())
    return next((item.id, item.where) for number, item in enumerate(items) if number == position)
