"""An audit tries metrics that are formulas."""

from __future__ import annotations

from typing import Any

import scoring
from tests.unit.compiler.test_metrics_as_formulas import TASK


def test_an_audit_tries_formulas() -> None:
    given = [{"id": place, "response": "a", "reference": f"w{place % 7}"} for place in range(40)]
    metrics: list[Any] = [
        {"rate": "count(passed) / count()"},
        {"error": "1 - mean(score)"},
        {"upside_down": "mean(score < 1)"},
    ]
    found = scoring.audit({**TASK, "metrics": metrics}, given).to_json()
    tried = {one["scorer"]: {law["law"]: law["holds"] for law in one["laws"]} for one in found["scorers"]}
    for name in ("rate", "error", "upside_down"):
        assert {law for law, holds in tried[f"metric {name}"].items() if holds} >= {"reference", "empty", "order"}
