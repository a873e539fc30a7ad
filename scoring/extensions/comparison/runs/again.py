"""Recompute the figures of finished runs over the records that they have in common, from their folders."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from msgspec import Struct

from scoring.data.rows.batch import id_text
from scoring.diagnostics.words import listed
from scoring.errors import InputError
from scoring.extensions.comparison.runs.better import better_of_json
from scoring.extensions.comparison.statistics.differing import InCommon, RowMetric, RunSide
from scoring.extensions.verification.read import StoredRun, score_of
from scoring.lang.places import PARSED, part_of
from scoring.outcomes import SCORED, STATUSES, UNSCORED
from scoring.ranges import EVERYTHING, UNIT, Better, ScoreRange
from scoring.registry import registry
from scoring.statistics.rows import Rows


class Metrics(Protocol):
    """The part of a compiled task or suite that this module uses: its metrics."""

    @property
    def metrics(self) -> Sequence[Any]:
        """The metrics, the headline metric first."""


SpecOfRun = Callable[[StoredRun], Metrics]
"""Compiles the spec of a run again."""


class RunFigure(Struct, frozen=True):
    """A figure (the value of a metric, such as accuracy) that several runs have, with how it is computed in each.

    Args:
        name: The figure's name.
        better: Whether higher or lower values are better, None if unknown.
        range: The range of its possible values over all runs.
        metrics: The metric of each run.
    """

    name: str
    better: Better
    range: ScoreRange
    metrics: Sequence[RowMetric]

    @property
    def widest(self) -> float:
        """The largest possible difference between two values of the figure."""
        return self.range.high - self.range.low


def names_of(runs: Sequence[StoredRun], wanted: str | None) -> list[str]:
    """Return the names of the figures by which to compare runs: by default the headline, else the figure named
    `wanted`, or for "all" every figure that all runs have.

    Raises:
        InputError: when not every run has the figure.
    """
    named_figures = [[str(figure["metric"]) for figure in run.summary.get("metrics", ())] for run in runs]
    common = [name for name in named_figures[0] if all(name in names for names in named_figures)]
    known = f"they have {listed(common, 'and')}" if common else "they have none in common"
    if wanted == "all" and "all" not in common:
        if not common:
            raise InputError(
                f"the runs have no figure in common: {listed(named_figures[0], 'and')} is of {runs[0].name}"
            )
        return common
    name = wanted or (named_figures[0][0] if named_figures[0] else "mean")
    if name not in common and not (name == "mean" and not any("suite" in run.summary for run in runs)):
        raise InputError(f"not every run has the figure `{name}`; {known}; --metric NAME chooses another one")
    return [name]


def figure_of(runs: Sequence[StoredRun], name: str, compiled: SpecOfRun) -> RunFigure:
    """Return the figure named `name` of some runs, with the metric that computes it in each.

    Args:
        runs: The runs.
        name: The name of the figure.
        compiled: Compiles the spec of a run again.

    Raises:
        InputError: when the spec of a run, which defines the figure, is neither at its path nor stored in the run.
    """
    entries = [figure_entry(run, name) for run in runs]
    betters = [better_of_json(one.get("better", "higher")) for one in entries]
    ranges = [ScoreRange.of_json(one.get("range")) for one in entries]
    limits = ScoreRange(min(one.low for one in ranges), max(one.high for one in ranges))
    metrics = [_metric(run, one, compiled) for run, one in zip(runs, entries, strict=True)]
    return RunFigure(name, betters[0] if len(set(betters)) == 1 else None, limits, metrics)


def figure_entry(run: StoredRun, name: str) -> Mapping[str, Any]:
    """Return what the summary of a run states about the figure named `name`.

    If it states nothing, as for the mean of scores, which every run has, return an entry with only the figure's
    direction and range.
    """
    for figure in run.summary.get("metrics", ()):
        if figure["metric"] == name:
            return dict(figure)
    summary = run.summary
    return {"metric": name, "better": summary.get("better", "higher"), "range": summary.get("ranges", {}).get("score")}


def _metric(run: StoredRun, figure: Mapping[str, Any], compiled: SpecOfRun) -> RowMetric:
    """Return the function that computes a run's figure from a table of records; a metric that reads only scores is
    found by its name, without compiling the spec.

    Args:
        run: The run.
        figure: The figure's entry in the run's summary.
        compiled: Compiles the spec of a run again.
    """
    name = str(figure["metric"])
    plain = registry.metric(name) if name.isidentifier() and "formula" not in figure else None
    if plain is not None and plain.reads == "scores" and not any(param.required for param in plain.params):
        function: RowMetric = plain.function
        return function
    for metric in compiled(run).metrics:
        if metric.text == name:
            found: RowMetric = metric
            return found
    raise InputError(f"{run.name}: its spec has no metric `{name}`")


# ---- tables of records, as metrics read them


def _metric_rows(run: StoredRun, metric: RowMetric) -> Rows:
    """Return the table that a metric reads: the records of a run, or the tasks of a suite's run, in the order of the
    run.

    Raises:
        InputError: when the run does not keep everything that the metric reads.
    """
    if "suite" in run.summary:
        return _tasks_of(run)
    lines = list(run.records.values())
    names = dict.fromkeys(name for line in lines for name in line["fields"])
    scores = [_number(score_of(line)) for line in lines]
    ranges = run.summary.get("ranges", {})
    fields = {None: ranges.get("score"), **ranges.get("fields", {})}
    ends = {name: ScoreRange.of_json(limits).ends for name, limits in fields.items() if limits}
    return Rows(
        [_id_of(line) for line in lines],
        np.array(scores, dtype=np.float64),
        statuses=np.array([_status(line, score) for line, score in zip(lines, scores, strict=True)], dtype=np.uint8),
        weights=np.array([1.0 if line.get("weight") is None else float(line["weight"]) for line in lines]),
        passed=np.array([_PASSED.get(line.get("passed"), -1) for line in lines], dtype=np.int8),
        fields={
            name: np.array([_number(score_of(line["fields"].get(name, {"status": ""}))) for line in lines])
            for name in names
        },
        columns=_columns(run, lines, metric),
        ends=ends,
    )


def in_common(
    runs: Sequence[StoredRun],
    figure: RunFigure,
    clusters: Mapping[str, Any] | None,
    strata: Mapping[str, str | None] | None,
    cluster: str | None,
) -> InCommon:
    """Return a figure of some runs over the records, or the tasks of suites, that all of them have.

    Args:
        runs: The runs.
        figure: The figure.
        clusters: The cluster of each record by its key; None if records are not clustered.
        strata: The stratum of each record by its key, within which it is resampled; None if there are no strata.
        cluster: The attribute that defines clusters; in suites it may be an attribute of the tasks.

    Raises:
        InputError: when a run does not keep everything that the metric reads, or recomputing its figure gives another
            value.
    """
    tables, keys = [], []
    for run, metric in zip(runs, figure.metrics, strict=True):
        rows = _metric_rows(run, metric)
        made_again(run, figure, metric, rows)
        tables.append(rows)
        keys.append(list(rows.ids) if "suite" in run.summary else list(run.records))
    common = [key for key in keys[0] if all(key in others for others in map(set, keys[1:]))]
    entrants = []
    for metric, rows, own in zip(figure.metrics, tables, keys, strict=True):
        positions = {key: position for position, key in enumerate(own)}
        kept = rows.select([positions[key] for key in common])
        if cluster in rows.columns and "suite" in runs[0].summary:
            entrants.append(RunSide.of(metric, kept, kept.column(str(cluster))))
        else:
            drawn_by = [
                None if labels is None else [labels.get(key) for key in common] for labels in (clusters, strata)
            ]
            entrants.append(RunSide.of(metric, kept, *drawn_by))
    return InCommon.of(entrants, "task" if any("suite" in run.summary for run in runs) else "record")


def made_again(run: StoredRun, figure: RunFigure, metric: RowMetric, rows: Rows) -> None:
    """Check that recomputing a figure from a run's stored records gives the value that the run stored.

    Args:
        run: The run.
        figure: The figure.
        metric: Computes the figure from a table.
        rows: The table of the run's records.

    Raises:
        InputError: when the value differs, or the run does not keep a column that the metric reads.
    """
    stored = next(one["value"] for one in run.summary["metrics"] if one["metric"] == figure.name)
    try:
        found = metric(rows).value()
    except KeyError as error:
        raise InputError(
            f"{run.name} does not keep {error.args[0]!r} of its records, which `{figure.name}` reads; compare another "
            "figure (--metric NAME)"
        ) from None
    if found != stored:
        raise InputError(
            f"{run.name}: `{figure.name}` was {stored}, but {found} from what the run keeps of its records (values of "
            "more than 20,000 characters are cut); compare another figure (--metric NAME), or `scoring verify` the run"
        )


_PASSED: Mapping[Any, int] = {True: 1, False: 0}


def _id_of(line: Mapping[str, Any]) -> str:
    """Return the id of the record of a line of scores, as a text that does not depend on the format of the file; a
    record without an id gets its position in brackets."""
    return id_text(line["id"]) or f"({line['where']})"


def _number(value: float | None) -> float:
    return np.nan if value is None else value


def _status(line: Mapping[str, Any], score: float) -> int:
    """Return the status code that metrics read for a record: scored if `score` is a number, whatever the line of scores
    states; for NaN the line's failure, or unscored if it states none."""
    if score == score:
        return SCORED
    status = str(line["status"])
    return UNSCORED if status == "scored" or status not in STATUSES else STATUSES.index(status)


