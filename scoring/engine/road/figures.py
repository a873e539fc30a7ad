"""The figures of a table: each metric with its interval and bounds, over the whole table and over each of its groups.

The code is the same for all kinds of table: records, tasks of a suite, and images.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from scoring.compiler.formulas.ranges import FigureScale
from scoring.compiler.programs.failures import why_failed
from scoring.data.rows.report import InputReport
from scoring.diagnostics.words import counted_reasons, listed
from scoring.errors import InputError
from scoring.format.sections import Intervals
from scoring.ranges import EVERYTHING, UNIT, Better, ScoreRange
from scoring.result import cause_of
from scoring.statistics.breakdown import BreakdownPart, attributes_of, parts_of
from scoring.statistics.closed_intervals import Interval, IntervalWanted, closed_spread, is_share
from scoring.statistics.moments import reduced, statistic_from_data
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic

if TYPE_CHECKING:
    from scoring.statistics.table import Table

AttributeOf: TypeAlias = Callable[[str], Sequence[Any]]
"""Returns the column of an attribute, given its name: one value for each row of the table."""
Describe: TypeAlias = Callable[[Sequence[int]], Mapping[str, Any]]
"""Returns a summary's entries besides metrics, such as counts and coverage, for the rows at some positions."""


class CompiledMetric(Protocol):
    """A data-set metric with its arguments bound, over records, tasks or images."""

    @property
    def text(self) -> str:
        """The metric's canonical text."""

    @property
    def better(self) -> Better:
        """Whether higher or lower values are better."""

    def __call__(self, table: Any, /) -> Statistic:
        """Return the metric's statistic for a table, which must be of the kind that the metric takes."""


class Figures(Struct, frozen=True):
    """The settings from which the figures of a table are computed.

    Args:
        metrics: The data-set metrics, the headline metric first.
        intervals: The settings of confidence intervals.
        seed: The seed of all random numbers.
        unlisted: Whether a row whose attribute is an empty list belongs to no group at all, rather than to the group of
            rows without a value.
    """

    metrics: Sequence[CompiledMetric]
    intervals: Intervals
    seed: int
    unlisted: bool = False

    def of(self, table: Table) -> list[dict[str, Any]]:
        """Return the figure of each metric for a table, as plain data: its value, interval and bounds."""
        return self.as_data(self.states(table))

    def states(self, table: Table) -> list[FigureState]:
        """Return the mergeable state of each metric's figure for a table."""
        clusters, strata = self._labels(table, self.intervals.cluster), self._labels(table, self.intervals.strata)
        found = []
        for metric in self.metrics:
            with _naming(metric):
                found.append(_state(metric, table, clusters, strata))
        return found

    def as_data(self, states: Sequence[FigureState]) -> list[dict[str, Any]]:
        """Return the figures as plain data, given the states of all metrics for a whole table."""
        found = []
        for metric, one in zip(self.metrics, states, strict=True):
            with _naming(metric):
                found.append(self._figure(metric, one))
        return found

    def by(self, table: Table, name: str, describe: Describe) -> list[dict[str, Any]]:
        """Return the breakdown ``name``: the metrics of each group; a row whose attribute is a list may be in several.

        ``describe`` returns further entries of a group's row in the summary, given the positions of its members.
        """
        parts = self.parts(table, name)
        return [group_row(name, part, describe(part.indices), self.of(table.select(part.indices))) for part in parts]

    def parts(self, table: Table, name: str) -> list[BreakdownPart]:
        """Return the groups of the breakdown with a name, each with the positions of its members in the table."""
        return parts_of([list(map(self._group, table.column(attribute))) for attribute in attributes_of(name)])

    def _group(self, value: Any) -> Any:
        found = value if type(value) is str else group_value(value)
        return None if found == [] and not self.unlisted else found

    def _figure(self, metric: CompiledMetric, state: FigureState) -> dict[str, Any]:
        statistic = state.statistic
        found = self._interval(state)
        spread = None if isinstance(found, str) else found
        note = f"no interval: {found}" if isinstance(found, str) else spread and spread.note
        scale = state.scale or EVERYTHING
        limits = state.limits()
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
            **({"scores": state.scores.to_json()} if limits and state.scores != UNIT else {}),
            **({"bounds_reason": state.open} if state.open else {}),
            **({"range": state.scale.to_json()} if state.scale not in (None, UNIT) else {}),
            **({"better": metric.better} if metric.better != "higher" else {}),
            **({"resamples": spread.resamples} if spread and drew_less else {}),
            **({"details": details} if (details := statistic.details()) else {}),
            **({"labels_in_no_image": unseen} if (unseen := statistic.labels_in_no_image) else {}),
        }

    def _labels(self, table: Table, name: str | None) -> list[str | None] | None:
        """Return each row's cluster or stratum, the attribute ``name`` as JSON; None if the spec names no attribute."""
        if name is None:
            return None
        return [None if value is None else _as_json(value) for value in table.column(name)]

    def _interval(self, state: FigureState) -> Interval | str | None:
        """Return a figure's interval by the spec's method, the reason why it has none, or None if none is wanted.

        The method of a figure that is not a share is "auto" if the spec's method applies only to shares.
        """
        wanted, statistic, clusters, strata = self.intervals, state.statistic, None, None
        method = wanted.method
        if method == "none":
            return None
        if statistic.no_interval:
            return statistic.no_interval
        if state.clustered is not None and wanted.strata is not None:
            from scoring.statistics.strata import NotInStrata, in_strata

            try:
                statistic, strata = in_strata(state.clustered)
            except NotInStrata as why:
                return str(why)
        elif state.clustered is not None:
            from scoring.statistics.clusters import in_clusters

            statistic, clusters = in_clusters(state.clustered)
        elif method in ("wilson", "clopper_pearson") and not is_share(statistic):
            method = "auto"
        settings = IntervalWanted(
            seed=self.seed,
            method=method,
            confidence=wanted.confidence,
            resamples=wanted.resamples,
            clusters=clusters,
            strata=strata,
            limits=UNIT.ends if state.scale is None else state.scale.ends,
        )
        statistic = statistic.finished()
        found = closed_spread(statistic, settings)
        if found is None:
            from scoring.statistics.intervals import unit_spread

            found = unit_spread(statistic, settings)
        return found


