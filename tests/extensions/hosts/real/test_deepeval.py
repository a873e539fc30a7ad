"""DeepEval's own `evaluate` and `assert_test`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.result import MISSING
from tests.support.host_cases import CASES, HostRecord
from tests.support.platforms import Seen, check_case, check_outcomes

pytest.importorskip("deepeval")
pytestmark = pytest.mark.filterwarnings("ignore")  # those of the package are not ours


@pytest.fixture(autouse=True)
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package writes into the working folder, and tells its makers of its use."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DEEPEVAL_TELEMETRY_OPT_OUT", "YES")


def run(spec: Any, records: Sequence[HostRecord]) -> Seen:
    """Evaluate by `deepeval.evaluate`; only texts can be in a test case."""
    from deepeval import evaluate
    from deepeval.evaluate.configs import AsyncConfig, CacheConfig, DisplayConfig
    from deepeval.test_case import LLMTestCase

    cases = [
        LLMTestCase(
            name=one.id,
            input="What do you see?",
            actual_output=one.response,
            expected_output=None if one.reference is MISSING else one.reference,
            metadata=dict(one.whole),
        )
        for one in records
    ]
    found = evaluate(
        cases,
        [scoring.platforms.deepeval(spec, name="said", references_as="json")],
        async_config=AsyncConfig(run_async=True),
        display_config=DisplayConfig(print_results=False, show_indicator=False),
        cache_config=CacheConfig(write_cache=False),
    )
    rows: dict[str, dict[str, Any]] = {}
    for result in found.test_results:
        (said,) = result.metrics_data or [None]
        rows[result.name] = {"value": None} if said is None else _told(said)
    return Seen([rows[one.id] for one in records], None)


def _told(said: Any) -> dict[str, Any]:
    status, _, reason = (said.error or "").partition(": ")
    if status:
        return {"value": said.score, "status": status, "reason": reason}
    return {"value": said.score, "reason": said.reason, "passed": said.success}


@pytest.mark.parametrize("name", CASES)
def test_every_record_is_that_of_scoring(name: str, tmp_path: Path) -> None:
    check_case(run, name, tmp_path, "texts", as_json=True)


def test_each_outcome_is_held_as_the_page_says() -> None:
    check_outcomes("deepeval", run, as_json=True)


def test_an_assertion_fails_with_the_reason() -> None:
    from deepeval import assert_test
    from deepeval.test_case import LLMTestCase

    metric = scoring.platforms.deepeval(
        {"kind": "task", "name": "n", "parse": "number", "score": "equal"}, references_as="json"
    )
    assert_test(LLMTestCase(input="", actual_output="3", expected_output="3"), [metric])
    for said, reason in (("4", "score: 0.0"), ("none", "unparsed: not a number"), (None, "unscored: the record has")):
        with pytest.raises(AssertionError, match=reason):
            assert_test(LLMTestCase(input="", actual_output=said, expected_output="3"), [metric])