def _columns(run: StoredRun, lines: Sequence[Mapping[str, Any]], metric: RowMetric) -> dict[str, list[Any]]:
    """Return the columns that a metric may read, by name: attributes, paths that figures read, parsed answers and
    computed values of the records, all from the lines of scores."""
    found: dict[str, list[Any]] = {}
    for part in ("attributes", "read"):
        for name in dict.fromkeys(name for line in lines for name in line.get(part) or ()):
            found[name] = [(line.get(part) or {}).get(name) for line in lines]
    for path, read in getattr(metric, "parsed", {}).items():
        found[path] = [read({PARSED: line.get("parsed")}) for line in lines]
    for name, path in getattr(metric, "values", {}).items():
        key, *rest = path.segments
        found[name] = [part_of((line.get("values") or {}).get(key), rest) for line in lines]
    for path in getattr(metric, "paths", ()):  # an empty run has empty columns
        if not lines:
            found.setdefault(path, [])
    return found


def _tasks_of(run: StoredRun) -> Rows:
    """Return the table of the tasks in a suite's run, a row each, which the metrics of suites read."""
    tasks = run.summary["tasks"]
    known = dict.fromkeys(name for attributes in run.tasks.values() for name in attributes)
    ranges = [_range_of(task) for task in tasks]
    low, high = (np.array([one.ends[side] for one in ranges], dtype=np.float64) for side in (0, 1))
    return Rows(
        [task["task"] for task in tasks],
        np.array([_number(task["score"]) for task in tasks], dtype=np.float64),
        weights=np.array([float(task["records"]) for task in tasks]),
        columns={name: [run.tasks.get(task["task"], {}).get(name) for task in tasks] for name in known},
        ends={None: (low, high)},
    )


def _range_of(task: Mapping[str, Any]) -> ScoreRange:
    if task.get("range") is not None or task["score"] is None or UNIT.holds(task["score"]):
        return ScoreRange.of_json(task.get("range"))
    return EVERYTHING
