"""A run at an address is refused where the extension for addresses is not there."""

from __future__ import annotations

import scoring
from tests.unit.data.test_without_extensions import needs, refused, without_extensions


def test_a_run_at_an_address_is_refused() -> None:
    with without_extensions():
        assert refused(lambda: scoring.runs.verify("memory://run")) == needs("memory://run", "remote-runs")
