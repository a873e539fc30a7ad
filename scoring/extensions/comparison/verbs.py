"""Compare finished runs: two in detail, or more than two as a leaderboard."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from msgspec.structs import replace

from scoring.api.arguments import verb
from scoring.api.data_sets import data_set
from scoring.api.result import Result
from scoring.api.run import Run
from scoring.api.running import lanes_of
from scoring.data.json_write import digest
from scoring.data.rows.batch import one_by_one
from scoring.data.rows.report import InputReport
from scoring.diagnostics.diagnostic import SpecError
from scoring.errors import InputError
from scoring.extensions.comparison.documents.comparison import comparison_document
from scoring.extensions.comparison.documents.leaderboard import advice_on_better, leaderboard_document, names_apart
from scoring.extensions.comparison.documents.plots import comparison_plots, leaderboard_plots
from scoring.extensions.comparison.runs.again import Metrics, SpecOfRun
from scoring.extensions.comparison.runs.comparison import RunDraws, compare_runs, differences
from scoring.extensions.comparison.runs.properties import KnownReferences, differing_properties
from scoring.extensions.comparison.runs.ranking import leaderboard
from scoring.extensions.verification.read import RecordKeys, StoredRun, read_run
from scoring.extensions.verification.repeating import FileLocations, InputsGone, prepared_of, spec_of_run
from scoring.extensions.verification.verification import SIDES
from scoring.format.sections import MOST_CONFIDENCE
from scoring.registry.table_kind import TableKind, table_kind

if TYPE_CHECKING:
    from scoring.extensions.verification.repeating import Repeatable


class NotComparable(InputError):
    """The exception for runs that can't be compared; ``reasons`` lists why, and ``advice`` says what to do."""

    def __init__(self, reasons: list[str], what: str = "they were scored differently", advice: str = "") -> None:
        self.headline = f"these runs can't be compared; {what}"
        self.reasons = reasons
        self.advice = advice or "score both with one spec, or add --force"
        super().__init__("; ".join([self.headline, *reasons]))


class RunComparison(Result):
    """The comparison of two runs: whether they differ significantly, and which records changed."""

    @property
    def metric(self) -> str:
        """The name of the figure by which the runs are compared."""
        return str(self.data["metric"])

    @property
    def verdict(self) -> str:
        """The verdict of the significance test on the second run, in one word.

        It is ``better``, ``worse``, ``same`` if there is no evidence of a difference, or ``different`` if it is unknown
        which values of the figure are better.
        """
        return str(self.data["verdict"])

    def worse(self, metric: str | None = None) -> list[str]:
        """Return the name of the second run in a list if it is significantly worse than the first, else an empty list.

        Args:
            metric: The figure to judge by; by default the first of those by which the runs were compared.

        Raises:
            InputError: when the runs were not compared by that figure, or it is unknown which of its values are better.
        """
        rows = self.data.get("figures") or self.data.get("metrics") or [self.data]
        found = _wanted(rows, metric or self.metric)
        return [self.data["runs"][1]["name"]] if any(row["verdict"] == "worse" for row in found) else []

    @property
    def difference(self) -> float | None:
        """The figure of the second run minus that of the first; None if it is undefined."""
        found: float | None = self.data["difference"]
        return found

    @property
    def significant(self) -> bool:
        """Whether the confidence interval of the difference excludes 0."""
        return bool(self.data["significant"])


class Leaderboard(Result):
    """A ranking of several runs by a figure, with the range of ranks that each may have and a test of every pair."""

    @property
    def ranking(self) -> list[str]:
        """The names of the runs, the best one first."""
        return [str(row["name"]) for row in self.table()]

    def worse(self, metric: str | None = None) -> list[str]:
        """Return the names of the runs that are significantly worse than the first run given, which is the baseline.

        Args:
            metric: The figure to judge by; by default the first of those by which the runs were compared.

        Raises:
            InputError: when the runs were not compared by that figure, or it is unknown which of its values are better.
        """
        boards = _wanted(self.data["boards"], metric or self.data["boards"][0]["metric"])
        worse = {
            pair["second"]: None
            for board in boards
            for pair in board["pairs"]
            if pair["first"] == 0 and pair["verdict"] == "worse"
        }
        return [self.data["runs"][run]["name"] for run in worse]

    @property
    def ranks(self) -> dict[str, tuple[int, int]]:
        """The best and the worst rank that each run may have, by the run's name; runs without a value of the figure are
        left out."""
        return {row["name"]: (row["ranks"][0], row["ranks"][1]) for row in self.table() if row["ranks"]}


def _wanted(rows: Sequence[Mapping[str, Any]], metric: str) -> list[Mapping[str, Any]]:
    """Return the rows of the figure named `metric` among the rows of a comparison.

    Raises:
        InputError: when there is none, or it is unknown which values of the figure are better.
    """
    found = [row for row in rows if row["metric"] == metric]
    if not found:
        raise InputError(f"the runs were not compared by `{metric}`; --metric {metric} does")
    if any(row["better_is"] is None for row in found):
        raise InputError(f"nothing says which values of `{metric}` are better; {advice_on_better(metric)}")
    return found


