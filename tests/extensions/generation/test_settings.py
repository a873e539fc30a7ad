"""Settings of what compares texts have their types."""

from __future__ import annotations

import pytest

from tests.unit.compiler.test_findings import marked, one


@pytest.mark.parametrize("weights", ['[0.5, "x"]', "[0.5, [0.5]]", '[1, 1, 1, 1, 1, 1, 1, 1, 1, "x"]'])
def test_every_item_of_a_setting_has_its_type(weights: str) -> None:
    found = one(f"score: bleu(weights={weights})")
    assert (found.id, marked(found)) == ("argument-type", weights)
