"""Interval settings of a spec, from the file to the summary."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from typing import Any

import pytest

import scoring
from scoring.diagnostics.diagnostic import SpecError

RECORDS: list[dict[str, Any]] = [
    {
        "id": place,
        "response": "a" if random.Random(place // 6).random() < 0.7 else "b",
        "reference": "a",
        "doc": {"name": f"d{place // 6}"},
        "kind": ["x", "y"][place % 2],
    }
    for place in range(90)
]


def task(**intervals: Any) -> scoring.Task:
    spec = {"kind": "task", "name": "t", "score": "equal", "metrics": ["mean", "accuracy", "quantile(q=0.5)"]}
    return scoring.load({**spec, "by": ["kind"], **({"intervals": intervals} if intervals else {})})


def figures(**intervals: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = task(**intervals).evaluate(RECORDS).summary["metrics"]
    return found


def width(metric: dict[str, Any]) -> float:
    low, high = metric["interval"]
    return float(high - low)


def test_without_settings_every_figure_has_its_own_method() -> None:
    assert [metric["method"] for metric in figures()] == ["wilson", "wilson", "ranks"]
    assert {metric["level"] for metric in figures()} == {0.95}


@pytest.mark.parametrize(
    ("method", "used"),
    [
        ("percentile", ["percentile", "percentile", "ranks"]),
        ("bca", ["bca", "bca", "ranks"]),
        ("clopper_pearson", ["clopper_pearson", "clopper_pearson", "ranks"]),
        ("wilson", ["wilson", "wilson", "ranks"]),
        ("normal", ["normal", "normal", "ranks"]),
    ],
)
def test_the_method_is_used_where_it_is_defined(method: str, used: list[str]) -> None:
    assert [metric["method"] for metric in figures(method=method)] == used


def test_a_lower_confidence_narrows_the_interval() -> None:
    wide, narrow = figures(confidence=0.99)[0], figures(confidence=0.5)[0]
    assert (wide["level"], narrow["level"]) == (0.99, 0.5)
    assert width(wide) > 2 * width(narrow)


def test_documents_are_drawn_as_a_whole() -> None:
    alone, together = figures(method="bca"), figures(method="bca", cluster="doc.name")
    assert [metric["value"] for metric in together] == [metric["value"] for metric in alone]
    assert width(together[0]) > 1.5 * width(alone[0])
    run = task(cluster="doc.name").evaluate(RECORDS)
    assert run.records[0].attributes == {"kind": "x", "doc.name": "d0"}
    assert run.summary["intervals"] == {"method": "auto", "confidence": 0.95, "resamples": 2000, "cluster": "doc.name"}


def test_records_without_ids_keep_their_clusters() -> None:
    nameless = [{key: value for key, value in record.items() if key != "id"} for record in RECORDS]
    found = task(method="bca", cluster="doc.name").evaluate(nameless).summary["metrics"]
    assert found == figures(method="bca", cluster="doc.name")


def test_a_cluster_that_no_record_has_is_found_before_anything_is_scored() -> None:
    with pytest.raises(scoring.SpecError, match=r"no record has `nothing`, which `cluster` names"):
        figures(method="bca", cluster="nothing")


def test_a_cluster_that_is_null_everywhere_draws_records() -> None:
    found = task(method="bca", cluster="nothing").evaluate([{**record, "nothing": None} for record in RECORDS])
    assert found.summary["metrics"][0]["interval"] == figures(method="bca")[0]["interval"]


def test_a_record_without_a_cluster_stands_alone() -> None:
    """They are not one cluster together: the interval is that of clusters of their own."""
    without = [{**record, "doc": {"name": None}} if place < 40 else record for place, record in enumerate(RECORDS)]
    own = [{**record, "doc": {"name": f"own{place}"}} if place < 40 else record for place, record in enumerate(RECORDS)]
    one = [{**record, "doc": {"name": "one"}} if place < 40 else record for place, record in enumerate(RECORDS)]
    found = [task(cluster="doc.name").evaluate(records).summary["metrics"][0] for records in (without, own, one)]
    assert found[0] == found[1]
    assert found[0]["interval"] != found[2]["interval"]


def test_right_and_wrong_have_the_interval_of_a_share_in_every_group() -> None:
    """4 of 4 right were [1, 1]; Wilson's interval by hand: 1 / (1 + z² / n) with z = 1.96."""
    records = [{"id": place, "response": "a", "reference": "a", "kind": "x"} for place in range(4)]
    for keep_records in (True, False):
        summary = task().evaluate(records, keep_records=keep_records).summary
        for metric in (summary["metrics"][0], summary["by"]["kind"][0]["metrics"][0]):
            assert metric["interval"] == pytest.approx([1 / (1 + 1.959964**2 / 4), 1.0], abs=1e-6)
            assert (metric["method"], metric["note"]) == ("wilson", "all alike, so it may cover more")


MACRO = {"macro": "mean(per(record.kind, mean(score)))"}


def within(records: list[dict[str, Any]] = RECORDS, **more: Any) -> Mapping[str, Any]:
    how = {"score": "equal", "metrics": [MACRO, "mean"], "intervals": {"strata": "kind"}, **more}
    return scoring.load({"kind": "task", "name": "t", **how}).evaluate(records).summary


