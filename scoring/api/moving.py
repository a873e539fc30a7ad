"""Two specs, and what lies between them, on the same data: which records move, and because of which change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import repeat
from typing import TYPE_CHECKING, Any

from scoring.api.opening import Opened
from scoring.api.run import Run
from scoring.api.running import RunOptions, run_opened
from scoring.api.sources import GivenData
from scoring.api.verb import check_number
from scoring.compiler.compile import compile_task
from scoring.data.rows.row import InputError
from scoring.engine.runs.read import RecordKeys
from scoring.engine.suite.compile import compile_suite
from scoring.format.model import SuiteSpec
from scoring.late import dataclass
from scoring.outcomes import ABSENT, UNDECIDED, Outcomes
from scoring.sharing.changes.between import AnyBetween, BetweenSpecs
from scoring.sharing.changes.found import MovesJudged, described, judged
from scoring.sharing.changes.movement import PartScore, RecordScore, ScoredData, ScoreVersion, attributed
from scoring.sharing.changes.names import SpecFiles
from scoring.sharing.changes.suites import BetweenSuites
from scoring.sharing.changes.told import diff_data, movement_data

if TYPE_CHECKING:
    from scoring.api.sides import DiffSide
    from scoring.engine.suite.model import Suite


@dataclass(frozen=True, slots=True)
class AskedOfSpecs:
    """What is asked about two specs.

    Args:
        given: The data; None where none are scored.
        worst: How many records are told one by one.
        scorings: How often the data may be scored.
        everything: Whether to tell what is for people alone, too.
        options: What `RunOptions` takes.
    """

    given: GivenData | None
    worst: int
    scorings: int
    everything: bool
    options: Mapping[str, Any]


def moving(
    given: tuple[Any, Any, str | None, int | None],
    worst: int,
    scorings: int,
    everything: bool,
    options: Mapping[str, Any],
) -> AskedOfSpecs:
    """What is asked, once it is known to make sense.

    Args:
        given: The data, the references, their format, and how many records.
        worst: How many records are told one by one.
        scorings: How often the data may be scored.
        everything: Whether to tell what is for people alone, too.
        options: What `RunOptions` takes.

    Raises:
        InputError: for numbers that make none, and what has no effect without data.
    """
    if scorings < 2:
        raise InputError("`scorings` is 2 or more: both sides are scored once")
    if worst < 0:
        raise InputError("`worst` is a number of records, 0 or more")
    if given[0] is None and any(one is not None for one in given[1:]):
        raise InputError("references, a format and a limit are for data; name the records, too: --data FILE")
    check_number("limit", given[3])
    return AskedOfSpecs(None if given[0] is None else _given_again(*given), worst, scorings, everything, options)


def _given_again(data: Any, references: Any, input_format: str | None, limit: int | None) -> GivenData:
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


def changed_data(old: DiffSide, new: DiffSide, how: AskedOfSpecs) -> dict[str, Any]:
    """What changed between two specs, and with data how records move, as plain data.

    Raises:
        SpecError: when one of them is broken.
        InputError: when the data can't be scored.
    """
    between, verdict, score = _compared(old, new, how)
    return {
        **diff_data(between, verdict, [old.shown, new.shown], how.everything),
        "movement": None if how.given is None else movement(between, verdict, score, how),
    }


def movement(
    between: AnyBetween,
    verdict: MovesJudged,
    score: ScoreVersion,
    how: AskedOfSpecs,
    ends: tuple[ScoredData, ScoredData] | None = None,
) -> dict[str, Any]:
    """How records move, as plain data.

    Args:
        between: The two specs.
        verdict: What moves by which change.
        score: Scores a version between them.
        how: What is asked.
        ends: What both sides made of the data, where that is known.
    """
    old, new = ends or (score(frozenset()), score(between.every))
    found = attributed(between, verdict, old, new, score, how.scorings)
    found = found if ends is None else replace(found, scorings=found.scorings - 2)
    numbers = {change.edit: place for place, change in enumerate(described(between, verdict))}
    return movement_data(old, new, found, numbers, verdict, how.worst)


def _compared(old: DiffSide, new: DiffSide, how: AskedOfSpecs) -> tuple[AnyBetween, MovesJudged, ScoreVersion]:
    """What lies between two specs, what moves by which change, and what scores a version between them."""
    between = BetweenSpecs.of(*(SpecFiles.of(side.loaded, side.loader) for side in (old, new)))
    if not isinstance(new.loaded.spec, SuiteSpec):
        verdict = judged(between)
        return between, verdict, score_versions(between, verdict, how)
    suites = [compile_suite(side.loaded, dialect=side.dialect) for side in (old, new)]
    return compared_suites(suites[0], suites[1], between, how)


def compared_suites(
    old: Suite, new: Suite, own: BetweenSpecs, how: AskedOfSpecs
) -> tuple[AnyBetween, MovesJudged, ScoreVersion]:
    """The same of two compiled suites, of whose files it is known what lies between them."""
    between = BetweenSuites.of(old, new, own)

    def score(chosen: frozenset[int]) -> ScoredData:
        return _scored(Opened(between.version(chosen)), how)

    return between, between.judged(), score


def score_versions(between: BetweenSpecs, verdict: MovesJudged, how: AskedOfSpecs) -> ScoreVersion:
    """What scores the versions between two tasks, or two packs: each scorer of these that moves, by itself.

    Raises:
        InputError: when no scorer of a pack that moves can score by itself.
    """
    wrapper = _around(between, verdict) if between.is_pack and how.given is not None else {}
    folder = between.new.files[0].folder

    def score(chosen: frozenset[int]) -> ScoredData:
        task = compile_task(*between.opened(chosen, wrapper))[0]
        return _scored(Opened(task) if folder is None else Opened(task, folder=folder), how)

    return score


def _scored(opened: Opened, how: AskedOfSpecs) -> ScoredData:
    assert how.given is not None
    return scored(run_opened(opened, how.given, RunOptions(keep_values=False, **how.options)))


def scored(run: Run) -> ScoredData:
    """What a run made of its records, and its figures."""
    keys = RecordKeys()
    records: dict[str, RecordScore] = {}
    for part in run.parts:
        held = part.results
        names = tuple(held.fields)
        columns = [_column(column.outcomes) for column in held.fields.values()]
        fields: Iterable[tuple[Any, ...]] = zip(*columns, strict=True) if columns else repeat(())
        passed = [None if byte == UNDECIDED else bool(byte) for byte in held.passed]
        rows = zip(held.ids, part.places, _column(held.outcomes), passed, fields, strict=False)
        for id, place, own, has_passed, values in rows:
            status, score = own or ("unscored", None)
            records[keys.next(id, place, part.task)] = (status, score, has_passed, names, values)
    return ScoredData(records, run.metrics)


def _column(outcomes: Outcomes) -> list[PartScore | None]:
    """What each outcome says, without an object for each."""
    found: list[PartScore | None] = [("scored", value) for value in outcomes.values]
    for place, code in enumerate(outcomes.statuses) if outcomes.statuses.count(ABSENT) else ():
        if code == ABSENT:
            found[place] = None
    for place, odd in outcomes.odd.items():
        found[place] = odd.status, odd.value
    return found


def _around(between: BetweenSpecs, judged: MovesJudged) -> dict[str, Any]:
    """The task around a pack that scores every record by each of its scorers that moves.

    Raises:
        InputError: when none of them can score by itself.
    """
    known = between.new.definitions(0)
    parts = dict.fromkeys(part for _, held in judged.moves for part in held)
    names = [
        name
        for name in parts
        if name in known and known[name].role == "scorer" and not any(param.is_required for param in known[name].params)
    ]
    if not names:
        raise InputError(
            "no scorer of this pack that moves can score data by itself; compare two versions of a task that imports it"
        )
    fields = {name: {"score": f"scored.{name}", "prediction": "@", "reference": "@"} for name in names}
    metrics = ["mean", *(f'mean(field="{name}")' for name in names if len(names) > 1)]
    return {"fields": fields, "metrics": metrics}
