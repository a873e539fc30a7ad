"""The figures of a table: each metric with its interval and bounds, over all of it and over every group of it.

Nothing here knows what the table holds: records, tasks of a suite and images take the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from scoring.compiler.failures import why_failed
from scoring.compiler.ranges import FigureScale
from scoring.data.json_write import MAX_INT_BITS, canonical
from scoring.data.rows.report import InputReport
from scoring.diagnostics.words import counted_reasons, listed
from scoring.errors import InputError
from scoring.format.sections import Intervals
from scoring.ranges import EVERYTHING, UNIT, Better, ScoreRange
from scoring.result import cause_of
from scoring.statistics.breakdown import BreakdownPart, attributes_of, parts_of
from scoring.statistics.clusters import pack_members, unpack_members
from scoring.statistics.moments import reduced, unpacked
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic
from scoring.statistics.strata import NotInStrata, in_strata, labelled, merged_members
from scoring.statistics.table import Table

if TYPE_CHECKING:
    from scoring.statistics.intervals import Interval

AttributeOf: TypeAlias = Callable[[str], Sequence[Any]]
"""An attribute of everything in a table, by its name."""
Describe: TypeAlias = Callable[[Sequence[int]], Mapping[str, Any]]
"""Describes the records at some positions in a summary, in addition to their metrics: counts, coverage."""


class CompiledMetric(Protocol):
    """A data-set metric with its arguments bound: over records, tasks or images."""

    @property
    def text(self) -> str:
        """Its canonical text."""

    @property
    def better(self) -> Better:
        """Which values of the metric are better."""

    def __call__(self, table: Any, /) -> Statistic:
        """Return the statistic of a table of the kind that the metric takes."""


@dataclass(frozen=True, slots=True)
class Figures:
    """How the figures of a table are computed.

    Args:
        metrics: The data-set metrics, the headline first.
        intervals: How confidence intervals are made.
        seed: The seed of everything that draws random numbers.
        unlisted: Whether what has an empty list as its value is in no group at all, rather than in the group of those
            that have no value.
    """

    metrics: Sequence[CompiledMetric]
    intervals: Intervals
    seed: int
    unlisted: bool = False

    def of(self, table: Table) -> list[dict[str, Any]]:
        """Return each metric with its value, interval and bounds; all figures share one stream of random numbers."""
        return self.told(self.hold(table))

    def hold(self, table: Table) -> list[FigureState]:
        """Return the state of each figure for a table."""
        clusters, strata = self._named(table, self.intervals.cluster), self._named(table, self.intervals.strata)
        found = []
        for metric in self.metrics:
            with _naming(metric):
                found.append(_hold(metric, table, clusters, strata))
        return found

    def told(self, held: Sequence[FigureState]) -> list[dict[str, Any]]:
        """Return the figures of the states of a whole table, or of all its parts together."""
        found = []
        for metric, one in zip(self.metrics, held, strict=True):
            with _naming(metric):
                found.append(self._figure(metric, one))
        return found

    def by(self, table: Table, name: str, describe: Describe) -> list[dict[str, Any]]:
        """Return the metrics of each group; a record with a list of values counts in each of its groups.

        ``describe`` says what else there is to say of the members of a group.
        """
        parts = self.parts(table, name)
        return [group_row(name, part, describe(part.places), self.of(table.select(part.places))) for part in parts]

    def parts(self, table: Table, name: str) -> list[BreakdownPart]:
        """Return the groups of a breakdown and who is in each."""
        return parts_of([list(map(self._group, table.column(attribute))) for attribute in attributes_of(name)])

    def _group(self, value: Any) -> Any:
        found = group_value(value)
        return None if found == [] and not self.unlisted else found

    def _figure(self, metric: CompiledMetric, held: FigureState) -> dict[str, Any]:
        statistic = held.statistic
        found = self._interval(held)
        spread, note = (None, f"no interval: {found}") if isinstance(found, str) else (found, found.note)
        scale = held.scale or EVERYTHING
        limits = held.limits()
        drew_less = spread and spread.resamples is not None and spread.resamples < self.intervals.resamples
        return {
            "metric": metric.text,
            **({"formula": formula} if (formula := getattr(metric, "formula", "")) else {}),
            "value": statistic.value(),
            "interval": [scale.nearest(spread.low), scale.nearest(spread.high)] if spread else None,
            "level": spread.confidence if spread else None,
            "method": spread.method if spread else None,
            "units": statistic.count,
            "bounds": list(limits) if limits else None,
            **({"note": note} if note and statistic.value() is not None else {}),
            **({"scores": held.scores.to_json()} if limits and held.scores != UNIT else {}),
            **({"bounds_reason": held.open} if held.open else {}),
            **({"range": held.scale.to_json()} if held.scale not in (None, UNIT) else {}),
            **({"better": metric.better} if metric.better != "higher" else {}),
            **({"resamples": spread.resamples} if spread and drew_less else {}),
            **({"details": details} if (details := statistic.details()) else {}),
            **({"labels_in_no_image": unseen} if (unseen := statistic.labels_in_no_image) else {}),
        }

    def _named(self, table: Table, name: str | None) -> list[str | None] | None:
        """Return the cluster or stratum of each, None where the spec names no attribute; a list makes one as a
        whole."""
        if name is None:
            return None
        return [None if value is None else canonical(value) for value in table.column(name)]

    def _interval(self, held: FigureState) -> Interval | str:
        """Return a figure's interval by the spec's method, or why it has none; "auto" if it is not a proportion."""
        from scoring.statistics.clusters import in_clusters
        from scoring.statistics.intervals import is_share, spread_of

        wanted, statistic, clusters, strata = self.intervals, held.statistic, None, None
        method = wanted.method
        if held.clustered is not None and wanted.strata is not None:
            try:
                statistic, strata = in_strata(held.clustered)
            except NotInStrata as why:
                return str(why)
        elif held.clustered is not None:
            statistic, clusters = in_clusters(held.clustered)
        elif method in ("wilson", "clopper_pearson") and not is_share(statistic):
            method = "auto"
        return spread_of(
            statistic,
            seed=self.seed,
            method=method,
            confidence=wanted.confidence,
            resamples=wanted.resamples,
            clusters=clusters,
            strata=strata,
            limits=UNIT.ends if held.scale is None else held.scale.ends,
        )


@dataclass(frozen=True, slots=True)
class FigureState:
    """The state of one figure over some records; states of parts add up to the same bits.

    Args:
        held: Its statistic as ``value``; where something has no score also as ``low`` and ``high``, what it would be if
            that had the least or the greatest one.
        clustered: The same with units that know their clusters or strata, where these are drawn, or drawn within.
        scale: What the figure may come to, None where the things have no scores.
        scores: What the scores may be that it is made of.
        open: Why it has no bounds, although something has no score.
        is_stratified: Whether its units know their strata.
    """

    held: Mapping[str, Statistic]
    clustered: Statistic | None
    scale: ScoreRange | None = None
    scores: ScoreRange = UNIT
    open: str = ""
    is_stratified: bool = False

    @property
    def statistic(self) -> Statistic:
        """The figure's own statistic."""
        return self.held["value"]

    def merge(self, other: FigureState) -> FigureState:
        """Merge the states of two parts; ids are kept only for clusters and strata."""
        pairs = {
            name: [one.held.get(name, one.statistic).compact() for one in (self, other)]
            for name in {**self.held, **other.held}
        }
        held = {name: one.merge(two).compact() for name, (one, two) in pairs.items()}
        clustered = None
        if self.clustered is not None and other.clustered is not None:
            pair = self.clustered, other.clustered
            clustered = merged_members(*pair) if self.is_stratified else pair[0].merge(pair[1])
        return replace(self, held=held, clustered=clustered, open=self.open or other.open)

    def reduced(self) -> FigureState:
        """Return the same in constant size."""
        return replace(self, held={name: reduced(one) for name, one in self.held.items()})

    def pack(self) -> dict[str, Any]:
        """Return the same as plain data.

        Raises:
            NotPortable: when a statistic has no such form.
        """
        found = {name: one.pack() for name, one in self.held.items()}
        clustered = {} if self.clustered is None else {"clustered": pack_members(self.clustered)}
        return {"value": found["value"], **clustered, **found, **({"open": self.open} if self.open else {})}

    def unpack(self, data: Mapping[str, Any]) -> FigureState:
        """Return the state that was packed; call this on the state of no records.

        Raises:
            ValueError: when it is of another figure.
        """
        clustered = None if self.clustered is None else unpack_members(self.clustered, data["clustered"])
        names = ("value", *(name for name in _ENDS if name in data))
        held = {name: unpacked(self.statistic, data[name]) for name in names}
        return replace(self, held=held, clustered=clustered, open=str(data.get("open", "")))

    def limits(self) -> tuple[float, float] | None:
        """Return the least and greatest value that records without a score could give the figure; None if all have
        one."""
        ends = (self.held[name].value() for name in _ENDS if name in self.held)
        known = [value for value in ends if value is not None]
        return (min(known), max(known)) if known else None


