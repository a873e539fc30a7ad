"""Whole queries under megabench-upstream: the parse stage, every field, the query's score, as the released code."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

from scoring.compiler.tasks.compile import compile_task
from scoring.diagnostics.diagnostic import SpecError
from scoring.format.load import Loader
from scoring.result import Outcome, RecordResult
from tests.support.golden import decode, read_jsonl, require_golden

ROWS, STOPPED = 468, 23
# Names that the released code does not know, and stops at; here the task is refused before it runs.
REFUSED = {
    "nothing is called `mega.max`": 2,
    "nothing is called `mega.no_such_metric`": 1,
    "nothing is called `mega.odd_one_out_response`": 1,
}


@cache
def rows() -> list[dict[str, Any]]:
    return list(read_jsonl(require_golden("megabench/end_to_end.jsonl")))


def score(row: dict[str, Any], loader: Loader) -> RecordResult:
    task, _ = compile_task(loader.data(row["metrics"], "query"), loader)
    record = {key: decode(row.get(key)) for key in ("response", "reference", "eval_context")}
    return task.score({"id": 1, **record})


def printed(outcome: Outcome) -> Any:
    """The number that the released code prints: -1 where there is nothing to score."""
    return -1 if outcome.status == "not_applicable" else outcome.value


def agree(ours: Any, theirs: Any) -> bool:
    if ours is None or theirs is None:
        return False
    both_nan = ours != ours and theirs != theirs
    return bool(both_nan or abs(ours - theirs) <= 1e-9)


def test_every_query_that_the_released_code_survives() -> None:
    loader = Loader(dialect="megabench-upstream")
    compared = 0
    for row in rows():
        if row.get("error"):
            continue
        compared += 1
        result = score(row, loader)
        assert agree(printed(result.outcome), decode(row["query_score"])), row
        assert row["fields"].keys() <= result.fields.keys()
        for name, wanted in row["fields"].items():
            assert agree(printed(result.fields[name].outcome), decode(wanted)), (name, row)
        assert (result.unparsed_reason is None) == row.get("parsed_ok", True), row
    assert compared == ROWS - STOPPED


def test_what_stops_the_released_code_stops_nothing_here() -> None:
    loader = Loader(dialect="megabench-upstream")
    refused: Counter[str] = Counter()
    outcomes: Counter[str] = Counter()
    for row in rows():
        if not row.get("error"):
            continue
        try:
            outcomes[score(row, loader).status] += 1
        except SpecError as error:
            refused.update(found.message for found in error.diagnostics)
    assert refused == REFUSED
    assert outcomes == {"scored": 9, "unscored": 10}
