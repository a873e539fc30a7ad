"""Formulas over the items of lists in the records: what they come to, what they rest on, what is said of mistakes."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import scoring
from scoring.cli.main import main
from scoring.extensions.figures.items import ItemGroups
from scoring.statistics.rows import Rows

TASK = {"kind": "task", "name": "t", "version": "1.0.0", "score": "equal", "pass": "score >= 0.5"}
LABELS = "abcdefg"
F1 = "2 * sum(item.hit) / (sum(item.gold) + sum(item.predicted))"
MACRO = f"items(record.labels, mean(per(item.label, {F1})))"
FORMULAS = {
    "macro": MACRO,
    "micro": f"items(record.labels, {F1})",
    "score_of_items": "items(record.labels, mean(score * item.weight))",
    "share": "items(record.labels, count(item.hit) / count())",
    "by_document": "mean(per(record.document, items(record.labels, mean(item.hit))))",
    "macro_by_document": f"mean(per(record.document, {MACRO}))",
    "two_keys": "items(record.labels, mean(per([record.document, item.label], sum(item.weight) / count())))",
    "groups_in_groups": "items(record.labels, mean(per(item.label, mean(per(record.document, sum(item.weight))))))",
    "both": f"mean(score) + {MACRO} - items(record.numbers, sum(item)) / count()",
    "greatest": "items(record.labels, max(item.weight) - min(item.weight))",
    "least_of_labels": "items(record.labels, mean(per(item.label, min(item.weight))))",
    "vote": "items(record.labels, mean(per(item.label, majority(item.gold, item.weight))))",
    "several_groupings": f"{MACRO} / mean(per(record.document, mean(score)))",
}


def task(*metrics: Any, **more: Any) -> scoring.Task:
    return scoring.load({**TASK, "metrics": list(metrics), **more})


def records(count: int = 60, seed: int = 1) -> list[dict[str, Any]]:
    source = random.Random(seed)
    return [record(source, place) for place in range(count)]


def record(source: random.Random, place: int) -> dict[str, Any]:
    gold = {label for label in LABELS if source.random() < 0.3}
    predicted = {label for label in LABELS if (label in gold) == (source.random() < 0.8)}
    items = [
        {
            "label": label,
            "gold": label in gold,
            "predicted": label in predicted,
            "hit": label in gold & predicted,
            "weight": source.random() * 10 ** source.randrange(-6, 6),
        }
        for label in sorted(gold | predicted)
    ]
    return {
        "id": place,
        "response": source.choice("ab"),
        "reference": source.choice("ab"),
        "document": place % 5,
        "labels": items,
        "numbers": [source.random() for _ in range(source.randrange(4))],
    }


def figure(formula: str, given: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    found: dict[str, Any] = scoring.evaluate(task({"it": formula}, **more), given).summary["metrics"][0]
    return found


def value(formula: str, given: list[dict[str, Any]], **more: Any) -> Any:
    return figure(formula, given, **more)["value"]


def table(given: list[dict[str, Any]], side: str) -> Any:
    chosen = [{one["label"] for one in record["labels"] if one[side]} for record in given]
    return np.array([[label in labels for label in LABELS] for labels in chosen])


def f1_of(gold: Any, predicted: Any) -> list[float]:
    """The F1 of each label that occurs, of tables with a line for each record and a column for each label."""
    counts = [(one & other).sum() for one, other in zip(gold.T, predicted.T, strict=True)]
    sizes = gold.sum(axis=0) + predicted.sum(axis=0)
    return [2 * hits / size for hits, size in zip(counts, sizes, strict=True) if size]


# ---- what they come to


@pytest.mark.parametrize("average", ["macro", "micro"])
def test_f1_of_records_with_several_labels_is_that_of_sklearn(average: str) -> None:
    f1_score = pytest.importorskip("sklearn.metrics").f1_score
    rows = records(80)
    wanted = f1_score(table(rows, "gold"), table(rows, "predicted"), average=average)
    assert value(FORMULAS[average], rows) == pytest.approx(wanted, abs=1e-12)


def test_macro_f1_is_the_mean_of_the_labels() -> None:
    rows = records(80)
    assert value(MACRO, rows) == pytest.approx(np.mean(f1_of(table(rows, "gold"), table(rows, "predicted"))), abs=1e-15)


def test_sums_over_items_are_exact() -> None:
    rows = records(100)
    items = [item for one in rows for item in one["labels"]]
    assert value("items(record.labels, sum(item.weight))", rows) == math.fsum(one["weight"] for one in items)
    assert value("items(record.labels, mean(item.weight))", rows) == (
        math.fsum(one["weight"] for one in items) / len(items)
    )
    assert value("items(record.labels, max(item.weight))", rows) == max(one["weight"] for one in items)
    assert value("items(record.labels, count()) / count()", rows) == len(items) / len(rows)


def test_an_item_may_be_a_number_or_a_text() -> None:
    rows = records(30)
    assert value("items(record.numbers, sum(item))", rows) == math.fsum(x for one in rows for x in one["numbers"])
    for one in rows:
        one["names"] = [item["label"] for item in one["labels"]]
    assert value("items(record.names, count(per(item, count())))", rows) == len(LABELS)
    assert value('items(record.names, count(item == "a"))', rows) == sum("a" in one["names"] for one in rows)


def test_what_an_item_does_not_say_is_that_of_its_record() -> None:
    rows = records(30)
    right = [float(one["response"] == one["reference"]) for one in rows]
    sizes = [len(one["labels"]) for one in rows]
    wanted = math.fsum(a * b for a, b in zip(right, sizes, strict=True)) / sum(sizes)
    assert value("items(record.labels, mean(score))", rows) == pytest.approx(wanted, abs=1e-15)
    assert value("items(record.labels, mean(passed))", rows) == pytest.approx(wanted, abs=1e-15)
    documents = sum(one["document"] * len(one["labels"]) for one in rows)
    assert value("items(record.labels, sum(record.document))", rows) == documents


def test_a_key_of_the_record_called_item_is_another_column() -> None:
    rows = [{**one, "item": {"weight": 1}} for one in records(5)]
    found = value("items(record.labels, sum(item.weight) + sum(record.item.weight))", rows)
    items = [item for one in rows for item in one["labels"]]
    assert found == math.fsum(one["weight"] for one in items) + len(items)


def test_items_of_a_value_and_of_the_answer() -> None:
    rows = [{"response": json.dumps({"n": [1, 2, place]}), "reference": {"n": 0}} for place in range(4)]
    spec = {"kind": "task", "name": "t", "version": "1.0.0", "parse": "json", "fields": {"n": "equal"}}
    metrics = [{"it": "items(parsed.n, sum(item))"}, {"of_value": "items(ns, sum(item))"}]
    more = {"values": {"ns": "parsed.n"}, "metrics": metrics}
    assert scoring.evaluate({**spec, **more}, rows).metrics == {"it": 18.0, "of_value": 18.0}


def test_groups_of_records_hold_items_and_groups_of_items() -> None:
    rows = records(50)
    means = []
    for document in range(5):
        mine = [one for one in rows if one["document"] == document]
        means.append(value(MACRO, mine))
    found = figure(FORMULAS["macro_by_document"], rows)
    assert found["value"] == pytest.approx(math.fsum(means) / 5, abs=1e-15)
    assert found["units"] == 5  # the documents are drawn


# ---- what does not count


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (None, "no `record.labels`"),
        ("abc", "`record.labels` is not a list"),
        ({"label": "a"}, "`record.labels` is not a list"),
        ([{"label": "a", "gold": True, "predicted": True}], "no `item.hit`"),
        ([{"label": "a", "gold": True, "predicted": "yes", "hit": 1}], "`item.predicted` is not a number"),
        ([{"gold": True, "predicted": True, "hit": True}], "no `item.label`"),
        ([{"label": "z", "gold": True, "predicted": True, "hit": True}, None], "no `item.hit`"),
        (["text"], "no `item.hit`"),
    ],
)
def test_a_record_whose_list_can_not_be_read_is_left_out_and_told(bad: Any, why: str) -> None:
    rows = records()
    wanted = figure(MACRO, rows[1:])
    rows[0]["labels"] = bad
    found = figure(MACRO, rows)
    assert found["value"] == wanted["value"]
    assert found["interval"] == wanted["interval"]
    assert found["details"] == {"groups": len(LABELS), "not_counted": 1, "why_not": {why: 1}}


def test_a_record_left_out_of_its_items_is_left_out_of_the_whole_formula() -> None:
    rows = records()
    wanted = value("sum(record.document) + items(record.numbers, sum(item))", rows[1:])
    rows[0]["numbers"] = [1.0, "x"]
    found = figure("sum(record.document) + items(record.numbers, sum(item))", rows)
    assert (found["value"], found["details"]["not_counted"]) == (wanted, 1)


def test_an_empty_list_adds_nothing_and_its_record_counts() -> None:
    rows = records(40)
    for formula in (MACRO, FORMULAS["micro"], FORMULAS["greatest"]):
        found, more = figure(formula, rows), figure(formula, [*rows, {**rows[0], "id": 99, "labels": []}])
        assert more["value"] == found["value"]
        assert more["units"] == found["units"] + 1
        assert "not_counted" not in more["details"] if "details" in more else True


def test_figures_over_no_item_have_no_value() -> None:
    rows = [{**one, "labels": []} for one in records(20)]
    for formula in (MACRO, FORMULAS["micro"], FORMULAS["greatest"]):
        found = figure(formula, rows)
        assert (found["value"], found["units"]) == (None, 20)
        assert found["reason"]


def test_a_column_that_no_record_has_is_found_before_the_run_and_one_that_no_item_has_after_it() -> None:
    with pytest.raises(scoring.SpecError, match="no record has `slots`, which the metric `it` reads"):
        figure("items(record.slots, mean(item.hit))", records())
    rows = [{**one, "labels": one["labels"] or [{}]} for one in records(20)]
    found = figure("items(record.labels, mean(item.hits))", rows)
    assert found["value"] is None
    assert found["reason"] == "no record counts: no `item.hits` (20)"


def test_scores_that_lack_bound_a_figure_over_items() -> None:
    rows = [*records(20), {"id": "x", "reference": "a", "labels": [{"weight": 1.0}], "numbers": []}]
    found = figure("items(record.labels, mean(score))", rows)
    assert found["bounds"][0] < found["value"] < found["bounds"][1]
    assert found["details"] == {"not_counted": 1, "why_not": {"no score": 1}}
    assert figure("items(record.labels, sum(score) / count())", rows).get("range") is None  # 0 to 1


def test_a_sum_over_items_per_record_has_no_range() -> None:
    assert figure("items(record.labels, sum(score)) / count()", records(20))["range"] == [0, None]


# ---- what is drawn


def test_a_ratio_over_items_has_the_interval_of_the_ratio_over_records() -> None:
    rows = records(100)
    for one in rows:
        one["hits"], one["size"] = sum(item["hit"] for item in one["labels"]), len(one["labels"])
    for more in ({}, {"intervals": {"cluster": "document"}}):
        items = figure("items(record.labels, sum(item.hit) / count())", rows, **more)
        whole = figure("sum(record.hits) / sum(record.size)", rows, **more)
        assert items["value"] == whole["value"]
        if not more:
            assert items["units"] == whole["units"] == 100


def statistic(formula: str, rows: list[dict[str, Any]]) -> Any:
    (metric,) = task({"it": formula}).metrics
    return metric(Rows.of_scores([1.0] * len(rows), labels=[one["labels"] for one in rows]))


def test_a_drawn_record_brings_all_of_its_items() -> None:
    rows, source = records(30), np.random.default_rng(3)
    found = statistic(MACRO, rows)
    assert isinstance(found, ItemGroups)
    counts = source.multinomial(30, np.full(30, 1 / 30), size=40)
    values = found.of_counts(found.units, counts)
    for line, drawn in zip(counts, values, strict=True):
        chosen = np.repeat(np.arange(30), line)
        gold, predicted = (table(rows, side)[chosen] for side in ("gold", "predicted"))
        assert drawn == pytest.approx(np.mean(f1_of(gold, predicted)), abs=1e-12)


@pytest.mark.parametrize("name", ["macro", "two_keys", "groups_in_groups"])
def test_draws_of_every_record_once_give_the_value(name: str) -> None:
    rows = records(30)
    (metric,) = task({"it": FORMULAS[name]}).metrics
    columns = {name: [one[name] for one in rows] for name in ("labels", "document")}
    found = metric(Rows.of_scores([1.0] * 30, **columns))
    (once,) = found.of_counts(found.units, np.ones((1, 30)))
    assert once == pytest.approx(found.value(), rel=1e-12)
    kinds, counts = found.kinds()
    (again,) = found.of_counts(kinds, counts[None])
    assert again == pytest.approx(found.value(), rel=1e-12)


@pytest.mark.parametrize(
    ("name", "note"),
    [
        ("greatest", "no interval: an extreme has none"),
        ("least_of_labels", "no interval: an extreme has none"),
        ("vote", "no interval: a majority of items has none"),
        ("several_groupings", "no interval: a figure over several groupings has none"),
    ],
)
def test_a_figure_without_an_interval_says_why(name: str, note: str) -> None:
    found = figure(FORMULAS[name], records())
    assert found["value"] is not None
    assert (found["interval"], found["note"]) == (None, note)


def test_an_interval_of_clusters_is_wider_where_records_of_one_are_alike() -> None:
    rows = [{**one, "id": f"{one['id']}.{n}", "document": one["id"]} for one in records(40) for n in range(4)]
    alone, whole = (figure(MACRO, rows, **more) for more in ({}, {"intervals": {"cluster": "document"}}))
    assert alone["value"] == whole["value"]
    widths = [one["interval"][1] - one["interval"][0] for one in (alone, whole)]
    assert widths[1] > 1.5 * widths[0]


# ---- the same bits everywhere


@pytest.mark.parametrize("more", [{}, {"intervals": {"cluster": "document"}}, {"intervals": {"strata": "document"}}])
def test_any_order_and_number_of_processes_give_the_same_bits(more: dict[str, Any]) -> None:
    rows = [*records(150), {"id": "no list", "response": "a", "reference": "a"}]
    spec = task(*({name: formula} for name, formula in FORMULAS.items()), **more)
    whole = scoring.evaluate(spec, rows).summary["metrics"]
    shuffled = [*rows]
    random.Random(5).shuffle(shuffled)
    assert scoring.evaluate(spec, shuffled).summary["metrics"] == whole
    assert scoring.evaluate(spec, rows, processes=2).summary["metrics"] == whole
    assert scoring.evaluate(spec, rows, batch_size=7).summary["metrics"] == whole


ITEM = st.fixed_dictionaries(
    {
        "label": st.sampled_from("abc"),
        "gold": st.booleans(),
        "predicted": st.booleans(),
        "hit": st.booleans(),
        "weight": st.floats(-1e9, 1e9),
    }
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(lists=st.lists(st.lists(ITEM, max_size=4), min_size=1, max_size=12), data=st.data())
@pytest.mark.parametrize("name", ["macro", "two_keys", "groups_in_groups", "score_of_items", "least_of_labels"])
def test_parts_in_any_order_are_the_whole(name: str, lists: list[Any], data: Any) -> None:
    (metric,) = task({"it": FORMULAS[name]}).metrics
    rows = Rows.of_scores([0.5] * len(lists), labels=lists, document=[place % 2 for place in range(len(lists))])
    whole = metric(rows)
    order = data.draw(st.permutations(range(len(lists))))
    cut = data.draw(st.integers(0, len(lists)))
    first, second = (metric(rows.select(part)) for part in (order[:cut], order[cut:]))
    stored = metric(rows.select([])).unpack(json.loads(json.dumps(second.compact().pack())))
    for found in (first.merge(second), first.compact().merge(second.compact()), first.merge(stored)):
        assert found.value() == whole.value()
        assert found.count == whole.count
        assert [one.tolist() for one in found.kinds()] == [one.tolist() for one in whole.kinds()]


def test_data_of_another_figure_is_refused() -> None:
    found = statistic(MACRO, records(5))
    for name, wrong in {
        "contributions": [[[["a", [[1.0], [1.0]]]]]] * 5,
        "counts": [0] * 5,
        "records": 99,
        "states": [],
    }.items():
        with pytest.raises(ValueError, match=r"."):
            found.unpack({**found.pack(), name: wrong})


def test_runs_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = tmp_path / "spec.json"
    spec.write_text(json.dumps({**TASK, "metrics": [{"macro": MACRO}], "better": {"macro": "higher"}}))
    for run, seed in (("one", 1), ("two", 2)):
        rows = records(80, seed)
        (tmp_path / f"{run}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
        assert main(["score", str(spec), str(tmp_path / f"{run}.jsonl"), "-o", str(tmp_path / run)]) in (0, 3)
    capsys.readouterr()
    assert main(["compare", str(tmp_path / "one"), str(tmp_path / "two"), "--json"]) in (0, 3)
    assert "macro" in capsys.readouterr().out


# ---- mistakes


@pytest.mark.parametrize(
    ("formula", "told"),
    [
        ("mean(item.x)", "there is no `item` in this formula"),
        ("mean(per(item.label, mean(score)))", "there is no `item` in this formula"),
        ("items(item.x, mean(item.y))", "there is no `item` in this formula"),
        ("items(record.x)", "`items` takes a list of each record and a figure over its items"),
        ("items(record.x, item.y)", "`item.y` is of each item, and this figure is of many"),
        ("items(record.x, score)", "`score` is of each record, and this figure is of many"),
        ("items(slots, mean(item.x))", "there is no field `slots`"),
        ("items(score, mean(item.x))", "`score` is no list of each record"),
        ("items([1, 2], mean(item))", "`[1, 2]` is no list of each record"),
        ("items(record.x, mean(per(record.y, mean(item))))", "`record.y` is the same for all items of a record"),
        ("items(record.x, items(item.y, mean(item.z)))", "`items` stands within `items`"),
        ("mean(items(record.x, item.y))", "`items` adds up records, and here is one"),
        ("items(record.x, other)", "`other` is a figure of all records, and here are items of a list"),
        ("items(record.x, mean(itm.y))", ""),
        ("item(record.x, mean(item.y))", ""),
    ],
)
def test_a_mistake_is_told_where_it_stands(formula: str, told: str) -> None:
    with pytest.raises(scoring.SpecError) as refused:
        task({"it": formula}, {"other": "mean(score)"})
    assert any(told in one.message for one in refused.value.diagnostics), refused.value


def test_the_meaning_has_the_list() -> None:
    formulas = [
        "items(record.a, mean(item.x))",
        "items(record.b, mean(item.x))",
        "items(record.a, mean(record.x))",
        "mean(record.x)",
        "items(record.a, mean(per(item.y, mean(item.x))))",
        "items(record.b, mean(per(item.y, mean(item.x))))",
    ]
    assert len({task({"it": formula}).signature.meaning for formula in formulas}) == len(formulas)


def test_the_metric_reads_the_list_and_not_its_items() -> None:
    (metric,) = task({"it": "items(record.labels, sum(item.weight * record.n))"}).metrics
    assert metric.paths == ["labels", "n"]
    assert metric.columns == {"labels", "n"}
