"""Steps of trees, tables, queries and graphs give what official code gave: `tree_vectors.py` has run it."""

from __future__ import annotations

import json
from typing import Any

import pytest

import scoring
from scoring.extensions.maths import worker
from tests.parity.test_ring import DATA, score, vectors
from tests.support.missing_extras import skip_without
from tests.support.recipes import COOKBOOK

WORDS = "bracket_words | map_items(item_at(1)) | equal"
COUNTS = {
    "shared": "bracket_spans | shared_items",
    "crossing": "bracket_spans | crossing_spans",
    "tags": "bracket_words | map_items(item_at(0)) | enumerate_items | shared_items",
}
SIZES = {"gold": "bracket_spans | length", "words": "bracket_words | length"}


def test_trees_in_brackets_have_the_spans_of_evalb() -> None:
    same, counts = scoring.scorer(WORDS), {name: scoring.scorer(one) for name, one in COUNTS.items()}
    sizes = {name: scoring.parser(one) for name, one in SIZES.items()}
    counted = 0
    for row in vectors("parseval"):
        said, right = row["prediction"], row["reference"]
        found = same.score(said, right)
        if row["status"]:  # too short, too long, other words, or no tree
            assert found.value in (None, 0.0), row
            continue
        assert found.value == 1.0, row
        here = {name: score(one, said, right) for name, one in counts.items()}
        here |= {name: one.parse(right) for name, one in sizes.items()} | {"found": sizes["gold"].parse(said)}
        assert here == {name: row[name] for name in here}, row
        counted += 1
    assert counted >= 60


NO_TREES: list[Any] = ["(S (A b)", "(S (A b)))", "(NP foo (X y))", "(NP foo(X y))", "word", "( NP (A b))", "()", ""]


@pytest.mark.parametrize("text", [*NO_TREES, "(" * 100_000, "( " * 100_000, "(S " + " " * 100_000, "(A\x00" * 50_000])
def test_what_is_no_tree_is_unparsed(text: str) -> None:
    for step in ("bracket_spans", "bracket_words"):
        with pytest.raises(scoring.Unparsed):
            scoring.parser(step).parse(text)


def test_rules_of_labels_can_be_others() -> None:
    text = "(TOP (S (NP-SBJ (NN rain)) (PRT (RP down)) (. .)))"
    spans = scoring.parser('bracket_spans(left_out=[], equal_labels={NP="XP"})').parse(text)
    assert spans == [["TOP", 0, 2], ["S", 0, 2], ["XP", 0, 0], ["PRT", 1, 1]]
    assert scoring.parser('bracket_words(left_out=["NN", "RP"])').parse(text) == [[".", "."]]


def test_a_deep_tree_takes_no_stack() -> None:
    spans = scoring.parser("bracket_spans").parse("(X " * 20_000 + "(A b)" + ")" * 20_000)
    assert len(spans) == 20_000
    assert spans[0] == spans[-1] == ["X", 0, 0]


def test_tables_share_rows_and_columns_as_the_released_code_has_it() -> None:
    parts = {"": "both", "precision_": "prediction", "recall_": "reference"}
    for row in vectors("grits"):
        for prefix, over in parts.items():
            texts = f'html_table(content="pieces", rows="spanned") | align_grids(gestalt, over="{over}")'
            spans = f'cell_spans | align_grids(iou(over="hull"), over="{over}")'
            for name, scorer in (("con", texts), ("top", spans)):
                found = score(scoring.scorer(scorer), row["prediction"], row["reference"])
                assert found == pytest.approx(row[prefix + name], abs=1e-12), row


def test_grids_of_boxes_share_rows_and_columns_as_the_released_code_has_it() -> None:
    scorer, differing = scoring.scorer('align_grids(iou(over="hull"))'), 0
    for row in vectors("grits-loc"):
        sides = (row["response"], row["reference"])
        assert score(scorer, *sides) == pytest.approx(row["loc"], abs=1e-12), row
        differing += abs(score(scoring.scorer("align_grids(iou)"), *sides) - row["loc"]) > 1e-9
    assert differing > 0  # the paper has the union where the code has the box around both


def test_queries_have_the_clauses_that_the_evaluation_of_spider_compares() -> None:
    first = json.loads((DATA / "spider.jsonl").read_text("utf-8").partition("\n")[0])
    record = {name: first[name] for name in ("tables", "foreign_keys")}
    call = "spider/sql_clauses(tables=record.tables, foreign_keys=record.foreign_keys"
    for row in vectors("spider"):
        values = {"said": f"prediction | {call}, failed='empty')", "right": f"reference | {call})"}
        names = [name for name in row if name not in ("prediction", "reference", "exact")]
        fields = {"exact": "said == right", **{name: f"values.said.{name} == values.right.{name}" for name in names}}
        task = scoring.load({"kind": "task", "name": "t", "values": values, "fields": fields})
        found = task.score({"response": row["prediction"], "reference": row["reference"], **record}).fields
        assert found["exact"].score == row["exact"], row
        for name in names:
            right, predicted, expected = row[name]
            # A clause that neither has is equal; the released code counts it nowhere.
            assert found[name].score == right or (right, predicted, expected) == (0, 0, 0), (name, row)
    assert len(names) == 10


def test_graphs_share_the_triples_that_smatch_finds_after_many_restarts() -> None:
    read, scorer, counted = scoring.parser("amr_triples"), scoring.scorer("amr_triples | shared_triples"), 0
    for row in vectors("smatch"):
        said, right = row["prediction"], row["reference"]
        if row["counts"] is None:
            assert scorer.score(said, right).value is None, row
            continue
        found = [score(scorer, said, right), len(read.parse(said)), len(read.parse(right))]
        assert found == row["counts"], row
        counted += 1
    assert counted >= 60


def test_whole_subtrees_come_and_go_as_in_the_eed_score() -> None:
    for row in vectors("subtree-edits"):
        for name, over in (("distance", "one"), ("relative", "reference")):
            found = score(scoring.scorer(f'subtree_edits(over="{over}")'), row["prediction"], row["reference"])
            assert found == pytest.approx(row[name], abs=1e-9), row


def test_formulas_have_the_eed_score(monkeypatch: pytest.MonkeyPatch) -> None:
    # Five of them are compared for as long as they may be, in vain: a fifth of that says the same.
    monkeypatch.setattr(worker, "CALLS_A_SECOND", worker.CALLS_A_SECOND // 5)
    task = scoring.load(COOKBOOK / "phybench.yaml")
    for row in vectors("phybench"):
        found = task.score({"response": row["prediction"], "reference": row["reference"]})
        skip_without(found.reason)
        assert found.score == pytest.approx(row["score"], abs=1e-9), row
