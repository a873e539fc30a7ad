"""What is told of a quirk that is named without its namespace."""

from __future__ import annotations

import pytest

from scoring.diagnostics.suggest import nearest
from scoring.registry import registry


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("boxed_number", "megabench_upstream/boxed_number"),
        ("megabench_upstream_boxed_number", "megabench_upstream/boxed_number"),
        ("short_answer", "mmesgbench/short_answer"),
        ("coco_statistics", "coco/statistics"),
        ("odd_one_out", "megabench/odd_one_out"),
        ("exact_match", "equal"),
    ],
)
def test_a_name_without_its_namespace_leads_to_it(written: str, meant: str) -> None:
    also = {**registry.other_names("metrics"), **registry.other_names("steps")}
    assert nearest(written, registry.names(), also) == meant
