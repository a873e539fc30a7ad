"""Several tests at once: p-values that keep their promise for all of them together."""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """The p-values by Holm's method: the chance of a false finding among all tests is at most their level.

    Args:
        p_values: Of each test; None of one that could not be made, which counts as none.

    Returns:
        For each the smallest level at which it is a finding among the others, never below the value itself.

    Examples:
        >>> holm([0.01, 0.04, 0.03, None])
        [0.03, 0.06, 0.06, None]

    Source:
        Holm: A Simple Sequentially Rejective Multiple Test Procedure (1979).
    """
    made = sorted((value, place) for place, value in enumerate(p_values) if value is not None)
    found: list[float | None] = [None] * len(p_values)
    least = 0.0
    for rank, (value, place) in enumerate(made):
        least = max(least, min(1.0, (len(made) - rank) * value))
        found[place] = least
    return found
