"""Which effects extensions provide."""

from __future__ import annotations

from scoring.diagnostics.words import EFFECTS
from scoring.registry.effect import provider


def test_each_effect_but_notes_is_provided() -> None:
    assert {name for name in EFFECTS if provider(name) is not None} == EFFECTS.keys() - {"notes"}
