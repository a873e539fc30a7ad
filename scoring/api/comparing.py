"""Finished runs: two of them compared, one scored again."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring.api.judges import JudgeOptions
from scoring.api.opening import Opened, open_spec
from scoring.api.result import Result
from scoring.api.run import Run
from scoring.api.running import RunOptions, data_set, run_opened
from scoring.api.sources import GivenData, again
from scoring.data.rows.row import InputError
from scoring.engine.runs.read import StoredRun, read_run
from scoring.format.front_ends import default_dialect

if TYPE_CHECKING:
    from scoring.engine.data_set.comparison import Again


class NotComparable(InputError):
    """Two runs measure different things, and why."""

    def __init__(self, reasons: list[str]) -> None:
        super().__init__("; ".join(["these runs can't be compared; they were scored differently", *reasons]))
        self.reasons = reasons


class RunComparison(Result):
    """Whether two runs differ, and which records changed."""

    @property
    def difference(self) -> float | None:
        """The second mean less the first."""
        found: float | None = self.data["difference"]
        return found

    @property
    def significant(self) -> bool:
        """Whether the interval of the difference lies to one side of 0."""
        return bool(self.data["significant"])


def compare(
    first: str | Path | Run,
    second: str | Path | Run,
    *,
    cluster: str | None = None,
    confidence: float | None = None,
    resamples: int = 10_000,
    seed: int = 0,
    flips: int = 20,
    force: bool = False,
) -> RunComparison:
    """Say whether two runs differ, and which records changed.

    Args:
        first: A run, or its folder.
        second: Another run of the same task, likewise.
        cluster: Draw whole groups of this attribute; by default those of the spec.
        confidence: The level of the interval; by default the spec's.
        resamples: How many draws.
        seed: The seed of the draws.
        flips: How many changed records are shown where space is short.
        force: Compare although the runs measure different things.

    Raises:
        NotComparable: when they do, unless forced.
        InputError: when a run can't be read, or holds nothing that could be paired.

    Examples:
        >>> import scoring
        >>> task = scoring.load({"kind": "task", "name": "t", "score": "equal"})
        >>> first = task.evaluate([{"id": 1, "response": "a", "reference": "b"}])
        >>> second = task.evaluate([{"id": 1, "response": "b", "reference": "b"}])
        >>> compare(first, second).difference
        1.0
    """
    from scoring.engine.data_set.comparison import compare_data_sets, is_data_set
    from scoring.engine.runs.comparison import compare_runs, differences
    from scoring.report.of.runs import comparison_document

    if confidence is not None and not 0 < confidence < 1:
        raise InputError("--confidence lies between 0 and 1")
    if not 100 <= resamples <= 1_000_000:
        raise InputError("--resamples lies between 100 and 1000000")
    one, other = _stored(first, "the first run"), _stored(second, "the second run")
    for run in (one, other):
        if not run.records:
            raise InputError(f"{run.name} holds no scores of records, so there is nothing to compare pair by pair")
    odd = differences(one, other)
    if odd and not force:
        raise NotComparable(odd)
    both = [is_data_set(run) for run in (one, other)]
    if any(both) and not all(both):
        raise InputError("one run scored records, the other a whole data set; there is nothing to pair")
    how: dict[str, Any] = {"seed": seed, "cluster": cluster, "confidence": confidence, "resamples": resamples}
    data = compare_data_sets(one, other, _images, **how) if all(both) else compare_runs(one, other, **how)
    about = f"{one.name} and {other.name}, difference {data['difference']}"
    return RunComparison(data, about, lambda held: comparison_document(held, flips), "flips")


def _images(run: StoredRun) -> Again:
    """The images of a run and its headline, from the files that it names."""
    from scoring.engine.data_set.comparison import Again
    from scoring.engine.data_set.table import ImageMetric
    from scoring.engine.runs.verification import changed_inputs

    changed = changed_inputs(run)
    if changed:
        listed = "; ".join(changed)
        raise InputError(f"{run.name}: its headline is computed again for each resample, and {listed}")
    opened, given = _before(run)
    metric = opened.task.metrics[0]
    return Again(ImageMetric(metric.text, metric), data_set(opened, given.opened())[1].keyed)


def _stored(run: str | Path | Run, name: str) -> StoredRun:
    """A run as its folder holds it; one in memory is written for the moment."""
    if not isinstance(run, Run):
        return read_run(str(run))
    with tempfile.TemporaryDirectory() as folder:
        return replace(read_run(str(run.write(Path(folder) / "run"))), name=name)


class RunVerification(Result):
    """Whether a run came out the same when it was scored again."""

    @property
    def same(self) -> bool:
        """Whether every score and every figure came out again."""
        return bool(self.data["same"])

    @property
    def changed(self) -> list[str]:
        """The files that are gone or were changed, without which the run can't be scored again."""
        return list(self.data.get("changed", ()))