@contextmanager
def _naming(metric: CompiledMetric) -> Iterator[None]:
    """Report a failing metric with its name; errors that we raise ourselves are passed on.

    Raises:
        InputError: when Python raises something under the metric.
    """
    try:
        yield
    except Exception as error:
        if type(error).__module__.startswith("scoring."):
            raise
        join = getattr(getattr(metric, "program", None), "join", None)
        why = cause_of(error) if join is None else why_failed(join.primitive, error)
        raise InputError(
            f"the metric `{metric.text}` has no figure for these records: {why}; without it the others can be had"
        ) from error


def _hold(
    metric: CompiledMetric, table: Table, clusters: Sequence[str | None] | None, strata: Sequence[str | None] | None
) -> FigureState:
    held: dict[str, Statistic] = {"value": metric(table)}
    scale, scores, why = None, UNIT, ""
    if isinstance(table, Rows):  # only records and tasks have scores, and can lack them
        told = metric.scale(table.ranges) if hasattr(metric, "scale") else FigureScale()
        scale, scores = told.range, told.scores
        if table.is_incomplete and told.way != "still":
            why = told.open
            for end in _ENDS if not why else ():
                held[end] = metric(table.with_unscored_at(end))
    is_drawn = clusters is not None or strata is not None
    clustered = labelled(metric, table, held["value"], clusters, strata) if is_drawn else None
    return FigureState(held, clustered, scale, scores, why, strata is not None)


