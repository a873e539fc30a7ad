"""Two specs, and what lies between them, on the same data: which records move, and because of which change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from scoring.api.opening import Opened
from scoring.api.run import Run
from scoring.api.running import RunOptions, run_opened
from scoring.api.sources import GivenData
from scoring.compiler.compile import compile_task
from scoring.data.rows.row import InputError
from scoring.engine.runs.read import RecordKeys
from scoring.format.model import NO_DEFAULT, Definition
from scoring.sharing.changes.found import MovesJudged, described
from scoring.sharing.changes.movement import RecordScore, ScoredData, attributed
from scoring.sharing.changes.told import movement_data

if TYPE_CHECKING:
    from scoring.sharing.changes.between import BetweenSpecs


def given_again(data: Any, references: Any, input_format: str | None, limit: int | None) -> GivenData:
    """Data that can be read as often as it takes: what comes through a pipe or can be gone through once is kept."""
    sides = []
    for side in (data, references):
        if side == "-":
            from scoring.data.file import InputFile
            from scoring.data.rows.read import read_rows

            kept = [
                row.record for row in read_rows(InputFile("-", kind=input_format) if input_format else InputFile("-"))
            ]
            input_format = None
            sides.append(kept)
        else:
            sides.append(list(side) if isinstance(side, Iterator) else side)
    return GivenData(sides[0], sides[1], input_format, limit)


def movement(
    between: BetweenSpecs, judged: MovesJudged, given: GivenData, how: Mapping[str, Any], worst: int, scorings: int
) -> dict[str, Any]:
    """How the records of some data move, as plain data.

    Args:
        between: The two specs.
        judged: What moves by which change.
        given: The data.
        how: What `RunOptions` takes.
        worst: How many records are told one by one.
        scorings: How often the data may be scored.

    Raises:
        InputError: when the data can't be scored.
    """
    wrapper = _around(between, judged) if between.is_pack else {}
    folder = between.new.files[0].folder

    def score(chosen: frozenset[int]) -> ScoredData:
        task = compile_task(*between.opened(chosen, wrapper))[0]
        opened = Opened(task) if folder is None else Opened(task, folder=folder)
        return scored(run_opened(opened, given, RunOptions(keep_values=False, **how)))

    old, new = score(frozenset()), score(between.every)
    found = attributed(between, judged, old, new, score, scorings)
    numbers = {change.edit: place for place, change in enumerate(described(between, judged))}
    return movement_data(old, new, found, numbers, judged, worst)


def scored(run: Run) -> ScoredData:
    """What a run made of its records, and its figures."""
    keys = RecordKeys()
    records: dict[str, RecordScore] = {}
    for part in run.parts:
        for place, result in zip(part.places, part.results, strict=True):
            fields = {name: (one.status, one.score) for name, one in result.fields.items()}
            records[keys.next(result.id, place, part.task)] = (result.status, result.score, result.passed, fields)
    return ScoredData(records, run.metrics)


def _around(between: BetweenSpecs, judged: MovesJudged) -> dict[str, Any]:
    """The task around a pack that scores every record by each of its scorers that moves.

    Raises:
        InputError: when none of them can score by itself.
    """
    known = between.new.definitions(0)
    parts = dict.fromkeys(part for held in judged.parts for part in held)
    names = [name for name in parts if name in known and known[name].role == "scorer" and _is_complete(known[name])]
    if not names:
        raise InputError(
            "no scorer of this pack that moves can score data by itself; compare two versions of a task that imports it"
        )
    fields = {name: {"score": f"scored.{name}", "prediction": "@", "reference": "@"} for name in names}
    metrics = ["mean", *(f'mean(field="{name}")' for name in names if len(names) > 1)]
    return {"fields": fields, "metrics": metrics}


def _is_complete(definition: Definition) -> bool:
    """Whether all its parameters have defaults."""
    return all(param.default is not NO_DEFAULT or param.pipeline is not None for param in definition.params)
