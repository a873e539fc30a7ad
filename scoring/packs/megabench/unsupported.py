"""What MEGA-Bench's released code does for `unsupported` metrics and aggregations, which the document leaves open."""

from __future__ import annotations

from typing import Any

from scoring.registry import FieldScores, primitive
from scoring.result import NotApplicable
from scoring.values import Score


@primitive
def megabench_upstream_unsupported_aggregation(fields: FieldScores, /) -> Score:
    """Raise `NotApplicable`, since the released code gives a query -1 under this aggregation.

    Raises:
        NotApplicable: always; its `mark` is -1.

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


@primitive(traits=("response_alone",))
def megabench_upstream_unsupported(prediction: Any, reference: Any, /) -> Score:
    """Raise `NotApplicable`, since the released code leaves such a field out.

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
