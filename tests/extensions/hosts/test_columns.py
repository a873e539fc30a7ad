"""Answers given as columns: the results of single calls, to the bit, for random tasks and hostile records."""

from __future__ import annotations

from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from scoring import MISSING
from tests.language.test_chat import messages, task
from tests.property.test_single_calls import GROUPED_BY_A_MAP, records, specs, task_of, told


@settings(deadline=None)
@given(specs, st.lists(records, min_size=1, max_size=4))
@example(GROUPED_BY_A_MAP, [{"response": "", "reference": "", "kind": {"a": None}}])
def test_columns_have_the_results_of_their_records(spec: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    task = task_of(spec)
    parts = [(row.get("response"), row.get("reference", MISSING), row.get("context"), row.get("id")) for row in rows]
    responses, references, contexts, ids = (list(column) for column in zip(*parts, strict=True))
    columns = task.score_columns(responses, references, contexts=contexts, ids=ids, records=rows)
    for row, one in zip(rows, columns.results, strict=True):
        assert told(task.score(row)) == told(one)


def test_columns_and_a_worker_read_chat_messages_as_single_calls_do() -> None:
    answers, references = [messages("Paris"), "Rome"], ["Paris", "Rome"]
    assert task(score="equal").score_columns(answers, references).scores.tolist() == [1.0, 1.0]
    with task(score="equal").worker(seconds=20) as worker:
        assert worker.score_columns(answers, references).scores.tolist() == [1.0, 1.0]