class FigureState(Struct, frozen=True):
    """The state of one figure over some rows; states of parts merge to that of the whole, to the bit.

    Args:
        statistics: The figure's statistic as ``value``; if rows lack a score, also the statistics ``low`` and ``high``,
            for which each missing score is replaced by the least or the greatest possible one.
        clustered: The statistic with units labelled by cluster or stratum, if resampling uses either.
        scale: The range of possible values of the figure, None if the rows have no scores.
        scores: The range of the scores that it is computed from.
        open: The reason why it has no bounds, although rows lack a score.
        is_stratified: Whether the units are labelled by stratum.
    """

    statistics: Mapping[str, Statistic]
    clustered: Statistic | None
    scale: ScoreRange | None = None
    scores: ScoreRange = UNIT
    open: str = ""
    is_stratified: bool = False

    @property
    def statistic(self) -> Statistic:
        """The figure's own statistic."""
        return self.statistics["value"]

    def merge(self, other: FigureState) -> FigureState:
        """Return the state over the rows of both parts; ids are kept for clusters and strata only."""
        pairs = {
            name: [one.statistics.get(name, one.statistic).compact() for one in (self, other)]
            for name in {**self.statistics, **other.statistics}
        }
        statistics = {name: one.merge(two).compact() for name, (one, two) in pairs.items()}
        clustered = None
        if self.clustered is not None and other.clustered is not None:
            from scoring.statistics.strata import merged_members

            pair = self.clustered, other.clustered
            clustered = merged_members(*pair) if self.is_stratified else pair[0].merge(pair[1])
        return replace(self, statistics=statistics, clustered=clustered, open=self.open or other.open)

    def reduced(self) -> FigureState:
        """Return the state reduced to constant size, in which sums replace the units."""
        return replace(self, statistics={name: reduced(one) for name, one in self.statistics.items()})

    def pack(self) -> dict[str, Any]:
        """Return the state as plain data.

        Raises:
            NotPortable: when a statistic can't be packed.
        """
        from scoring.statistics.clusters import pack_members

        found = {name: one.pack() for name, one in self.statistics.items()}
        clustered = {} if self.clustered is None else {"clustered": pack_members(self.clustered)}
        return {"value": found["value"], **clustered, **found, **({"open": self.open} if self.open else {})}

    def unpack(self, data: Mapping[str, Any]) -> FigureState:
        """Return the state from the plain data that `pack` returns; called on the state of an empty table.

        Raises:
            ValueError: when the data belong to another figure.
        """
        from scoring.statistics.clusters import unpack_members

        clustered = None if self.clustered is None else unpack_members(self.clustered, data["clustered"])
        names = ("value", *(name for name in _ENDS if name in data))
        statistics = {name: statistic_from_data(self.statistic, data[name]) for name in names}
        return replace(self, statistics=statistics, clustered=clustered, open=str(data.get("open", "")))

    def limits(self) -> tuple[float, float] | None:
        """Return the lowest and highest values that missing scores allow the figure; None if no score is missing."""
        ends = (self.statistics[name].value() for name in _ENDS if name in self.statistics)
        known = [value for value in ends if value is not None]
        return (min(known), max(known)) if known else None


