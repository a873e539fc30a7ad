"""The verb that compares two specs or two finished runs: the changes, the records that move, and their causes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from scoring.api.arguments import check_number, verb
from scoring.api.opening import Opened
from scoring.api.result import Result
from scoring.api.running import RunOptions, run_opened
from scoring.api.sources import GivenData
from scoring.compiler.tasks.compile import compile_task
from scoring.data.file import InputFile
from scoring.data.rows.read import read_rows
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.words import counted
from scoring.errors import InputError
from scoring.extensions.sharing.changes.diff_data import diff_data, movement_data
from scoring.extensions.sharing.changes.found import MovesJudged, describe_changes, judge_moves
from scoring.extensions.sharing.changes.names import SpecFiles
from scoring.extensions.sharing.changes.partial_edits import AnyBetween, BetweenSpecs
from scoring.extensions.sharing.changes.programs import programs_changed
from scoring.extensions.sharing.changes.score_changes import (
    Attribution,
    PartScore,
    RecordScore,
    ScoredData,
    ScoreVersion,
    attributed,
)
from scoring.extensions.sharing.changes.suites import BetweenSuites
from scoring.extensions.sharing.documents.differing import differing_document
from scoring.extensions.sharing.recorded_runs import (
    about_run,
    better_of_figures,
    data_of_run,
    program_of_run,
    read_otherwise,
    reads_of_run,
    recorded_scores,
)
from scoring.extensions.sharing.sides import diff_side, is_run
from scoring.extensions.suites.compile import compile_suite
from scoring.extensions.suites.model import Suite
from scoring.extensions.verification.read import RecordKeys, StoredRun, read_run
from scoring.extensions.verification.repeating import InputsGone, Repeatable, prepared
from scoring.outcomes import ABSENT, UNDECIDED, Outcomes

if TYPE_CHECKING:
    from scoring.extensions.judge.judge_options import JudgeOptions

MOST_SCORINGS = 18
WORST = 20
_UNTOLD = Attribution((), False, 0)


class DiffOptions(Struct, frozen=True):
    """The options of a comparison.

    Args:
        given: The data to score; None if none are.
        worst: The number of moved records to list individually.
        scorings: The largest number of times to score the data.
        everything: Whether to include changes of documentation and examples.
        options: Arguments of `RunOptions`.
    """

    given: GivenData | None
    worst: int
    scorings: int
    everything: bool
    options: Mapping[str, Any]


def repeatable_data(
    data: Any, references: Any, input_format: str | None, limit: int | None, reference_format: str | None = None
) -> GivenData | None:
    """Return the data to score in a form that can be read repeatedly, with records from standard input or an iterator
    in memory; None without data.

    Args:
        data: The records.
        references: The references to which they are joined.
        input_format: The format of the records.
        limit: The number of records to read.
        reference_format: The format of the references.

    Raises:
        InputError: when options of data are given without data.
    """
    if data is None and any(one is not None for one in (references, input_format, limit, reference_format)):
        raise InputError("references, a format and a limit are for data; name the records, too: --data FILE")
    check_number("limit", limit)
    if data is None:
        return None
    sides = []
    for side, kind in ((data, input_format), (references, reference_format)):
        if side == "-":
            side, kind = [row.record for row in read_rows(InputFile("-", kind=kind))], None
        sides.append((list(side) if isinstance(side, Iterator) else side, kind))
    (data, input_format), (references, reference_format) = sides
    return GivenData(data, references, input_format, limit, reference_format=reference_format)


def movement(
    between: AnyBetween,
    verdict: MovesJudged,
    score: ScoreVersion,
    how: DiffOptions,
    ends: tuple[ScoredData, ScoredData] | None = None,
) -> dict[str, Any]:
    """Score data by both specs and by versions between them, and return which records and figures differ and why, as
    plain data.

    Args:
        between: The edits between the two specs.
        verdict: The parts whose meaning each edit changes.
        score: Scores a version between the two specs.
        how: The options of the comparison.
        ends: The data scored by both sides, if they were scored before.
    """
    old, new = ends or (score(frozenset()), score(between.every))
    found = attributed(between, verdict, old, new, score, how.scorings)
    found = found if ends is None else replace(found, scorings=found.scorings - 2)
    numbers = {change.edit: place for place, change in enumerate(describe_changes(between, verdict))}
    return movement_data(old, new, found, numbers, verdict, how.worst)


def _compare_specs(
    files: Iterable[SpecFiles], suites: Iterable[Suite], how: DiffOptions
) -> tuple[AnyBetween, MovesJudged, ScoreVersion]:
    """Return the edits between two specs, the parts whose meaning each edit changes, and a function that scores data by
    a version between the two.

    Args:
        files: The files of both specs.
        suites: Both specs compiled, if they are suites; else empty.
        how: The options of the comparison.
    """
    own, pair = BetweenSpecs.of(*files), list(suites)
    if not pair:
        verdict = judge_moves(own)
        return own, verdict, _score_versions(own, verdict, how)
    old, new = pair
    between = BetweenSuites.of(old, new, own)

    def score(chosen: frozenset[int]) -> ScoredData:
        return _scored(Opened(between.version(chosen)), how)

    return between, between.judged(), score


def _score_versions(between: BetweenSpecs, verdict: MovesJudged, how: DiffOptions) -> ScoreVersion:
    """Return a function that scores the data by a version between two specs, given the numbers of the edits made in it.

    A version of a pack is scored by each scorer whose meaning changed, as a field of its own.

    Raises:
        InputError: when no changed scorer of a pack can score data without further arguments.
    """
    wrapper = _around(between, verdict) if between.is_pack and how.given is not None else {}
    folder = between.new.files[0].folder

    def score(chosen: frozenset[int]) -> ScoredData:
        task = compile_task(*between.opened(chosen, wrapper))[0]
        return _scored(Opened(task) if folder is None else Opened(task, folder=folder), how)

    return score


def _scored(opened: Opened, how: DiffOptions) -> ScoredData:
    """Run a spec on the data of the comparison, and return the scores of the records and the figures.

    Args:
        opened: The spec, compiled.
        how: The options of the comparison, with the data.
    """
    assert how.given is not None
    run = run_opened(opened, how.given, RunOptions(keep_values=False, **how.options))
    keys = RecordKeys()
    records: dict[str, RecordScore] = {}
    for part in run.parts:
        results = part.results
        names = tuple(results.fields)
        columns = [_column(column.outcomes) for column in results.fields.values()]
        fields: Iterable[tuple[Any, ...]] = zip(*columns, strict=True) if columns else repeat(())
        passed = [None if byte == UNDECIDED else bool(byte) for byte in results.passed]
        rows = zip(results.ids, part.places, _column(results.outcomes), passed, fields, strict=False)
        for id, place, own, has_passed, values in rows:
            status, score = own or ("unscored", None)
            records[keys.next(id, place, part.task)] = (status, score, has_passed, names, values)
    return ScoredData(records, run.metrics, better_of_figures(run.summary["metrics"]))


def _column(outcomes: Outcomes) -> list[PartScore | None]:
    """Return the status and score of each outcome in a column; None for an outcome that is absent.

    The columns are read directly to avoid creating an object for every outcome.
    """
    found: list[PartScore | None] = [("scored", value) for value in outcomes.values]
    for place, code in enumerate(outcomes.statuses) if outcomes.statuses.count(ABSENT) else ():
        if code == ABSENT:
            found[place] = None
    for place, odd in outcomes.odd.items():
        found[place] = odd.status, odd.value
    return found


def _around(between: BetweenSpecs, judged: MovesJudged) -> dict[str, Any]:
    """Return the spec, as keys and values, of a task that scores records by each scorer of a pack that changed.

    Args:
        between: The edits between the versions of the pack.
        judged: The parts whose meaning each edit changes.

    Raises:
        InputError: when none of them can score data without further arguments.
    """
    known = between.new.definitions(0)
    parts = dict.fromkeys(part for _, moved in judged.moves for part in moved)
    names = [
        name
        for name in parts
        if name in known and known[name].role == "scorer" and not any(param.is_required for param in known[name].params)
    ]
    if not names:
        raise InputError(
            "no scorer of this pack that moves can score data by itself; compare two versions of a task that imports it"
        )
    fields = {name: f"scored.{name}" for name in names}
    metrics = ["mean", *(f'mean(field="{name}")' for name in names if len(names) > 1)]
    return {"fields": fields, "metrics": metrics}


class SpecDiff(Result):
    """The changes between two specs and, if data were scored, how the scores differ."""

    @property
    def moves(self) -> bool:
        """True if a score can change, or a name that others use is gone."""
        return bool(self.data["moves"])

    @property
    def changes(self) -> list[str]:
        """The changes between the specs, as a line of text each."""
        return [str(change["text"]) for change in self.table()]

    @property
    def moved(self) -> int | None:
        """The number of records that the two specs score differently; None if no data were scored."""
        return None if self.data["movement"] is None else int(self.data["movement"]["moved"])


@verb
def diff(
    old: str | Path | Mapping[str, Any],
    new: str | Path | Mapping[str, Any],
    *,
    data: Any = None,
    references: Any = None,
    input_format: str | None = None,
    reference_format: str | None = None,
    limit: int | None = None,
    worst: int = WORST,
    scorings: int = MOST_SCORINGS,
    everything: bool = False,
    dialect: str | None = None,
    processes: int = 1,
    judge: JudgeOptions | None = None,
) -> SpecDiff:
    """Compare two packs, tasks or suites; with data, also report the records whose scores change, and the causes.

    Changes are reported by the node that changed: a parameter, a step, a setting, a policy. A different spelling with
    the same meaning counts as one change without effect. Data are scored by both sides, and then each change that
    affects the meaning is made alone on the old side, and last on the new one.

    Args:
        old: The older spec: its file, a pack's name with a version (`close@1.0.0`), an address as for `scoring add`,
            `REV:path` of the current git repository, or a spec as data; or a finished run.
        new: The newer spec or run, likewise.
        data: The records to score with both. They are taken as `scoring.evaluate` takes them.
        references: The references to which the records are joined.
        input_format: The format of the data, such as `csv`.
        reference_format: The format of the references.
        limit: The number of records to score.
        worst: The number of moved records to list individually.
        scorings: The largest number of times to score the data in order to measure the effect of each change; with 2
            only both sides are scored. If there are more changes, those near one another are grouped.
        everything: Whether to report changes of documentation and examples, too.
        dialect: The dialect in which files of other tools are read.
        processes: The number of processes that score.
        judge: The options of requests to a model, for tasks that use one.

    Raises:
        InputError: when a side can't be read, or the two are not of the same kind.
        SpecError: when one of the specs does not compile.

    Examples:
        >>> old = {"kind": "task", "name": "t", "score": "levenshtein | zero_below(0.8)"}
        >>> found = diff(
        ...     old, {**old, "score": "levenshtein | zero_below(0.5)"}, data=[{"response": "abc", "reference": "abd"}]
        ... )
        >>> found.changes, found.moved
        (['`score.zero_below.threshold` 0.8 → 0.5'], 1)
    """
    if worst < 0:
        raise InputError("`worst` is a number of records, 0 or more")
    given = repeatable_data(data, references, input_format, limit, reference_format)
    how = DiffOptions(given, worst, scorings, everything, {"processes": processes, "judge": judge})
    found = _changed(old, new, how, dialect)
    moved = found["movement"]
    movements = "" if moved is None else f", {moved['moved']} of {moved['records']} records move"
    result = {**found, "moves": found["moves"] or bool(moved and moved["moved"])}
    return SpecDiff(result, f"{counted(len(found['changes']), 'change')}{movements}", differing_document, "changes")


def _changed(old: Any, new: Any, how: DiffOptions, dialect: str | None) -> dict[str, Any]:
    runs = [is_run(side) for side in (old, new)]
    if all(runs):
        return _runs_changed(str(old), str(new), how)
    if any(runs):
        raise InputError("one side is a finished run and the other a spec; compare two runs, or two specs with --data")
    usual = {"worst": (how.worst, WORST), "scorings": (how.scorings, MOST_SCORINGS)}
    usual["processes"] = (how.options["processes"], 1)
    idle = [name for name, (one, other) in usual.items() if one != other]
    if how.given is None and idle:
        raise InputError(f"`{idle[0]}` is for records that are scored; name them, too: --data FILE")
    with ExitStack() as stack:
        sides = [diff_side(side, stack, dialect) for side in (old, new)]
        shown, kinds = [side.shown for side in sides], [side.loaded.spec.kind for side in sides]
        if kinds[0] != kinds[1]:
            raise InputError(f"{shown[0]} is a {kinds[0]} and {shown[1]} a {kinds[1]}; compare two of one kind")
        files = (SpecFiles.of(side.loaded, side.loader) for side in sides)
        suites = (compile_suite(side.loaded, dialect=dialect) for side in sides if kinds[0] == "suite")
        between, verdict, score = _compare_specs(files, suites, how)
        moved = None if how.given is None else movement(between, verdict, score, how)
        return {**diff_data(between, verdict, shown, how.everything), "movement": moved}


def _runs_changed(old: str, new: str, how: DiffOptions) -> dict[str, Any]:
    """Return the comparison of two finished runs by their recorded scores, as plain data.

    If specs and data are unchanged since the runs, the specs are compared and the effect of each change is measured on
    the data; else the programs in the manifests are compared.

    Args:
        old: The folder or bundle of the older run.
        new: The folder or bundle of the newer run.
        how: The options of the comparison.

    Raises:
        InputError: when a run can't be read, or data are given, although runs have their own.
    """
    if how.given is not None:
        raise InputError("two finished runs have their own data; leave out --data, or compare the specs")
    with ExitStack() as stack:
        sides = [_run(name, stack) for name in (old, new)]
        stored = [one for one, _, _ in sides]
        for name, one in zip((old, new), stored, strict=True):
            if not one.records:
                raise InputError(f"{name} holds no scores of records")
        scores = recorded_scores(stored[0]), recorded_scores(stored[1])
        again = [run for _, run, _ in sides if run is not None]
        read = read_otherwise(*stored)
        if len(again) == 2 and again[0].opened.kind == again[1].opened.kind:
            return {**_by_specs(again[0], again[1], scores, how), **read}
        found = _by_programs(*stored)
        moved = movement_data(*scores, _UNTOLD, {}, MovesJudged(()), how.worst)
        recorded = [f"{name}: {why}" for name, (_, _, why) in zip((old, new), sides, strict=True) if why]
        about = {"old": about_run(stored[0]), "new": about_run(stored[1])}
        return {**found, **about, "movement": moved, "recorded": recorded, **read}


def _by_specs(
    old: Repeatable, new: Repeatable, scores: tuple[ScoredData, ScoredData], how: DiffOptions
) -> dict[str, Any]:
    """Return the comparison of two runs by their specs, as plain data; the effect of each change is measured if both
    runs had the same data.

    Args:
        scores: The scores that both runs recorded.
    """
    how = replace(how, given=new.given, options={**how.options, "judge": new.judge})
    targets = [old.opened.target, new.opened.target]
    suites = [one for one in targets if isinstance(one, Suite)]
    between, verdict, score = _compare_specs(map(_files, targets), suites, how)
    found = diff_data(between, verdict, [old.stored.name, new.stored.name], how.everything)
    if data_of_run(old.stored) == data_of_run(new.stored) and not old.parts and not new.parts:
        return {**found, "movement": movement(between, verdict, score, how, scores)}
    return {**found, "movement": movement_data(*scores, _UNTOLD, {}, verdict, how.worst)}


def _by_programs(old: StoredRun, new: StoredRun) -> dict[str, Any]:
    try:
        return programs_changed(*((program_of_run(run), reads_of_run(run)) for run in (old, new)))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        why = " ".join(str(error).split())[:100]
        raise InputError(f"the manifests of {old.name} and {new.name} hold no programs of runs ({why})") from None


def _run(name: str, stack: ExitStack) -> tuple[StoredRun, Repeatable | None, str]:
    """Return a run as stored, the run ready to be repeated, and ""; if its spec or data changed, None in place of the
    second and the reason as third.

    Args:
        name: The folder or bundle of the run.
        stack: Keeps temporary files until the comparison is finished.
    """
    try:
        found = stack.enter_context(prepared(name))
    except SpecError as error:
        return read_run(name), None, error.diagnostics[0].message
    except InputsGone as error:
        return read_run(name), None, "; ".join(error.changed)
    except InputError as error:
        if name.endswith(".zip"):
            raise
        return read_run(name), None, str(error)
    # A primitive may have another revision since the run.
    if (found.stored.manifest.get("spec") or {}).get("meaning") == found.opened.recipe.digest:
        return found.stored, found, ""
    return found.stored, None, "its spec has changed its meaning since"


def _files(target: Any) -> SpecFiles:
    if isinstance(target, Suite):
        from scoring.format.bundle import BundleLoader

        loader = BundleLoader(target.bundle)
        return SpecFiles.of(loader.spec(), loader)
    return SpecFiles.of(target.parts.loaded, target.parts.loader)
