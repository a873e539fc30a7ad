"""valor-lite's pack beside valor-lite itself, through the public interface; skipped where that is not installed."""

from __future__ import annotations

import pytest

from tests.parity.valor_probes import PROBES, compared

pytest.importorskip("valor_lite")


@pytest.mark.parametrize("kind", PROBES)
@pytest.mark.parametrize("seed", range(25))
def test_every_figure_is_valor_lites(kind: str, seed: int) -> None:
    count, wrong = compared(kind, seed)
    assert wrong == []
    assert count > 0 or kind == "detection"
