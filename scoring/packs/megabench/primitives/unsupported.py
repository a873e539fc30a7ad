"""MEGA-Bench as released: the metrics that never give a score, or never another one."""

from __future__ import annotations

from typing import Any

from scoring.registry import primitive
from scoring.result import NotApplicable
from scoring.values import Score


@primitive(traits=("response_alone",))
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


@primitive(traits=("response_alone",))
def megabench_upstream_nli_entailment(prediction: object, reference: object, /) -> Score:
    """Always 0: the released check refuses every reference that is a text, and anything else raises.

    Examples:
        >>> megabench_upstream_nli_entailment("a cat sleeps", "a cat sleeps")
        0.0

    Source:
        MEGA-Bench, released code, nli_entailment.
    """
    return 0.0