def test_a_macro_over_fixed_groups_spreads_by_its_records() -> None:
    """Two groups drawn as units tell next to nothing; with 45 records each the error is √(Σ p (1 - p) / 44) / 2."""
    drawn, fixed = (within(intervals=how)["metrics"][0] for how in ({}, {"strata": "kind"}))
    assert drawn["value"] == fixed["value"]
    shares = [sum(one["response"] == "a" for one in RECORDS if one["kind"] == kind) / 45 for kind in "xy"]
    error = sum(share * (1 - share) / 44 for share in shares) ** 0.5 / 2
    assert width(fixed) == pytest.approx(2 * 1.96 * error, rel=0.05)
    assert width(drawn) > 2 * width(fixed)


def test_a_summary_names_its_strata_and_each_record_tells_its_own() -> None:
    run = task(strata="kind").evaluate(RECORDS)
    assert run.summary["intervals"]["strata"] == "kind"
    assert "strata" not in task().evaluate(RECORDS).summary["intervals"]
    assert run.records[1].attributes == {"kind": "y"}


def test_records_without_a_stratum_are_one() -> None:
    some = [{**one, "kind": None if one["kind"] == "y" else "x"} for one in RECORDS]
    assert within(some)["metrics"][1] == within()["metrics"][1]


def test_records_without_ids_keep_their_strata() -> None:
    nameless = [{key: value for key, value in record.items() if key != "id"} for record in RECORDS]
    assert within(nameless)["metrics"] == within()["metrics"]


def test_strata_that_no_record_has_are_found_before_anything_is_scored() -> None:
    with pytest.raises(scoring.SpecError, match=r"no record has `nothing`, which `strata` names"):
        figures(strata="nothing")


def test_a_figure_without_an_interval_within_strata_says_why() -> None:
    crossing = within(intervals={"strata": "kind", "cluster": "doc.name"})["metrics"]
    assert [one["interval"] for one in crossing] == [None, None]
    assert crossing[0]["note"] == (
        'no interval: the cluster "d0" is in the strata "x" and "y", so it can\'t be drawn within one; take another '
        "`cluster`, or `strata` that hold whole clusters"
    )
    alone = within([*RECORDS, {"response": "a", "reference": "a", "kind": "z" * 99}])["metrics"]
    assert alone[1]["note"] == (
        f'no interval: the stratum "{"z" * 59}… has a single unit, so its spread is unknown; join strata'
    )


@pytest.mark.parametrize("kind", ["images"])
def test_strata_are_of_records_alone(kind: str) -> None:
    records = {"kind": "suite", "name": "s", "tasks": []} if kind == "suite" else {"records": "detection", "name": "d"}
    with pytest.raises(SpecError, match=r"`intervals.strata` is not for .*"):
        scoring.load({**records, "intervals": {"strata": "kind"}})


def test_intervals_are_switched_off_and_every_figure_stays() -> None:
    plain, off = (task(**how).evaluate(RECORDS).summary for how in ({}, {"method": "none"}))
    for with_one, without in zip(
        [*plain["metrics"], *(one for group in plain["by"]["kind"] for one in group["metrics"])],
        [*off["metrics"], *(one for group in off["by"]["kind"] for one in group["metrics"])],
        strict=True,
    ):
        assert with_one["interval"] is not None
        assert without == {
            **{name: value for name, value in with_one.items() if name != "note"},
            "interval": None,
            "level": None,
            "method": None,
        }


def test_order_batches_and_processes_change_no_interval_within_strata() -> None:
    how = {"kind": "task", "name": "t", "score": "equal", "metrics": [MACRO, "mean", "quantile(q=0.5)"]}
    found = scoring.load({**how, "intervals": {"method": "bca", "resamples": 200, "strata": "kind"}})
    shuffled = random.Random(4).sample(RECORDS, len(RECORDS))
    assert json.dumps(found.evaluate(RECORDS).summary) == json.dumps(
        found.evaluate(shuffled, processes=3, batch_size=7).summary
    )


def test_order_batches_and_processes_change_no_figure() -> None:
    found = task(method="percentile", resamples=200, cluster="doc.name")
    shuffled = random.Random(4).sample(RECORDS, len(RECORDS))
    one = found.evaluate(RECORDS)
    other = found.evaluate(shuffled, processes=3, batch_size=7)
    assert json.dumps(one.summary) == json.dumps(other.summary)
    assert json.dumps(found.evaluate(RECORDS, seed=1).summary["metrics"]) != json.dumps(one.summary["metrics"])


@pytest.mark.parametrize(
    ("intervals", "finding"),
    [
        ({"method": "bayes"}, "unknown-value"),
        ({"confidence": 95}, "out-of-range"),
        ({"resamples": 10}, "out-of-range"),
        ({"resample": 1000}, "unknown-key"),
        ({"method": "wilson", "cluster": "doc"}, "bad-value"),
        ({"cluster": "doc["}, "bad-path"),
        ({"method": "clopper_pearson", "strata": "kind"}, "bad-value"),
        ({"strata": "kind["}, "bad-path"),
        ({"method": "none", "cluster": "doc"}, "bad-value"),
        ({"method": "none", "strata": "kind"}, "bad-value"),
        ({"method": "none", "resamples": 200}, "bad-value"),
    ],
)
def test_wrong_settings_are_found_before_a_record_is_read(intervals: dict[str, Any], finding: str) -> None:
    with pytest.raises(SpecError) as raised:
        task(**intervals)
    assert [found.id for found in raised.value.diagnostics] == [finding]
