"""Finished runs compared."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring.api.result import Result
from scoring.api.run import Run
from scoring.api.running import data_set
from scoring.data.rows.row import InputError
from scoring.engine.runs.read import StoredRun, read_run

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
    odd = [*(f"{run.name} was changed after it was written: {line}" for run in (one, other) for line in run.broken)]
    odd += differences(one, other)
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
    from scoring.api.repeating import InputsGone, Places, prepared_of
    from scoring.engine.data_set.comparison import Again
    from scoring.engine.data_set.table import ImageMetric

    try:
        found = prepared_of(run, Places())
    except InputsGone as error:
        listed = "; ".join(error.changed)
        raise InputError(f"{run.name}: its headline is computed again for each resample, and {listed}") from None
    metric = found.opened.task.metrics[0]
    return Again(ImageMetric(metric.text, metric), data_set(found.opened, found.given.opened())[1].keyed)


def _stored(run: str | Path | Run, name: str) -> StoredRun:
    """A run as its folder holds it; one in memory is written for the moment."""
    if not isinstance(run, Run):
        return read_run(str(run))
    with tempfile.TemporaryDirectory() as folder:
        return replace(read_run(str(run.write(Path(folder) / "run"))), name=name)
