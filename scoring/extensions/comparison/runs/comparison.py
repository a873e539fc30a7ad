"""Compare finished runs: whether they are comparable, whether they differ, and which records changed at which stage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from msgspec import Struct

from scoring.compiler.records.record_reader import place_reader
from scoring.data.json_write import canonical
from scoring.errors import InputError
from scoring.extensions.comparison.runs.again import SpecOfRun, figure_entry, figure_of, in_common, names_of
from scoring.extensions.comparison.runs.better import better_of_json, quality
from scoring.extensions.comparison.statistics.compare import Comparison, compare_paired_scores, mean_or_none
from scoring.extensions.comparison.statistics.differing import Chances
from scoring.extensions.comparison.statistics.paired import holm
from scoring.extensions.verification.read import StoredRun, score_of
from scoring.ranges import Better, ScoreRange
from scoring.statistics.strata import NotInStrata

_MAX_FLIPS = 1000


def differences(first: StoredRun, second: StoredRun) -> list[str]:
    """Return a line for each reason why the scores of two runs mean different things, so that they can't be compared;
    empty if there is none.

    They mean the same if the compiled programs and the judge are the same; libraries, interpreters and seeds may
    differ.
    """
    return [f"{name}: {one} and {other}" for name, (one, other) in first.means(second).items()]


def widest_change(runs: Sequence[StoredRun]) -> float:
    """Return the largest possible difference between two scores of a record in some runs; infinite if the range of
    scores is unbounded."""
    ranges = [ScoreRange.of_json(ends) for run in runs for ends in _ends_of_scores(run)]
    return max(one.high for one in ranges) - min(one.low for one in ranges)


def environments(first: StoredRun, second: StoredRun) -> list[str]:
    """Return a line for each program or library of which two runs used different versions, with both versions.

    Such a difference does not change the meaning of scores, but the reader of a comparison should know.
    """
    one, other = (dict(part.rpartition(" ")[::2] for part in run.signature.env.split(", ")) for run in (first, second))
    return [f"{name} {one[name]} and {other[name]}" for name in one if other.get(name, one[name]) != one[name]]


class RunDraws(Struct, frozen=True):
    """The settings for resampling the difference between runs.

    Args:
        cluster: An attribute whose groups are resampled as a whole (for example, the document of a question); by
            default the one that all runs used. In a suite it may be an attribute of the tasks.
        strata: An attribute whose groups are fixed, so that records are resampled within each; by default the one that
            all runs used.
        level: The confidence level of the intervals; by default the first run's.
        seed: The seed of the random draws.
        resamples: Number of resamples and of sign changes; fewer if they are expensive.
    """

    cluster: str | None
    strata: str | None
    level: float
    seed: int
    resamples: int

    @classmethod
    def of(
        cls,
        runs: Sequence[StoredRun],
        *,
        cluster: str | None = None,
        strata: str | None = None,
        confidence: float | None = None,
        seed: int = 0,
        resamples: int = 10_000,
    ) -> RunDraws:
        """Return the settings for resampling the difference between some runs; those that are None are the runs' own.

        Raises:
            InputError: when strata are requested for runs that are not of a task over records.
        """
        if strata is not None and any("suite" in run.summary or "keys" in run.summary for run in runs):
            raise InputError("--strata is for the records of a task; tasks of a suite and images are drawn as they are")
        intervals = [run.summary.get("intervals", {}) for run in runs]
        drawn = [{one.get(key) for one in intervals} for key in ("cluster", "strata")]
        same = [values.pop() if len(values) == 1 else None for values in drawn]
        level = confidence or intervals[0].get("confidence", 0.95)
        return cls(cluster or same[0], strata or same[1], level, seed, resamples)

    def chances(self, widest: float) -> Chances:
        """Return these settings for the tests of a figure whose values in two runs differ by at most ``widest``."""
        return Chances(self.level, self.seed, self.resamples, widest)


def compare_runs(
    first: StoredRun,
    second: StoredRun,
    draws: RunDraws | None = None,
    *,
    metric: str | None = None,
    compiled: SpecOfRun | None = None,
) -> dict[str, Any]:
    """Return the comparison of two runs as plain data: the figures with their tests, and the records that changed.

    Args:
        first: The baseline run.
        second: The run that may be better.
        draws: The settings for resampling the difference; by default those of the runs.
        metric: The figure by which they are compared, ``all`` for each that both have; by default the headline.
        compiled: Compiles the spec of a run again, for figures that can't be computed from scores and their name alone.

    Raises:
        InputError: when no record of the runs has the attribute of the clusters, or the figure can't be recomputed.
    """
    draws = draws or RunDraws.of((first, second))
    names = names_of((first, second), metric)
    with drawing(draws):
        scores = compare_scores(first, second, draws)
        rows = [_figure_row(scores, (first, second), name, draws, compiled) for name in names]
    rows = corrected(rows, draws.level) if len(rows) > 1 else rows
    figures = [{**row, "verdict": verdict(row)} for row in rows]
    return {**scores, **figures[0], **({"figures": figures} if len(figures) > 1 else {})}


def _figure_row(
    scores: Mapping[str, Any], runs: Sequence[StoredRun], name: str, draws: RunDraws, compiled: SpecOfRun | None
) -> dict[str, Any]:
    """Return the row of one figure in a comparison: its values in both runs, the difference and its test.

    Args:
        scores: The comparison of the runs' scores, from which the row of their mean is taken.
        runs: The two runs.
        name: The name of the figure.
        draws: The settings for resampling.
        compiled: Compiles the spec of a run again; None if that is not possible.
    """
    if is_plain_mean(runs, name):
        row = {key: scores[key] for key in ("first", "second", "difference", "interval", "p_value", "effect")}
        figure = figure_of(runs, name, compiled or no_spec)
        return {"metric": name, "better_is": figure.better, **row, "significant": scores["significant"]}
    figure = figure_of(runs, name, compiled or no_spec)
    compared = in_common(runs, figure, *DrawnBy.of(runs, draws), draws.cluster)
    tested = compared.test(0, 1, draws.chances(figure.widest))
    return {
        "metric": name,
        "better_is": figure.better,
        "first": compared.value(0),
        "second": compared.value(1),
        "difference": compared.difference(0, 1),
        "interval": tested.interval.to_json() if tested.interval else None,
        "p_value": tested.p_value,
        "effect": None,
        "significant": tested.p_value is not None and tested.p_value < 1.0 - draws.level,
    }


def verdict(row: Mapping[str, Any]) -> str:
    """Return the verdict of a figure's test on the second run: ``better``, ``worse``, ``same`` (no significant
    difference), or ``different`` if it is unknown which direction is better.

    Args:
        row: The figure's row in a comparison.

    Examples:
        >>> verdict({"first": 0.2, "second": 0.1, "better_is": "lower", "significant": True})
        'better'
    """
    if not row["significant"]:
        return "same"
    if row["better_is"] is None:
        return "different"
    one, two = (quality(row[side], row["better_is"]) for side in ("first", "second"))
    return "better" if two > one else "worse" if two < one else "different"


def is_plain_mean(runs: Sequence[StoredRun], name: str) -> bool:
    """Return True if the figure named `name` is the plain mean of the records' scores, and the runs are not of
    suites."""
    is_formula = any("formula" in figure_entry(run, name) for run in runs)
    return name == "mean" and not is_formula and not any("suite" in run.summary for run in runs)


class DrawnBy(NamedTuple):
    """The cluster and the stratum of each record of some runs, by the record's key, for resampling; None where
    resampling uses none."""

    clusters: dict[str, Any] | None
    strata: dict[str, str | None] | None

    @classmethod
    def of(cls, runs: Sequence[StoredRun], draws: RunDraws) -> DrawnBy:
        """Return the clusters and strata of the runs' records, read from the attributes that the settings name.

        Raises:
            InputError: when no record has such an attribute.
        """
        clusters, strata = (
            None if name is None else attribute_of_records(runs, name) for name in (draws.cluster, draws.strata)
        )
        if strata is None:
            return cls(clusters, None)
        labels = [None if values is None else _canonical(values) for values in (clusters, strata)]
        return cls(labels[0], labels[1])


def _canonical(values: Mapping[str, Any]) -> dict[str, str | None]:
    return {key: None if value is None else canonical(value) for key, value in values.items()}


@contextmanager
def drawing(draws: RunDraws) -> Iterator[None]:
    """Convert a `NotInStrata` raised in a `with` block to an `InputError` that names the attribute of the strata."""
    try:
        yield
    except NotInStrata as why:
        raise InputError(f"no difference can be drawn within the strata of `{draws.strata}`: {why}") from None


def no_spec(run: StoredRun) -> Any:
    """Raise the InputError for a figure of a run that only its spec defines; used where a run's spec can't be
    compiled."""
    raise InputError(f"{run.name}: only its spec says what its figures are")


def compare_scores(first: StoredRun, second: StoredRun, draws: RunDraws) -> dict[str, Any]:
    """Return the comparison of two runs' scores as plain data: their means with the test of the difference, the records
    that changed, and at which stage of scoring they did."""
    clusters, strata = DrawnBy.of((first, second), draws)
    found: Comparison = compare_paired_scores(
        first.scores(),
        second.scores(),
        seed=draws.seed,
        resamples=draws.resamples,
        confidence=draws.level,
        clusters=clusters,
        strata=strata,
        widest=widest_change((first, second)),
    )
    data = oriented(found.to_json(), better_of_json(first.summary.get("better", "higher")))
    data["significant"] = found.is_significant
    data["cluster"] = draws.cluster
    data["strata"] = draws.strata
    data["runs"] = [run_about(first), run_about(second)]
    data["not_comparable"] = differences(first, second)
    data["environments"] = environments(first, second)
    data["ranges"] = {**second.summary.get("ranges", {}), **first.summary.get("ranges", {})}
    data["groups"] = _of_both(first, second, lambda figure: "groups" in figure.get("details", {}))
    data["formulas"] = _of_both(first, second, lambda figure: "formula" in figure)
    data["fields"] = _fields(first, second)
    flips = [{**flip, **_where(first, second, flip["id"])} for flip in data["flips"]]
    data["stages"] = dict(sorted(Counter(flip["stage"] for flip in flips).items()))
    data["flip_count"] = len(flips)
    data["flips"] = flips[:_MAX_FLIPS]
    return data


def oriented(data: dict[str, Any], better: Better) -> dict[str, Any]:
    """Return a comparison of scores with the direction that is better; if that is ``lower``, "better" and "worse" are
    swapped for changed records."""
    if better == "lower":
        data |= {"better": data["worse"], "worse": data["better"]}
        kinds = {"better": "worse", "worse": "better"}
        data["flips"] = [{**flip, "kind": kinds.get(flip["kind"], flip["kind"])} for flip in data["flips"]]
    return {**data, "score_better": better}


def _ends_of_scores(run: StoredRun) -> list[list[float | None] | None]:
    """Return a list with the range `[lowest, highest]` of a run's scores, or with that of each task of a suite; the
    range from 0 to 1 is given as None."""
    if "suite" in run.summary and run.summary.get("tasks"):
        return [task.get("range") for task in run.summary["tasks"]]
    return [run.summary.get("ranges", {}).get("score")]


def run_about(run: StoredRun) -> dict[str, Any]:
    """Return a comparison's entry about a run, as plain data: its name, signature and number of records."""
    signature = run.signature
    return {
        "name": run.name,
        "signature": signature,
        "meaning": signature.meaning,
        "env": signature.env,
        "records": len(run.records),
    }