@overload
def compare(
    first: str | Path | Run,
    second: str | Path | Run,
    /,
    *,
    cluster: str | None = None,
    strata: str | None = None,
    confidence: float | None = None,
    resamples: int = 10_000,
    seed: int = 0,
    flips: int = 20,
    metric: str | None = None,
    force: bool = False,
) -> RunComparison: ...


@overload
def compare(
    first: str | Path | Run,
    second: str | Path | Run,
    third: str | Path | Run,
    /,
    *more: str | Path | Run,
    cluster: str | None = None,
    strata: str | None = None,
    confidence: float | None = None,
    resamples: int = 10_000,
    seed: int = 0,
    flips: int = 20,
    metric: str | None = None,
    force: bool = False,
) -> Leaderboard: ...


@verb
def compare(
    *runs: str | Path | Run,
    cluster: str | None = None,
    strata: str | None = None,
    confidence: float | None = None,
    resamples: int = 10_000,
    seed: int = 0,
    flips: int = 20,
    metric: str | None = None,
    force: bool = False,
) -> RunComparison | Leaderboard:
    """Compare two runs, including which records changed; or rank more than two, with confidence intervals of their
    ranks.

    Args:
        runs: Runs of the same task, or the paths of their folders.
        cluster: The attribute by which records are clustered; whole clusters are then resampled. By default the spec's.
        strata: The attribute by which records are stratified, such as a benchmark's domains; records are then resampled
            within each stratum. By default the spec's.
        confidence: The confidence level of the intervals; by default the spec's.
        resamples: The number of bootstrap resamples.
        seed: The seed of the resamples.
        flips: How many changed records to show where space is limited, for two runs.
        metric: The figure to compare by, or ``all`` for every figure that all runs have; by default the headline, which
            is the first metric of the spec.
        force: Whether to compare runs that measure different things, or whose folders were changed.

    Raises:
        NotComparable: when the runs measure different things, or a folder was changed after it was written, and `force`
            is not given.
        InputError: when a run can't be read, or has no records that could be paired with those of the others.

    Examples:
        >>> import scoring
        >>> task = scoring.load({"kind": "task", "name": "t", "score": "equal"})
        >>> first = task.evaluate([{"id": 1, "response": "a", "reference": "b"}])
        >>> second = task.evaluate([{"id": 1, "response": "b", "reference": "b"}])
        >>> compare(first, second).difference
        1.0
        >>> compare(first, second, first).ranks
        {'run 2': (1, 3), 'run 1': (1, 3), 'run 3': (1, 3)}
    """
    _check(runs, confidence, resamples)
    names = ("the first run", "the second run") if len(runs) == 2 else [f"run {n + 1}" for n in range(len(runs))]
    stored = [_stored(run, name) for run, name in zip(runs, names, strict=True)]
    kind = _comparable(stored, force)
    draws = RunDraws.of(stored, seed=seed, cluster=cluster, strata=strata, confidence=confidence, resamples=resamples)
    known = {id(one): run.task for one, run in zip(stored, runs, strict=True) if isinstance(run, Run)}
    chosen = _Chosen(metric, lambda run: known.get(id(run)) or _compiled(run))
    data = (_two if len(stored) == 2 else _many)(stored, kind, draws, chosen)
    data["differs"] = differing_properties(stored, [*_references(stored)])
    if len(stored) > 2:
        ranked = leaderboard_plots(stored, data, names_apart(data))
        return Leaderboard(data, f"{len(stored)} runs", lambda found: leaderboard_document(found, ranked), "ranking")
    about = f"{stored[0].name} and {stored[1].name}, difference {data['difference']}"
    drawn = comparison_plots(stored, str(data["metric"]))
    return RunComparison(data, about, lambda found: comparison_document(found, flips, drawn), "flips")


def _check(runs: Sequence[Any], confidence: float | None, resamples: int) -> None:
    if len(runs) < 2:
        raise InputError("a comparison is of two runs or more; name another run of the same task")
    if confidence is not None and not 0 < confidence <= MOST_CONFIDENCE:
        raise InputError(f"--confidence is more than 0, and at most {MOST_CONFIDENCE}")
    if not 100 <= resamples <= 1_000_000:
        raise InputError("--resamples lies between 100 and 1000000")


