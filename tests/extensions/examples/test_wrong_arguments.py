"""What is wrong with the arguments of a verb is told in a line."""

from __future__ import annotations

import pytest

import scoring


def test_no_specs_to_test_are_refused() -> None:
    with pytest.raises(scoring.InputError, match="which specs"):
        scoring.test([])
