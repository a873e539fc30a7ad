"""A vision metric as a statistic: a mergeable evaluator result, and how a headline and tables are read from it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

from scoring.statistics.statistic import Statistic, Unit


class Mergeable(Protocol):
    """What the evaluators of `scoring.vision` return."""

    def merge(self, other: Self) -> Self:
        """The result of both parts of the data together."""


@dataclass(frozen=True, slots=True)
class VisionStatistic(Statistic):
    """An evaluator's result. It has no units to draw again: a detection's fate depends on the others of its label."""

    held: Any
    headline: Callable[[Any], float]
    tables: Callable[[Any], dict[str, Any]]

    def merge(self, other: VisionStatistic) -> VisionStatistic:
        """The result of both parts of the data."""
        return VisionStatistic(self.held.merge(other.held), self.headline, self.tables)

    def value(self) -> float | None:
        """The headline."""
        found = float(self.headline(self.held))
        return None if math.isnan(found) else found

    @property
    def keys(self) -> Sequence[Any]:
        """None."""
        return ()

    @property
    def units(self) -> Sequence[Unit]:
        """None."""
        return ()

    def of_counts(self, units: Any, counts: Any) -> Any:
        """Undefined for every draw."""
        import numpy as np

        return np.full(len(counts), np.nan)

    def details(self) -> dict[str, Any]:
        """Tables, curves and matrices as plain data."""
        return self.tables(self.held)