def _of_both(first: StoredRun, second: StoredRun, wanted: Callable[[Mapping[str, Any]], bool]) -> list[dict[str, Any]]:
    """Return a row for each figure that both runs have and that `wanted` accepts, such as those of groups, like
    pass@k; a row has the figure's values in each run."""
    one, other = ({figure["metric"]: figure for figure in run.summary.get("metrics", ())} for run in (first, second))
    return [
        {"metric": name, "first": _figure(one[name]), "second": _figure(other[name])}
        for name in one
        if name in other and wanted(one[name])
    ]


def _figure(figure: Mapping[str, Any]) -> dict[str, Any]:
    return {key: figure.get(key) for key in ("value", "interval", "details", "formula")}


def attribute_of_records(runs: Sequence[StoredRun], name: str) -> dict[str, Any]:
    """Return the attribute named `name` of each record, by the record's key, from the first run that has a value for
    it."""
    known: dict[str, None] = {}
    found: dict[str, Any] = {}
    for run in runs:
        for key, data in run.records.items():
            attributes = _attributes(run, data, name)
            known.update(dict.fromkeys(attributes))
            if found.get(key) is None:
                found[key] = attributes.get(name)
    if name not in known:
        listed = ", ".join(sorted(known)) or "none"
        raise InputError(f"no record has the attribute {name}; the runs have {listed}; the spec's `by` adds more")
    return found