_ENDS: tuple[Literal["low"], Literal["high"]] = ("low", "high")


def group_row(
    name: str, part: BreakdownPart, about: Mapping[str, Any], figures: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return the row of one group in a summary."""
    crossed = attributes_of(name)
    group = part.group[0] if len(crossed) == 1 else part.label
    values = {"values": dict(zip(crossed, part.group, strict=True))} if len(crossed) > 1 else {}
    return {"group": group, **values, **about, "metrics": figures}


def group_value(value: Any) -> Any:
    """Return an attribute's value for breakdowns: values that are not plain become their JSON, a missing one is None.

    Examples:
        >>> group_value("de"), group_value(["de", {"a": 1}]), group_value(None)
        ('de', ['de', '{"a":1}'], None)
    """
    if isinstance(value, (list, tuple, set, frozenset)):
        return [canonical(item) if isinstance(item, (list, tuple)) else group_value(item) for item in value]
    if type(value) is int and value.bit_length() > MAX_INT_BITS:
        return hex(value)  # which has no end, where Python writes no more than 4,300 decimal digits
    return value if value is None or isinstance(value, (str, bool, int, float)) else canonical(value)


def paths_of(metric: CompiledMetric) -> list[str]:
    """Return the paths into the records that a metric reads, where it is one over records."""
    return list(getattr(metric, "paths", ()))


def with_reasons(
    figures: Sequence[Mapping[str, Any]], metrics: Sequence[CompiledMetric], has: Callable[[str], bool], noun: str
) -> list[dict[str, Any]]:
    """Return the figures, those without a value with a reason.

    Args:
        figures: The figures of a whole table.
        metrics: Their metrics.
        has: Whether anything in the table has a path.
        noun: What stands in the table; "" where nothing in it has a score, which says enough.
    """
    found = []
    for figure, metric in zip(figures, metrics, strict=True):
        paths = paths_of(metric)
        missing = [path for path in paths if not has(path)]
        details = figure.get("details", {})
        counts_none = not figure.get("units") and details.get("why_not")
        small = details.get("left_out") or details.get("without_group")
        why = "every group has too few records" if details.get("left_out") else "it finds nothing to count"
        why = "no record says which group it is in" if small and not details["groups"] else why
        why = f"no {noun or 'record'} counts: {counted_reasons(details['why_not'])}" if counts_none else why
        counts = "formula" in figure and figure.get("units")
        why = "its formula has no value, as where it divides by 0 or passes what a number can be" if counts else why
        within = f" in {listed(paths, 'and')}" if paths and not small and not counts and not counts_none else ""
        told = (
            f"no {noun or 'record'} has {listed(missing)}" if missing else details.get("undefined") or f"{why}{within}"
        )
        reason = {"reason": told} if (noun or counts_none) and figure["value"] is None else {}
        found.append({**figure, **reason})
    return found


def note_empty(column: AttributeOf, names: Sequence[str], cluster: str | None, report: InputReport) -> None:
    """Report each attribute of a breakdown or of clusters that nothing in a table has: most likely it is misspelt."""
    written = [*(part for name in names for part in attributes_of(name)), *([cluster] if cluster else [])]
    for name in dict.fromkeys(written):
        values = column(name)
        if len(values) and all(value is None for value in values):
            report.add("empty_attributes", name)
