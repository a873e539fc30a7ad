"""Find how common a name is in the shipped specs, and whether its package is that of the text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scoring.extensions.editors.continuations import Continuations

COMMONNESS = (
    "frequency in shipped specs", "share of shipped specs", "package of the text", "shipped specs of the package",
)  # fmt: skip
"""The signs, in order."""
_UNSEEN = 0.2


class Commonness:
    """Compare names by how common they are.

    Args:
        name: The name of the text, of a pack that of its package.
        shipped: The shipped specs.
    """

    def __init__(self, name: str, shipped: Continuations) -> None:
        self._package = name.replace("-", "_").partition("/")[0]
        self._shipped, self._tokens = shipped, max(shipped.counts.total(), 1)

    def signs(self, name: str) -> tuple[float, ...]:
        """Return what speaks for a name, in the order of `COMMONNESS`."""
        counts, texts = self._shipped.counts, self._shipped.texts
        package, slash, _ = name.partition("/")
        return (
            math.log((counts[name] + _UNSEEN) / self._tokens),
            texts[name] / max(self._shipped.many, 1),
            self._nearness(package) if slash else 0.0,
            float(texts[f"{package}/"]) if slash else 0.0,
        )

    def _nearness(self, package: str) -> float:
        """Return 2 for the text's own package, 1.5 for one whose name begins as its does, 1 for another."""
        mine = self._package
        if package == mine:
            return 2.0
        return 1.5 if mine and (package.startswith(mine) or mine.startswith(package)) else 1.0
