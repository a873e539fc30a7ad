"""What came by columns has the figures of a run over the same records; they merge and travel."""

from __future__ import annotations

import json
import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scoring
from scoring.errors import InputError
from scoring.runs import Totals

QUICKSTART = Path(__file__).parents[3] / "specs" / "quickstart"
INVOICES = QUICKSTART / "invoices.yaml"
RECORDS = [json.loads(line) for line in (QUICKSTART / "invoices.jsonl").read_text("utf-8").splitlines()]
TASK: dict[str, Any] = {
    "kind": "task",
    "name": "t",
    "record": {"weight": "w"},
    "score": "lower | levenshtein",
    "pass": "score > 0.5",
    "metrics": ["mean", "pass_rate", {"long": "mean(record.size)"}],
    "by": ["kind", "kind x lang"],
    "intervals": {"cluster": "doc"},
}


def parts(records: list[Any]) -> dict[str, Any]:
    return {
        "responses": [record.get("output", {}).get("text") for record in records],
        "references": [record.get("gold") for record in records],
        "ids": [record["id"] for record in records],
    }


def plain(summary: Mapping[str, Any]) -> str:
    return json.dumps(summary, sort_keys=True)


def record(number: int, said: str, kind: str | None, size: int) -> dict[str, Any]:
    more = {} if kind is None else {"kind": kind, "lang": kind * 2}
    return {"id": number, "response": said, "reference": "ab", "w": size + 1, "size": size, "doc": size % 3, **more}


rows = st.lists(
    st.builds(
        record, st.integers(0, 99), st.text("abc", max_size=3), st.sampled_from(["x", "y", None]), st.integers(0, 5)
    ),
    min_size=1,
    max_size=12,
).filter(lambda found: any("kind" in one for one in found))


def test_the_summary_is_that_of_a_run_over_the_records() -> None:
    task = scoring.load(INVOICES)
    run = task.evaluate(RECORDS)
    found = task.evaluate_columns(**parts(RECORDS), records=RECORDS)
    assert plain(found.summary) == plain(run.summary)
    assert [one.score for one in found.records] == [one.score for one in run.records]
    assert found.text() == run.text()


@settings(max_examples=25, deadline=None)
@given(rows, st.integers(0, 12), st.booleans())
def test_merged_figures_are_those_over_all_answers(records: list[dict[str, Any]], cut: int, turned: bool) -> None:
    records = [{**one, "id": place} for place, one in enumerate(records)]
    task = scoring.load(TASK)

    def totals(some: list[dict[str, Any]]) -> Totals:
        said, gold, ids = ([one[key] for one in some] for key in ("response", "reference", "id"))
        return task.score_columns(said, gold, ids=ids, records=some).summary()

    halves = [totals(some) for some in (records[:cut], records[cut:]) if some]
    halves = [Totals.from_bytes(task, one.to_bytes()) for one in halves]
    whole = halves[0] if len(halves) == 1 else halves[turned].merge(halves[not turned])
    assert plain(whole.to_json()) == plain(task.evaluate(records).summary)


def test_records_may_be_columns_or_a_table() -> None:
    task = scoring.load({**TASK, "record": {}, "intervals": {}})
    said, gold = ["ab", "b"], ["ab", "ab"]
    records = [{"kind": "x", "lang": "y", "size": 1}, {"kind": "z", "lang": "y", "size": 4}]
    columns = {name: [one[name] for one in records] for name in ("kind", "lang", "size")}
    wanted = plain(task.evaluate_columns(said, gold, records=records).summary)
    assert plain(task.evaluate_columns(said, gold, records=columns).summary) == wanted
    pandas = pytest.importorskip("pandas")
    assert plain(task.evaluate_columns(said, gold, records=pandas.DataFrame(columns)).summary) == wanted
    pyarrow = pytest.importorskip("pyarrow")
    assert plain(task.evaluate_columns(said, gold, records=pyarrow.table(columns)).summary) == wanted
    with pytest.raises(ValueError, match="2 responses do not go with 1 of `kind` in records"):
        task.score_columns(said, gold, records={"kind": ["x"]})


def test_breakdowns_that_no_answer_has_are_left_out_with_a_note() -> None:
    task = scoring.load(INVOICES)
    run, found = task.evaluate(RECORDS), task.evaluate_columns(**parts(RECORDS))
    assert found.metrics == run.metrics
    assert found.summary["metrics"] == run.summary["metrics"]
    assert found.summary["by"] == {}
    assert found.summary["inputs"]["empty_attributes"]["examples"] == ["doc_type", "languages[]"]
    some = task.evaluate_columns(**parts(RECORDS), records={"doc_type": [one.get("doc_type") for one in RECORDS]})
    assert list(some.summary["by"]) == ["doc_type"]
    assert some.summary["by"]["doc_type"] == run.summary["by"]["doc_type"]


@pytest.mark.parametrize(
    ("more", "lacks"),
    [
        ({"record": {"weight": "w"}}, "its weights (`w`)"),
        ({"intervals": {"cluster": "doc"}}, "the cluster of its intervals"),
        ({"intervals": {"strata": "kind"}}, "the strata of its intervals"),
    ],
)
def test_what_figures_rest_on_is_not_left_out(more: dict[str, Any], lacks: str) -> None:
    task = scoring.load({"kind": "task", "name": "t", "score": "equal", **more})
    with pytest.raises(InputError) as found:
        task.evaluate_columns(["a"], ["a"])
    assert str(found.value) == f"t reads {lacks} from records, and none has it: give it in `records=`"


def test_figures_of_a_worker_and_of_pickled_columns() -> None:
    task = scoring.load(TASK)
    records = [record(number, "ab" * number, "x", number) for number in range(3)]
    said, gold = [one["response"] for one in records], ["ab"] * 3
    columns = task.score_columns(said, gold, records=records)
    wanted = plain(columns.summary().to_json())
    assert plain(pickle.loads(pickle.dumps(columns)).summary().to_json()) == wanted
    with task.worker(seconds=30) as worker:
        assert plain(worker.score_columns(said, gold, records=records).summary().to_json()) == wanted


def test_no_answers() -> None:
    found = scoring.load({"kind": "task", "name": "t", "score": "equal"}).score_columns([], []).summary()
    assert (len(found), found.metrics) == (0, {"mean": None})


def test_bytes_need_not_be_trusted() -> None:
    task, other = (scoring.load({"kind": "task", "name": "t", "score": score}) for score in ("equal", "lower | equal"))
    one, two = (each.score_columns(["a"], ["a"]).summary() for each in (task, other))
    with pytest.raises(InputError, match="can't be merged: their scores mean different things"):
        one.merge(two)
    with pytest.raises(InputError, match="these figures are of a task that means something else than t"):
        Totals.from_bytes(task, two.to_bytes())
    good = json.loads(one.to_bytes())
    bad = [b"", b"\xff", b"[]", b"{}", b'{"form":"scoring columns 1"}', one.to_bytes()[:-9]]
    wrong: list[Any] = [None, [], {"whole": 1}]
    bad += [json.dumps({**good, key: value}).encode() for key in ("state", "report") for value in wrong]
    bad.append(json.dumps({**good, "state": {**good["state"], "whole": {"counts": {}, "figures": []}}}).encode())
    for data in bad:
        with pytest.raises(InputError):
            Totals.from_bytes(task, data).to_json()
