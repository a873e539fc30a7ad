"""A few hundred inputs of every target, of which nothing may be found. `python -m tests.fuzz` runs a million.

Hypothesis draws what a target asks its random numbers for, so that what fails is made small by it, and CI tries the
same inputs in each run.
"""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz import codec
from tests.fuzz.examine import examine
from tests.fuzz.target import Target
from tests.fuzz.targets import TARGETS

TOGETHER = 4
SECONDS = 30.0
"""The CPU time of one input here, where a tracer may look on; the long run allows a sixth of it."""


@pytest.mark.property
@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_nothing_is_found(target: Target) -> None:
    @settings(max_examples=target.short, suppress_health_check=list(HealthCheck))
    @given(st.randoms(use_true_random=False))
    def run(random: Random) -> None:
        setup = target.setup(random)
        inputs = [target.given(random, setup) for _ in range(min(TOGETHER, target.together))]
        found = examine(target, setup, inputs, SECONDS).found
        assert not found, _shown(target, setup, inputs, found[0])

    run()


def _shown(target: Target, setup: object, inputs: list[object], found: object) -> str:
    return f"{target.name}: {found}\nthe setup and its inputs: {codec.write([setup, inputs])[:4000]}"
