"""What is wrong with the arguments of a verb is told in a line."""

from __future__ import annotations

import pytest

import scoring


def test_no_parts_are_refused() -> None:
    with pytest.raises(scoring.InputError, match="no folder of parts is given"):
        scoring.runs.merge([])
