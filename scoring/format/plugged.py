"""The names that plug-ins bring and that a spec may use: dialects of foreign files, layouts of exports."""

from __future__ import annotations

from collections.abc import Sequence


def dialects() -> Sequence[str]:
    """The dialects of foreign files."""
    from scoring.packs.megabench.front_end import DIALECTS

    return DIALECTS


def layouts() -> Sequence[str]:
    """The layouts in which a suite's results can be written for others."""
    return ("megabench",)
