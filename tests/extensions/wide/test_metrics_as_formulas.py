"""Metrics that are formulas, in parts and with a state of sums."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import scoring
from tests.unit.compiler.test_metrics_as_formulas import FORMULAS, records, task


@pytest.mark.parametrize("more", [{}, {"intervals": {"cluster": "document"}}, {"by": ["flag"]}])
def test_parts_from_anywhere_give_the_figures_of_the_whole(tmp_path: Path, more: dict[str, Any]) -> None:
    given = [*records(90), {"id": "no score", "reference": "a", "edits": "x"}]
    for name, some in (("whole", given), ("p1", given[:20]), ("p2", given[20:])):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in some))
    spec = task(*FORMULAS, **more)
    whole = scoring.evaluate(spec, tmp_path / "whole.jsonl", output=tmp_path / "run")
    for number in (1, 2):
        scoring.evaluate(spec, tmp_path / f"p{number}.jsonl", parts=tmp_path / "parts", part=f"{number}/2")
    merged = scoring.runs.merge(tmp_path / "parts")
    assert merged.summary["metrics"] == whole.summary["metrics"]
    assert merged.summary["by"] == whole.summary["by"]
    assert scoring.runs.verify(tmp_path / "run").same


def test_sums_stay_small_and_say_what_they_left_out() -> None:
    given = [*records(2_000), {"id": "no score", "reference": "a", "edits": "x"}]
    spec = task({"perplexity": "exp(-sum(record.logprob) / sum(record.words))"}, {"wer": FORMULAS[0]["wer"]})
    exact, sums = (scoring.evaluate(spec, given, state=state).summary["metrics"] for state in ("exact", "sums"))
    for one, other in zip(exact, sums, strict=True):
        assert (one["value"], one["details"]) == (other["value"], other["details"])
        assert other["interval"] == pytest.approx(one["interval"], rel=0.05)
