"""Gates for CI: limits that a figure of a run must reach."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from scoring.diagnostics.suggest import did_you_mean
from scoring.diagnostics.words import listed
from scoring.errors import InputError


class Measured(Protocol):
    """Whatever has metrics: a task, a suite."""

    @property
    def metrics(self) -> Sequence[Any]:
        """The metrics, each with the ``text`` that its figure is called."""


@dataclass(frozen=True, slots=True)
class Gate:
    """A requirement of a figure: ``min``, at least the limit, or ``max``, at most.

    Examples:
        >>> gate = Gate("wer", "max", 0.1)
        >>> gate.holds(0.1), gate.holds(0.2), gate.holds(None)
        (True, False, False)
        >>> gate.told(None)
        '`wer` is null, and has to be at most 0.1'
    """

    metric: str
    side: Literal["min", "max"]
    limit: float

    def holds(self, value: float | None) -> bool:
        """Tell whether a figure passes; a missing value never does."""
        if value is None:
            return False
        return value >= self.limit if self.side == "min" else value <= self.limit

    def told(self, value: float | None) -> str:
        """Return in words what the gate requires, and the value."""
        wanted = "at least" if self.side == "min" else "at most"
        return (
            f"`{self.metric}` is {'null' if value is None else f'{value:.6g}'}, and has to be {wanted} {self.limit:g}"
        )


def gates_of(least: Iterable[tuple[str, float]], most: Iterable[tuple[str, float]]) -> list[Gate]:
    """Return the gates of some limits by the names of metrics."""
    return [*(Gate(name, "min", limit) for name, limit in least), *(Gate(name, "max", limit) for name, limit in most)]


def check_gates(gates: Iterable[Gate], target: Measured) -> None:
    """Refuse gates on figures that a task or a suite does not have.

    Raises:
        InputError: naming the first that it lacks, and for a limit that is no number.
    """
    known = [metric.text for metric in target.metrics]
    for gate in gates:
        if gate.metric not in known:
            meant = did_you_mean(gate.metric, known)
            raise InputError(
                f"there is no figure `{gate.metric}`; {f'{meant} ' if meant else ''}figures: {listed(known)}"
            )
        if math.isnan(gate.limit):
            raise InputError(f"the limit of `{gate.metric}` is no number")


def passed(gates: Iterable[Gate], figures: Mapping[str, float | None]) -> list[dict[str, Any]]:
    """Return each gate with the figure and whether it holds, as plain data."""
    return [
        {
            "metric": one.metric,
            one.side: one.limit,
            "value": figures[one.metric],
            "holds": one.holds(figures[one.metric]),
        }
        for one in gates
    ]
