"""A spec is a metric of EvalScope, called by its own adapter and averaged by its own aggregation."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("evalscope")

from evalscope.api.benchmark.adapters.default_data_adapter import DefaultDataAdapter
from evalscope.api.evaluator.state import Target
from evalscope.api.metric import SampleScore
from evalscope.api.registry import get_aggregation

from scoring.extensions.hosts.modules.evalscope import NAME, spec_entry
from tests.extensions.hosts.harness_calls import rows_of
from tests.support.host_cases import CASES, host_case


@pytest.mark.parametrize("name", CASES)
def test_all_records(name: str, tmp_path: Path) -> None:
    case = host_case(name, tmp_path, "texts")
    case.check(case.scores)
    adapter = SimpleNamespace(metric_list=[spec_entry(case.spec, references_as="json")])
    samples = []
    with case.replaying():
        for one, row in zip(case.records, rows_of(case), strict=True):
            state = SimpleNamespace(target_reference=Target(row["answer"] or ""))
            score = DefaultDataAdapter.match_score(adapter, one.response, one.response, "", state)
            samples.append(SampleScore(score=score, sample_id=one.id))
    scores = {one.sample_id: one.score.value.get(NAME) for one in samples}
    [mean] = get_aggregation("mean")()(samples)
    case.check(scores, mean.score, ulps=5)  # it adds up plain floats: 5 units off for `landmark`
    assert mean.num == len([score for score in case.scores if score is not None])
    unscored = [one.score for one in samples if NAME not in one.score.value]
    assert all(one.metadata[NAME].startswith("error: unscored: ") for one in unscored)
