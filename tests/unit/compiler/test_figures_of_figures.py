"""Figures that name other figures, and figures over several groupings of the records."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pytest

import scoring
from scoring.diagnostics.diagnostic import SpecError
from tests.unit.compiler.test_metrics_as_formulas import records, task

COUNTS = [{"id": 0, "a": 1, "b": 4}, {"id": 1, "a": 3, "b": 4}, {"id": 2, "b": 9}, {"id": 3, "a": 2}]
GIVEN = [{"response": "x", "reference": "x", **one} for one in COUNTS]


def figures(metrics: dict[str, str], given: list[dict[str, Any]], **more: Any) -> dict[str, dict[str, Any]]:
    run = scoring.evaluate(task(*({name: formula} for name, formula in metrics.items())), given, **more)
    return {one["metric"]: one for one in run.summary["metrics"]}


def values(metrics: dict[str, str], given: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return {name: one["value"] for name, one in figures(metrics, given, **more).items()}


def test_a_figure_of_figures_is_that_of_the_figures_that_stand_beside_it() -> None:
    # Record 2 has no `a` and record 3 no `b`: each counts in the other figure alone.
    found = values({"both": "mean(first, second)", "first": "mean(record.a)", "second": "sum(record.b)"}, GIVEN)
    assert found == {"first": 2.0, "second": 17.0, "both": 9.5}
    # In one formula a record counts with all that is asked for, or not at all.
    assert values({"both": "mean(mean(record.a), sum(record.b))"}, GIVEN) == {"both": 5.0}


def test_a_figure_may_be_named_more_than_once_and_by_what_is_named() -> None:
    metrics = {"y": "x * x + 1", "x": "2 * w", "w": "mean(record.a)", "two words": 'w + "x"', "z": '"two words" - w'}
    assert values(metrics, GIVEN) == {"y": 17.0, "x": 4.0, "w": 2.0, "two words": 6.0, "z": 4.0}


def test_a_figure_of_figures_has_the_interval_of_the_formula_written_out() -> None:
    given = records(300)
    named = figures({"it": "a / b", "a": "sum(record.edits)", "b": "sum(record.words)"}, given)["it"]
    written = figures({"it": "sum(record.edits) / sum(record.words)"}, given)["it"]
    assert (named["value"], named["better"]) == (written["value"], written["better"])
    assert named["interval"] == pytest.approx(written["interval"], abs=0.02)


def test_figures_of_one_grouping_are_drawn_by_its_groups() -> None:
    given = records(400)
    for one in given[::7]:
        del one["edits"]
    for one in given:
        if one["document"] == 1:
            del one["words"]
    metrics = {
        "apart": "least - most",
        "least": "mean(per(record.document, min(record.edits)))",
        "most": "mean(per(record.document, max(record.words)))",
    }
    found = figures(metrics, given)
    assert found["apart"]["value"] == found["least"]["value"] - found["most"]["value"]
    assert found["apart"]["units"] == 4
    assert values(metrics, given, processes=2) == values(metrics, given[::-1])


def entropy(labels: list[Any]) -> float:
    counts = Counter(labels)
    return -math.fsum(count / len(labels) * math.log(count / len(labels)) for count in counts.values())


V_MEASURE = {
    "v": "2 * homogeneity * completeness / (homogeneity + completeness)",
    "homogeneity": "1 - (by_document - both) / (log(count()) * count() - by_vote)",
    "completeness": "1 - (by_vote - both) / (log(count()) * count() - by_document)",
    "by_document": "sum(per(record.document, count() * log(count())))",
    "by_vote": "sum(per(record.vote, count() * log(count())))",
    "both": "sum(per([record.document, record.vote], count() * log(count())))",
}


def test_v_measure_of_two_groupings_is_that_of_its_definition_without_an_interval() -> None:
    given = records(200, seed=5)
    pairs = [(one["document"], one["vote"]) for one in given]
    documents, votes = ([one[side] for one in pairs] for side in (0, 1))
    homogeneity = 1 - (entropy(pairs) - entropy(documents)) / entropy(votes)
    completeness = 1 - (entropy(pairs) - entropy(votes)) / entropy(documents)
    wanted = 2 * homogeneity * completeness / (homogeneity + completeness)
    found = figures(V_MEASURE, given)["v"]
    assert found["value"] == pytest.approx(wanted, abs=1e-12)
    assert (found["interval"], found["note"]) == (None, "no interval: a figure over several groupings has none")
    # Any order and number of processes give the same bits, also where records go in clusters.
    whole = values(V_MEASURE, given)
    assert values(V_MEASURE, given[::-1]) == whole
    assert values(V_MEASURE, given, processes=2) == whole
    clustered = task({"v": V_MEASURE["v"]}, *({k: v} for k, v in V_MEASURE.items() if k != "v"), intervals=CLUSTERED)
    assert scoring.evaluate(clustered, given).summary["metrics"][0]["value"] == found["value"]


CLUSTERED = {"cluster": "figure"}


@pytest.mark.parametrize(
    ("metrics", "message"),
    [
        ({"a": "2 * b", "b": "a + 1"}, "`a` is defined by itself: `a` -> `b` -> `a`"),
        ({"a": "a + mean(score)"}, "`a` is defined by itself: `a` -> `a`"),
        ({"a": "2 * b", "b": "accuracy"}, "`b` is a metric that is called, and a formula names other formulas alone"),
        (
            {"a": "mean(per(record.figure, b))", "b": "mean(score)"},
            "`b` is a figure of all records, and here is a group",
        ),
        ({"a": "2 * c", "b": "mean(score)"}, "there is no figure `c`"),
        ({"a": "2 * answer", "b": "mean(score)"}, "`answer` is of each record, and this figure is of many"),
    ],
)
def test_what_can_not_be_named_is_refused(metrics: dict[str, str], message: str) -> None:
    with pytest.raises(SpecError) as refused:
        task(*({name: formula} for name, formula in metrics.items()))
    assert message in [one.message for one in refused.value.diagnostics]


def test_figures_that_double_are_refused_in_few_steps() -> None:
    doubled = {f"f{n}": f"f{n - 1} * f{n - 1}" for n in range(1, 60)}
    with pytest.raises(SpecError, match="with the figures that it names, this has more than 200 operations"):
        task(*({name: formula} for name, formula in {"f0": "mean(score)", **doubled}.items()))
