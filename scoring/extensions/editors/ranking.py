"""The order of completions: how likely each is, given what stands around."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from scoring.extensions.editors.candidates import Candidate

if TYPE_CHECKING:
    from scoring.extensions.editors.asking import Situation


class Ranking:
    """A ranking of the candidates of one situation."""

    def __init__(self, found: Situation) -> None:
        self.found = found

    def weights(self, candidates: Sequence[Candidate]) -> Mapping[tuple[str, str], float]:
        """Return how likely each candidate is, by its name and kind."""
        return {(one.name, one.kind): 1 / len(candidates) for one in candidates}