def _comparable(runs: Sequence[StoredRun], force: bool) -> TableKind | None:
    """Return the kind of the data set (such as images) that all runs scored as a whole, or None if they scored records.

    Raises:
        NotComparable: when the runs measure different things, or a folder was changed, and `force` is not given.
        InputError: when a run has no scores of records, or only some of the runs scored a whole data set.
    """
    for run in runs:
        if not run.records:
            raise InputError(f"{run.name} holds no scores of records, so there is nothing to compare pair by pair")
    odd = list(dict.fromkeys(line for run in runs[1:] for line in differences(runs[0], run)))
    broken = [f"{run.name}: {line}" for run in runs for line in run.broken]
    if broken and not force:
        advice = "take the folders as they were written, or add --force"
        raise NotComparable([*broken, *odd], "a folder was changed after it was written", advice)
    if odd and not force:
        raise NotComparable(odd)
    whole = ["keys" in run.summary for run in runs]
    if any(whole) and not all(whole):
        raise InputError("one run scored records, the other a whole data set; there is nothing to pair")
    return table_kind(str(runs[0].summary.get("records"))) if all(whole) else None


class _Chosen(NamedTuple):
    """The figure by which runs are compared (its name, None for the headline), and the function that compiles a run's
    spec again."""

    metric: str | None
    compiled: SpecOfRun


def _two(runs: Sequence[StoredRun], kind: TableKind | None, draws: RunDraws, chosen: _Chosen) -> dict[str, Any]:
    first, second = runs
    if kind is not None:
        return kind.compare(first, second, partial(_figure, name=chosen.metric), draws)
    return compare_runs(first, second, draws, metric=chosen.metric, compiled=chosen.compiled)


def _many(runs: Sequence[StoredRun], kind: TableKind | None, draws: RunDraws, chosen: _Chosen) -> dict[str, Any]:
    boards = None if kind is None else kind.boards(runs, partial(_figure, name=chosen.metric), draws)
    data = leaderboard(runs, draws, boards, metric=chosen.metric, compiled=chosen.compiled)
    ranking = data["boards"][0]["ranking"]
    # The rows of the table: of data sets with several label keys, those of the first.
    return {**data, "ranking": [{"name": runs[row["run"]].name, **row} for row in ranking]}


def _compiled(run: StoredRun) -> Metrics:
    """Return the task or suite of a run, compiled again from the texts stored in its folder.

    Raises:
        InputError: when the texts are missing, or now have another meaning than in the run.
    """
    found = spec_of_run(run)
    if found is None:
        raise InputError(
            f"{run.name}: what its figures are only its spec tells, which is gone or means something else now; "
            "`--metric mean` compares the scores alone"
        )
    return found.target


def _figure(run: StoredRun, name: str | None) -> Any:
    """Return the figure named `name` of a run over a whole data set, or the headline figure without a name, recomputed
    from the files that the run names, so that it can be resampled.

    Raise InputError when one of these files is missing or has changed, or the task has no such metric.
    """
    try:
        found = prepared_of(run, FileLocations(), asks=False)
    except InputsGone as error:
        listed = "; ".join(error.changed)
        raise InputError(f"{run.name}: its headline is computed again for each resample, and {listed}") from None
    metrics = found.opened.task.metrics
    metric = next((one for one in metrics if name in (None, one.text)), None)
    if metric is None:
        known = ", ".join(f"`{one.text}`" for one in metrics)
        raise InputError(f"whole data sets are compared by one of their metrics, {known}, and not by `{name}`")
    kind, _, data, _ = data_set(found.opened, found.given.opened())
    return kind.figure(metric.text, metric, data)


def _references(runs: Sequence[StoredRun]) -> Iterator[KnownReferences]:
    """Yield, for each run, digests of its records' references by record key, which show whether the runs had the same
    references.

    An entry is None if all runs read the same files or the run is over images, and a message if the data can't be read.
    """
    roles = {"records", *(role for role, side in SIDES.items() if side == "references")}
    files = [[entry["sha256"] for entry in run.manifest["inputs"] if entry["role"] in roles] for run in runs]
    if all(digests == files[0] and all(digests) for digests in files):
        yield from (None for _ in runs)
        return
    for run in runs:
        try:
            yield _digests(prepared_of(run, FileLocations(), asks=False))  # which asks nothing
        except (InputError, SpecError) as error:
            yield " ".join(str(error).split())[:200]


def _digests(found: Repeatable) -> KnownReferences:
    """Return the digest of each record's reference by the record's key, "" for a record that can't be read; None if the
    run is over a whole data set, whose files have digests of their own."""
    opened, given, report = found.opened, found.given.opened(), InputReport()
    if opened.kind == "table":
        return None
    keys, digests = RecordKeys(), {}
    data = [replace(given, data=file) for file in found.parts] or [given]
    for lane in (lane for one in data for lane in lanes_of(opened, one, report)):
        read: Callable[[Any], Any] = lane.task.reader_of("reference")
        for item in one_by_one(lane.batches):
            key = keys.next(item.id, item.where, lane.label)
            digests[key] = "" if item.record is None else digest(read(item.record))
    return digests


def _stored(run: str | Path | Run, name: str) -> StoredRun:
    """Return a finished run as read from its folder; a run in memory, which is named `name`, is written to a temporary
    folder first."""
    if not isinstance(run, Run):
        return read_run(str(run))
    with tempfile.TemporaryDirectory() as folder:
        return replace(read_run(str(run.write(Path(folder) / "run"))), name=name)
