"""autoevals' own `Scorer`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.result import MISSING
from tests.support.host_cases import CASES, HostRecord
from tests.support.platforms import Seen, check_case, check_outcomes

pytest.importorskip("autoevals")
pytestmark = pytest.mark.filterwarnings("ignore")  # those of the package are not ours


def run(spec: Any, records: Sequence[HostRecord]) -> Seen:
    """Evaluate by the scorer itself, one half of the records at once and the other awaited."""
    scorer = scoring.platforms.autoevals(spec, name="said")
    rows = []
    for place, one in enumerate(records):
        gold = None if one.reference is MISSING else one.reference
        if place % 2:
            said = asyncio.run(scorer.eval_async(output=one.response, expected=gold, input=dict(one.whole)))
        else:
            said = scorer(one.response, gold, input=dict(one.whole))
        assert said.name == "said"
        rows.append({**said.metadata, "value": said.score})
    return Seen(rows, None)


@pytest.mark.parametrize("name", CASES)
def test_every_record_is_that_of_scoring(name: str, tmp_path: Path) -> None:
    check_case(run, name, tmp_path)


def test_each_outcome_is_held_as_the_page_says() -> None:
    check_outcomes("autoevals", run)
