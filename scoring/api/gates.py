"""Gates for CI: limits on the figures of a run, which `--min` and `--max` set."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol

from msgspec import Struct

from scoring.diagnostics.words import listed
from scoring.errors import InputError


class Measured(Protocol):
    """Anything that has metrics: a task or a suite."""

    @property
    def metrics(self) -> Sequence[Any]:
        """The metrics that the spec names; the ``text`` of each is the name by which its number is reported."""


class Gate(Struct, frozen=True):
    """A limit on a figure: a lower limit if ``side`` is ``min``, an upper limit if it is ``max``.

    Examples:
        >>> gate = Gate("wer", "max", 0.1)
        >>> gate.holds(0.1), gate.holds(0.2), gate.holds(None)
        (True, False, False)
        >>> gate.message(None)
        '`wer` is null, and has to be at most 0.1'
    """

    metric: str
    side: Literal["min", "max"]
    limit: float

    def holds(self, value: float | None) -> bool:
        """Return whether a value is within the limit; a missing value never is."""
        if value is None:
            return False
        return value >= self.limit if self.side == "min" else value <= self.limit

    def message(self, value: float | None) -> str:
        """Return a message with the value and the limit."""
        wanted = "at least" if self.side == "min" else "at most"
        return (
            f"`{self.metric}` is {'null' if value is None else f'{value:.6g}'}, and has to be {wanted} {self.limit:g}"
        )


def gates_of(least: Iterable[tuple[str, float]], most: Iterable[tuple[str, float]]) -> list[Gate]:
    """Return the gates for lower and upper limits, each given as the name of a metric and the limit."""
    return [*(Gate(name, "min", limit) for name, limit in least), *(Gate(name, "max", limit) for name, limit in most)]


def check_gates(gates: Iterable[Gate], target: Measured) -> None:
    """Check that the task or suite has every figure that has a gate.

    Raises:
        InputError: for the first figure that it does not have, and for a limit that is not a number.
    """
    known = [metric.text for metric in target.metrics]
    for gate in gates:
        if gate.metric not in known:
            from scoring.diagnostics.suggest import did_you_mean

            suggestion = did_you_mean(gate.metric, known)
            raise InputError(
                f"there is no figure `{gate.metric}`; {f'{suggestion} ' if suggestion else ''}figures: {listed(known)}"
            )
        if math.isnan(gate.limit):
            raise InputError(f"the limit of `{gate.metric}` is not a number")


def passed(gates: Iterable[Gate], figures: Mapping[str, float | None]) -> list[dict[str, Any]]:
    """Return each gate as plain data, with the figure's value and whether the gate ``holds``."""
    return [
        {
            "metric": one.metric,
            one.side: one.limit,
            "value": figures[one.metric],
            "holds": one.holds(figures[one.metric]),
        }
        for one in gates
    ]
