"""What a cache of judges holds is read however deep it is."""

from __future__ import annotations

from functools import partial

import pytest

from scoring.depth import DEEPEST
from scoring.extensions.judge.asking.cache import parse_stored_json as stored
from tests.property.test_depth import everywhere


@pytest.mark.parametrize("depth", [1, DEEPEST, 700, 5_000])
def test_what_a_cache_of_judges_holds_is_read_wherever_it_is_asked_for(depth: int) -> None:
    for text in ("[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth):
        found = everywhere(partial(stored, text))
        assert (found is None) == (depth == 5_000)
