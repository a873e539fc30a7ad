"""MEGA-Bench as released: entailment, which no text ever passes."""

from __future__ import annotations

from scoring.registry import primitive
from scoring.values import Score


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
