"""What is wrong with the arguments of a verb is told in a line."""

from __future__ import annotations

import pytest

import scoring


def test_a_kind_of_starter_that_there_is_not_is_refused() -> None:
    with pytest.raises(scoring.InputError, match="there are task, pack and suite"):
        scoring.specs.new("figure", "x.yaml")
