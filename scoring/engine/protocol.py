"""What the engine needs of a compiled task; the compiler's `Task` has it, and so has any small fake."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from scoring.result import RecordResult


class CompiledTask(Protocol):
    """A program that scores records."""

    @property
    def name(self) -> str:
        """The task's name."""

    @property
    def version(self) -> str:
        """The task's version."""

    @property
    def signature(self) -> str:
        """One line that says everything that can change the numbers."""

    def score(self, record: Mapping[str, Any]) -> RecordResult:
        """Score one record."""

    def score_batch(self, records: Sequence[Mapping[str, Any]]) -> list[RecordResult]:
        """Score many records, column by column; equal to scoring each alone."""
