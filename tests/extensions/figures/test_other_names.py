"""Metrics are found by the other names that they have."""

from __future__ import annotations

import pytest

import scoring


def test_where_a_metric_is_wanted_its_other_names_go_first() -> None:
    for written, meant in {"f1 score": "f1", "auroc": "roc_auc", "mcc": "matthews"}.items():
        spec = {"kind": "task", "name": "t", "score": "equal", "metrics": [written.replace(" ", "_")]}
        with pytest.raises(scoring.SpecError) as caught:
            scoring.load(spec)
        assert f"did you mean `{meant}`?" in caught.value.diagnostics[0].primary.text