@contextmanager
def _naming(metric: CompiledMetric) -> Iterator[None]:
    """Convert an exception that a metric raises in a block to one that names the metric; our own errors are unchanged.

    Raises:
        InputError: when the metric raises any other exception.
    """
    try:
        yield
    except Exception as error:
        if type(error).__module__.startswith("scoring."):
            raise
        join = getattr(getattr(metric, "program", None), "join", None)
        why = cause_of(error) if join is None else why_failed(join.primitive, error)
        raise InputError(
            f"the metric `{metric.text}` has no figure for these records: {why}; without it the others can be computed"
        ) from error


def _state(
    metric: CompiledMetric, table: Table, clusters: Sequence[str | None] | None, strata: Sequence[str | None] | None
) -> FigureState:
    statistics: dict[str, Statistic] = {"value": metric(table)}
    scale, scores, why = None, UNIT, ""
    if isinstance(table, Rows):  # only records and tasks have scores, which may be missing
        figure_scale = metric.scale(table.ranges) if hasattr(metric, "scale") else FigureScale()
        scale, scores = figure_scale.range, figure_scale.scores
        if table.is_incomplete and figure_scale.way != "still":
            why = figure_scale.open
            for end in _ENDS if not why else ():
                statistics[end] = metric(table.with_unscored_at(end))
    clustered = None
    if (clusters is not None or strata is not None) and not statistics["value"].no_interval:
        from scoring.statistics.strata import label_units

        clustered = label_units(metric, table, statistics["value"], clusters, strata)
    return FigureState(statistics, clustered, scale, scores, why, strata is not None)


_ENDS: tuple[Literal["low"], Literal["high"]] = ("low", "high")


def group_row(
    name: str, part: BreakdownPart, about: Mapping[str, Any], figures: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return the row of one group in a summary's breakdown: its name, the entries in ``about``, and its figures."""
    crossed = attributes_of(name)
    group = part.group[0] if len(crossed) == 1 else part.label
    values = {"values": dict(zip(crossed, part.group, strict=True))} if len(crossed) > 1 else {}
    return {"group": group, **values, **about, "metrics": figures}


def group_value(value: Any) -> Any:
    """Return an attribute's value as breakdowns use it: None if it is missing, JSON text for a value that is not plain.

    Examples:
        >>> group_value("de"), group_value(["de", {"a": 1}]), group_value(None)
        ('de', ['de', '{"a":1}'], None)
    """
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_as_json(item) if isinstance(item, (list, tuple)) else group_value(item) for item in value]
    if type(value) is int and value.bit_length() > 64:  # as few are
        from scoring.data.json_write import MAX_INT_BITS

        # Hexadecimal digits have no limit, whereas Python writes at most 4,300 decimal ones.
        return hex(value) if value.bit_length() > MAX_INT_BITS else value
    return value if value is None or isinstance(value, (str, bool, int, float)) else _as_json(value)


def _as_json(value: Any) -> str:
    from scoring.data.json_write import canonical

    return canonical(value)


def paths_of(metric: CompiledMetric) -> list[str]:
    """Return the paths in a record that a metric reads; empty if it is not a metric over records."""
    return list(getattr(metric, "paths", ()))


def with_reasons(
    figures: Sequence[Mapping[str, Any]], metrics: Sequence[CompiledMetric], has: Callable[[str], bool], noun: str
) -> list[dict[str, Any]]:
    """Return the figures, with an entry ``reason`` added to each figure without a value.

    Args:
        figures: The figures of a whole table.
        metrics: Their metrics.
        has: Returns whether any row of the table has a value at a path.
        noun: The noun for a row of the table; "" if no row has a score, so that most figures need no other reason.
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
        why = "its formula has no value, as where it divides by 0 or exceeds the range of numbers" if counts else why
        within = f" in {listed(paths, 'and')}" if paths and not small and not counts and not counts_none else ""
        text = (
            f"no {noun or 'record'} has {listed(missing)}" if missing else details.get("undefined") or f"{why}{within}"
        )
        reason = {"reason": text} if (noun or counts_none) and figure["value"] is None else {}
        found.append({**figure, **reason})
    return found


def note_empty(column: AttributeOf, names: Sequence[str], cluster: str | None, report: InputReport) -> None:
    """Report each attribute for which no row has a value, among those of the breakdowns ``names`` and ``cluster``."""
    written = [*(part for name in names for part in attributes_of(name)), *([cluster] if cluster else [])]
    for name in dict.fromkeys(written):
        values = column(name)
        if len(values) and all(value is None for value in values):
            report.add("empty_attributes", name)
