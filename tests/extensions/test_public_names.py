"""Every public name, those of extensions too, is there and says what it is."""

from __future__ import annotations

import pytest

import scoring


def test_every_public_name_is_there_and_says_what_it_is() -> None:
    from scoring import api

    for name in scoring.__all__:
        assert getattr(scoring, name).__doc__, name
    assert {name for name in dir(api) if not getattr(api, name).__doc__} == set()
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = scoring.nothing
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = api.nothing
