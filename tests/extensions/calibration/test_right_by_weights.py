"""What is right by a sum of weights is right for a ranking by confidence."""

from __future__ import annotations

import pytest

from tests.unit.api.test_ranges import figures_of_weights


def test_weights_that_make_one_in_decimals_make_it_in_scores() -> None:
    found = figures_of_weights('roc_auc(confidence="p")')
    # By hand: of the six pairs of one that is right and one that is wrong, four are in order.
    assert found['roc_auc(confidence="p")']["value"] == pytest.approx(4 / 6)
    assert found["pass_rate"]["value"] == found["accuracy"]["value"] == 0.4
