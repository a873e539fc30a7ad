"""MEGA-Bench as released: how the scores of the fields become the score of a query."""

from __future__ import annotations

from collections.abc import Sequence

from scoring.primitives.aggregate.joins import mean, minimum
from scoring.registry import FieldScores, batch, primitive, registry
from scoring.result import NotApplicable
from scoring.values import Score


def _counted(fields: FieldScores) -> FieldScores:
    """The fields that the released code counts: those of at least 0, which NaN is not."""
    counted = [field for field in fields if field.score >= 0]
    if not counted:
        raise NotApplicable("no field has a score of at least 0", mark=-1.0)
    return fields if len(counted) == len(fields) else FieldScores(counted)


@primitive
def megabench_upstream_mean(fields: FieldScores, /) -> Score:
    """The weighted mean of the fields whose score is at least 0; NaN is left out, too.

    Raises:
        NotApplicable: when no field is left, with the mark -1.
        Unscored: when the weights sum to 0.

    Examples:
        >>> megabench_upstream_mean(FieldScores.of([1.0, float("nan"), -0.5, 0.0]))
        0.5

    Source:
        MEGA-Bench, released code, MeanAggregation.
    """
    return mean(_counted(fields))


@batch(megabench_upstream_mean)
def _(columns: Sequence[Sequence[float]], weights: Sequence[float]) -> Sequence[float]:
    if any(any(map((0.0).__gt__, column)) for column in columns):
        raise ValueError("a score below 0 is left out: one by one")
    at_once = registry.of_function(mean).batch
    assert at_once is not None
    found: Sequence[float] = at_once(columns, weights)
    return found


@primitive(traits=("unweighted",))
def megabench_upstream_min(fields: FieldScores, /) -> Score:
    """The smallest field score of at least 0; NaN is left out, too.

    Raises:
        NotApplicable: when no field is left, with the mark -1.

    Examples:
        >>> megabench_upstream_min(FieldScores.of([1.0, float("nan"), 0.25]))
        0.25

    Source:
        MEGA-Bench, released code, MinAggregation.
    """
    return minimum(_counted(fields))


@primitive
def megabench_upstream_unsupported_aggregation(fields: FieldScores, /) -> Score:
    """Never a score: under this aggregation the released code gives a query -1.

    Raises:
        NotApplicable: always, with the mark -1.

    Examples:
        >>> try:
        ...     megabench_upstream_unsupported_aggregation(FieldScores.of([1.0]))
        ... except NotApplicable as reason:
        ...     print(reason.mark)
        -1.0

    Source:
        MEGA-Bench, released code, AggregationType.
    """
    raise NotApplicable("the aggregation is `unsupported`", mark=-1.0)