def verify(run: str | Path, *, processes: int = 1, on_note: Callable[[str], None] | None = None) -> RunVerification:
    """Score a finished run again and say whether everything comes out the same.

    Args:
        run: The run folder; its files are looked for under their recorded names.
        processes: How many processes score.
        on_note: Told, in a line, what should be known beside the result.

    Raises:
        InputError: when there is no such run, or it does not say how to repeat it.
        SpecError: when its spec no longer compiles.

    Examples:
        >>> import scoring
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     run = scoring.evaluate(
        ...         "specs/quickstart/invoices.yaml", "specs/quickstart/invoices.jsonl", output=f"{folder}/run"
        ...     )
        ...     verify(f"{folder}/run").same
        True
    """
    from scoring.engine.runs.verification import changed_inputs
    from scoring.engine.runs.verification import verify as compared
    from scoring.report.of.runs import unverifiable_document, verification_document

    if isinstance(run, Run):
        raise InputError("a run is verified from its folder: `run.write(folder)`, then `verify(folder)`")
    stored = read_run(str(run))
    changed = changed_inputs(stored)
    if changed:
        return RunVerification({"same": False, "changed": changed}, f"{run}: not verified", unverifiable_document)
    with tempfile.TemporaryDirectory() as folder:
        found = compared(stored, _again(stored, Path(folder) / "run", processes, on_note))
    data = {"same": found.same, **asdict(found)}
    about = f"{run}: {'the same' if found.same else 'not the same'}"
    return RunVerification(data, about, lambda _: verification_document(found))


def _before(stored: StoredRun) -> tuple[Opened, GivenData]:
    """The spec and the data of a run, as they were given."""
    how = _repeated(stored)
    opened = open_spec(
        how["spec"],
        # Runs of before name the default dialect even where nothing is of a foreign form.
        dialect=None if how["dialect"] == default_dialect() else how["dialect"],
        by=how["by"] or (),
        seed=stored.manifest["seed"],
        tasks=how.get("tasks"),
        attributes=how.get("attributes"),
        results=how.get("results"),
    )
    return opened, GivenData(how.get("data"), how.get("references"), how.get("input_format"), how["limit"])


def _again(stored: StoredRun, folder: Path, processes: int, on_note: Callable[[str], None] | None) -> StoredRun:
    opened, given = _before(stored)
    # Parquet holds ids as text and every column in every row: only the same layout compares.
    layout: Any = stored.layout
    judge = JudgeOptions.again(stored.manifest["settings"])
    kept: dict[str, Any] = {"keep_values": False, "keep_records": False}
    kept["state"] = stored.manifest["settings"].get("state", "exact")
    options = RunOptions(folder, scores=layout, processes=processes, judge=judge, on_note=on_note, **kept)
    run_opened(opened, given, options)
    return read_run(str(folder))


def _repeated(stored: StoredRun) -> Mapping[str, Any]:
    """What a run is repeated from: its settings, and for runs of before the inputs that they do not name.

    Raises:
        InputError: when it was not made from files.
    """
    from scoring.data.file import format_again

    entries = {entry["role"]: entry for entry in stored.manifest["inputs"]}
    settings = dict(stored.manifest["settings"])
    found: dict[str, Any] = {"limit": None, **settings} if "groundtruth" in entries else settings
    rows = entries.get("records") or entries.get("predictions")
    if "suite" not in stored.manifest and "groundtruth" not in entries and rows is not None and "spec" in entries:
        # The files of a folder tell their format by themselves.
        how = None if rows["kind"] == "folder" else format_again(rows)
        named = {"spec": again(entries["spec"]), "data": again(rows), "input_format": how}
        found |= {**named, "references": again(entries["references"]) if "references" in entries else None}
    if not {"spec", "limit", "by", "dialect"} <= found.keys() or not found["spec"]:
        raise InputError(f"{stored.name} does not say how to repeat it: it was not made from files by `scoring score`")
    return found
