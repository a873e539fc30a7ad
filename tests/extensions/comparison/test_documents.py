"""What a comparison shows of the figures of its runs."""

from __future__ import annotations

from pathlib import Path

import scoring
from tests.extensions.figures.test_groups import RECORDS as SAMPLES
from tests.extensions.figures.test_groups import SPEC, record
from tests.unit.api.test_ranges import RECORDS, RIGHT, TWO


def test_a_comparison_draws_its_bars_on_the_scale_of_the_runs(tmp_path: Path) -> None:
    for name in ("one", "two"):
        scoring.evaluate(TWO, [*RECORDS, {"id": 9, "response": {"a": name, "b": 1}, "reference": RIGHT}]).write(
            tmp_path / name
        )
    page = scoring.compare(tmp_path / "one", tmp_path / "two").text("html")
    assert 'width="50.0"' in page  # a mean of 2.5 of 3, of 60 pixels


def test_a_comparison_says_what_figures_of_groups_rest_on(tmp_path: Path) -> None:
    better = [*SAMPLES[:2], record(2, "a"), record(2, "a"), record(3, None)]
    for name, records in (("one", SAMPLES), ("two", better)):
        keyed = [{**one, "id": f"{place}", "question": one["id"]} for place, one in enumerate(records)]
        spec = {**SPEC, "metrics": ["mean", 'pass_at_k(k=2, question="question")']}
        scoring.evaluate(spec, keyed).write(tmp_path / name)
    found = scoring.compare(tmp_path / "one", tmp_path / "two")
    assert "1 of 3 groups, 2 records" in found.text()
    assert "2 of 3 groups, 4 records" in found.text()
    (figure,) = found.to_json()["groups"]
    assert figure["second"]["details"] == {
        "groups": 3,
        "left_out": 1,
        "samples": 4,
        "not_counted": 1,
        "why_not": {"no score": 1},
    }
