"""MEGA-Bench as released: the metric and the aggregation called `unsupported`."""

from __future__ import annotations

from typing import Any

from scoring.registry import FieldScores, primitive
from scoring.result import NotApplicable
from scoring.values import Score


@primitive
def megabench_upstream_unsupported(prediction: Any, reference: Any, /) -> Score:
    """Never a score: the released code leaves such a field out.

    Raises:
        NotApplicable: always.

    Examples:
        >>> try:
        ...     megabench_upstream_unsupported("a", "a")
        ... except NotApplicable as reason:
        ...     print(reason)
        the metric is `unsupported`

    Source:
        MEGA-Bench, released code, MetricType.
    """
    raise NotApplicable("the metric is `unsupported`")


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


@primitive
def megabench_upstream_nli_entailment(prediction: object, reference: object, /) -> Score:
    """Always 0: the released check refuses every reference that is a text, and anything else raises.

    Examples:
        >>> megabench_upstream_nli_entailment("a cat sleeps", "a cat sleeps")
        0.0

    Source:
        MEGA-Bench, released code, nli_entailment.
    """
    return 0.0
