"""A suite has no strata."""

from __future__ import annotations

import pytest

import scoring
from scoring.diagnostics.diagnostic import SpecError


@pytest.mark.parametrize("kind", ["suite"])
def test_strata_are_not_for_a_suite(kind: str) -> None:
    records = {"kind": "suite", "name": "s", "tasks": []} if kind == "suite" else {"records": "detection", "name": "d"}
    with pytest.raises(SpecError, match=r"`intervals.strata` is not for .*"):
        scoring.load({**records, "intervals": {"strata": "kind"}})