def _attributes(run: StoredRun, data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return the attributes of a record, in a suite together with those of its task.

    Args:
        run: The run.
        data: The record's line of scores.
        name: An attribute that may also be a path into the task's attributes.
    """
    attributes: Mapping[str, Any] = {**(data.get("read") or {}), **(data.get("attributes") or {})}
    task = run.tasks.get(data.get("task", ""))
    if task is None or name in attributes:
        return attributes
    value = place_reader(name)(task)
    return {**task, **attributes} if value is None else {**task, **attributes, name: value}


def _fields(first: StoredRun, second: StoredRun) -> list[dict[str, Any]]:
    """Return a row for each field (a scored part of an answer): its means over the records that both runs scored, and
    how many of these changed."""
    pairs: dict[str, list[tuple[float, float]]] = {}
    for key, before in first.records.items():
        if (after := second.records.get(key)) is None:
            continue
        for name, part in before["fields"].items():
            one, other = score_of(part), score_of(after["fields"].get(name, {}))
            scores = pairs.setdefault(name, [])
            if one is not None and other is not None:
                scores.append((one, other))
    return [
        {
            "field": name,
            "records": len(scores),
            "first": mean_or_none([one for one, _ in scores]),
            "second": mean_or_none([other for _, other in scores]),
            "changed": sum(one != other for one, other in scores),
        }
        for name, scores in pairs.items()
    ]


def _where(first: StoredRun, second: StoredRun, key: str) -> dict[str, Any]:
    """Return the fields of a record that changed, and the first stage at which the two runs differ.

    The stages: one run lacks the ``record``; only one response could be parsed (``parse``), or the parsed answers
    differ (``answer``); the answers are the same, but a field's ``scoring`` differs, or only the aggregation of the
    fields (``aggregate``).

    Args:
        first: The first run.
        second: The second run.
        key: The key of the record.
    """
    before, after = first.records.get(key), second.records.get(key)
    if before is None or after is None:
        return {"fields": {}, "stage": "record"}
    scores = {
        name: [data["fields"].get(name, {}).get("score") for data in (before, after)]
        for name in {**before["fields"], **after["fields"]}
    }
    changed = {name: pair for name, pair in scores.items() if pair[0] != pair[1]}
    found: dict[str, Any] = {"fields": changed, "stage": _stage(before, after, changed)}
    reasons = [_reason(before), _reason(after)]
    if reasons[0] != reasons[1]:
        found["reasons"] = reasons
    return found


def _stage(before: Mapping[str, Any], after: Mapping[str, Any], changed: Mapping[str, Any]) -> str:
    if (before.get("unparsed") is None) != (after.get("unparsed") is None):
        return "parse"
    if before["parsed"] != after["parsed"]:
        return "answer"
    return "scoring" if changed else "aggregate"


def _reason(data: Mapping[str, Any]) -> str | None:
    found = data.get("unparsed") or data.get("reason")
    return str(found) if found else None


def corrected(tests: Sequence[Mapping[str, Any]], level: float) -> list[dict[str, Any]]:
    """Return figures' tests with p-values corrected for multiple testing by Holm's method (``p_holm``), and with
    significance at `level` that follows from these."""
    return [
        {**test, "p_holm": p_value, "significant": p_value is not None and p_value < 1.0 - level}
        for test, p_value in zip(tests, holm([test["p_value"] for test in tests]), strict=True)
    ]
