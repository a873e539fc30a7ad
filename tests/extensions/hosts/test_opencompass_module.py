"""A spec scores what OpenCompass hands to an evaluator, as `scoring score` does."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoring.extensions.hosts.modules.opencompass import SpecEvaluator
from tests.extensions.hosts.harness_calls import rows_of
from tests.support.host_cases import CASES, host_case


@pytest.mark.parametrize("name", CASES)
def test_all_records(name: str, tmp_path: Path) -> None:
    case = host_case(name, tmp_path, "texts")
    case.check(case.scores)
    rows = rows_of(case)
    columns = {"predictions": [one.response for one in case.records], "references": [row["answer"] for row in rows]}
    with case.replaying():
        evaluator = SpecEvaluator(str(case.spec), references_as="json")
        found = evaluator.evaluate(1, 1, rows, **columns, test_set=rows)
    details = found["details"]
    case.check([one["score"] for one in details], found["mean"], signature="meaning:" + details[0]["meaning"])
    assert [one["status"] for one in details] == [line["status"] for line in case.lines]
    assert [one["reason"] for one in details] == [line.get("reason") for line in case.lines]


def test_reference_of_the_row(tmp_path: Path) -> None:
    case = host_case("landmark", tmp_path, "texts")
    one = case.records[0]
    found = SpecEvaluator(str(case.spec)).score([one.response], None, [dict(one.whole)])
    assert found["details"][0]["score"] == case.scores[0]
