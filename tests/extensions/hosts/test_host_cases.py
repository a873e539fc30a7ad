"""The cases by which adapters are held to `scoring score` have what they should, and fail what differs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import get_args

import pytest

import scoring
from tests.support.host_cases import CASES, SIZE, Answers, host_case


@pytest.mark.parametrize("answers", get_args(Answers))
@pytest.mark.parametrize("name", CASES)
def test_parts_score_as_the_command_does(name: str, answers: Answers, tmp_path: Path) -> None:
    case = host_case(name, tmp_path, answers)
    assert len(case.records) == SIZE
    task = scoring.load(case.spec)
    with case.replaying():
        found = task.score_columns([one.response for one in case.records], [one.reference for one in case.records])
        run = task.evaluate([one.whole for one in case.records])
    case.check(found.scores.tolist(), run.summary["metrics"][0]["value"], signature=task.signature)
    kinds = Counter(line["status"] for line in case.lines)
    assert kinds["scored"] > SIZE / 2
    assert kinds["unscored"] >= 3, kinds
    assert name != "invoices" or kinds["unparsed"] >= 20
    assert 0.2 < case.headline < 0.9


def test_a_record_that_differs_is_found(tmp_path: Path) -> None:
    case = host_case("landmark", tmp_path)
    scores = dict(zip((one.id for one in case.records), case.scores, strict=True))
    scores["landmark-002"] = 0.25
    with pytest.raises(AssertionError, match="1 of 200 records differ"):
        case.check(scores)
    with pytest.raises(AssertionError):
        case.check(case.scores, case.headline + 1e-15)
