"""One odd record spoils no figure of the data set."""

from __future__ import annotations

import pytest

import scoring
from scoring.extensions.agreement.metrics import cohen_kappa, pearson
from scoring.extensions.generation.metrics import corpus_bleu, corpus_chrf, corpus_ter
from scoring.extensions.retrieval.metrics import ndcg, recall_at_k
from scoring.packs.mmesgbench.metrics import mmesgbench_ndcg, mmesgbench_recall
from scoring.statistics.rows import Rows


@pytest.mark.parametrize("gain", [[1], "2", None, float("nan"), float("inf"), 10**400, {}])
def test_a_gain_that_is_no_number_is_none(gain: object) -> None:
    rows = Rows.of_scores([1.0], retrieved=[["a", "b"]], relevant=[{"a": 1, "b": gain}])
    assert recall_at_k(rows, k=1).value() == 1.0
    assert ndcg(rows, k=2).value() == 1.0


@pytest.mark.parametrize("odd", [5, {"a": 1}, [], [None], [3, {}], True])
def test_a_reference_that_is_no_text_is_none(odd: object) -> None:
    pytest.importorskip("sacrebleu")
    texts, good = ["the dog bit the man", "x"], "the dog bit the man"
    rows = Rows.of_scores([1.0, 1.0], response=texts, reference=[good, odd])
    alone = Rows.of_scores([1.0], response=texts[:1], reference=[good])
    for metric in (corpus_bleu, corpus_chrf, corpus_ter):
        assert metric(rows).value() == metric(alone).value()
        assert len(metric(rows).keys) == 1


@pytest.mark.parametrize("odd", [10**400, float("nan"), float("inf"), "", [1], {"a": 1}, True])
def test_an_odd_rating_is_a_label_of_its_own_and_no_number(odd: object) -> None:
    ann, ben = [odd, odd, 1, 2, 1, 2], [odd, 2, 1, 2, 2, 2]
    rows = Rows.of_scores([0.1, 0.2, 0.3, 0.5, 0.4, 0.6], ann=ann, ben=ben)
    named = Rows.of_scores([1.0] * 6, ann=["odd" if one is odd else one for one in ann], ben=["odd", *ben[1:]])
    found = [cohen_kappa(some, first="ann", second="ben").value() for some in (rows, named)]
    assert found[0] == found[1]
    assert pearson(rows, other="ann").value() == pearson(rows.select(range(2, 6)), other="ann").value()


def test_pages_that_are_lists_count_as_they_are_printed() -> None:
    rows = Rows.of_scores([1.0], pred_page=[["a", ["b", {"c": 1}]]], evidence_pages=[[["b", {"c": 1}]]])
    assert mmesgbench_recall(rows).value() == 1.0
    assert mmesgbench_ndcg(rows).value() == pytest.approx(0.63093, abs=1e-5)


@pytest.mark.parametrize("metric", ["hit_at_k(k=2.5)", "ndcg(k=2.0)", "corpus_chrf(characters=0)", "pass_at_k(k=1.5)"])
def test_how_many_is_a_whole_number_and_enough(metric: str) -> None:
    with pytest.raises(scoring.SpecError, match="must be a whole number and at least 1"):
        scoring.load({"kind": "task", "name": "t", "score": "equal", "metrics": [metric]})


@pytest.mark.parametrize(
    ("raised", "why"),
    [
        (TypeError("unhashable type: 'list'"), "it takes values of another kind"),
        (OverflowError("int too large to convert to float"), "a number is too large to compute with"),
    ],
)
def test_a_metric_that_fails_is_named_in_the_words_of_the_field(
    raised: Exception, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(value: object) -> list[object]:
        raise raised

    monkeypatch.setattr("scoring.extensions.retrieval.metrics.ranked_items", fails)
    rows = [{"id": 1, "response": "a", "reference": "a", "retrieved": ["a"], "relevant": ["a"]}]
    spec = {"kind": "task", "name": "t", "score": "equal", "metrics": ["hit_at_k(k=1)"]}
    with pytest.raises(scoring.InputError) as error:
        scoring.evaluate(spec, rows)
    told = "the metric `hit_at_k(k=1)` has no figure for these records: `hit_at_k` can't be computed: "
    assert str(error.value) == f"{told}{why}; without it the others can be computed"


@pytest.mark.parametrize(
    "metric", ["cohen_kappa(first=record.p, second=record.r)", "f1(prediction=record.p, reference=record.r)"]
)
def test_what_stands_beside_no_label_may_be_no_label(metric: str) -> None:
    spec = {"kind": "task", "name": "t", "score": "equal", "metrics": [metric], "record": {"p": "p", "r": "r"}}
    records = [{"id": 1, "p": "a", "r": "a"}, {"id": 2, "p": "b", "r": "b"}, {"id": 3, "p": [10**5000], "r": None}]
    run = scoring.load(spec).evaluate([{**one, "response": 1, "reference": 1} for one in records])
    assert run.summary["metrics"][0]["value"] == 1
