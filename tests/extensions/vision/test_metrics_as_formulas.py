"""A data set has no formulas over records."""

from __future__ import annotations

import pytest

import scoring


def test_data_sets_of_images_have_names_and_no_formulas() -> None:
    with pytest.raises(scoring.SpecError, match="a formula over records, and this task has none"):
        scoring.load({"kind": "task", "name": "t", "records": "detection", "metrics": [{"it": "mean(score)"}]})
