"""Metrics asked alone for their figures, over records of which some are faulty."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec.structs import replace

from scoring.diagnostics.words import counted_reasons
from scoring.engine.road.figures import Figures, FigureState
from scoring.format.sections import Intervals
from scoring.outcomes import NOT_APPLICABLE, SCORED, UNSCORED
from scoring.registry.store import registry
from scoring.report.of.summary import not_counted
from scoring.result import Unscored
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic
from tests.support.missing_extras import skip_without

GOOD = {
    "response": 1.0, "reference": 2.0, "sure": 0.5, "human": 3, "retrieved": ["a"], "relevant": ["a"],
    "pred_page": "[4]", "evidence_pages": "[4]", "question": "q", "one": "x", "two": "y", "at": 1, "own": 3, "other": 4,
    "first": "u", "second": "v",
}  # fmt: skip
SETTINGS: dict[str, dict[str, Any]] = {
    "average_precision": {"confidence": "sure"}, "roc_auc": {"confidence": "sure"}, "brier": {"confidence": "sure"},
    "ece": {"confidence": "sure"}, "pass_at_k": {"k": 1}, "best_of_k": {"k": 1},
    "bradley_terry": {"first": "one", "second": "two"}, "elo": {"first": "one", "second": "two", "order": "at"},
    "corpus_codebleu": {"language": "java"},
    "cohen_kappa": {"first": "first", "second": "second"}, "kendall": {"other": "human"},
    "pearson": {"other": "human"}, "spearman": {"other": "human"},
    "length_controlled_win_rate": {"length": "own", "other_length": "other"},
    **{name: {"k": 3} for name in ("hit_at_k", "precision_at_k", "recall_at_k", "f1_at_k")},
}  # fmt: skip
TEXTS = {"corpus_bleu", "corpus_chrf", "corpus_codebleu", "corpus_ter", "cider"}
PAGES = {f"mmesgbench/{name}" for name in ("hit", "precision", "recall", "retrieval_f1", "ndcg")}
SCORES = {
    "accuracy", "macro", "mean", "micro", "quantile", "weighted_mean", "generalised_accuracy", "generalised_f1",
    "generalised_precision", "generalised_recall", "megabench_upstream/task_mean", "pass_at_k", "mean_of_k",
    "best_of_k",
}  # fmt: skip
FAULTS: dict[str, list[tuple[dict[str, Any], str]]] = {
    **{name: [({"score": None}, "no score")] for name in SCORES},
    **{name: [({"reference": None}, "no reference text")] for name in TEXTS},
    **{
        name: [({"evidence_pages": "none"}, "nothing is relevant"), ({"pred_page": None}, "nothing is retrieved")]
        for name in PAGES
    },
    **{name: [({"reference": None}, "no right label")] for name in ("f1", "precision", "recall", "matthews")},
    **{
        name: [
            ({"response": "4 kg"}, "the answer is not a number"),
            ({"reference": "?"}, "the reference is not a number"),
        ]
        for name in ("rmse", "mae", "r_squared")
    },
    **{
        name: [({"human": "good"}, "`human` is not a number"), ({"score": None}, "no score")]
        for name in ("pearson", "spearman", "kendall")
    },
    **{
        name: [({"sure": 90}, "`sure` is not from 0 to 1"), ({"sure": "90 %"}, "`sure` is not a number")]
        for name in ("brier", "ece")
    },
    **{
        name: [({"sure": None}, "`sure` is not a number"), ({"score": None}, "no score")]
        for name in ("roc_auc", "average_precision")
    },
    **{
        name: [({"relevant": []}, "nothing is relevant")]
        for name in ("hit_at_k", "precision_at_k", "recall_at_k", "f1_at_k", "mrr", "mean_average_precision", "ndcg")
    },
    "cohen_kappa": [({"first": None}, "no `first`"), ({"second": None}, "no `second`")],
    "bradley_terry": [({"two": "x"}, "no two names that differ"), ({"score": None}, "no score")],
    "elo": [({"at": "noon"}, "`at` is not a number"), ({"one": None}, "no two names that differ")],
    "length_controlled_win_rate": [({"own": "long"}, "a length or the difficulty is not a number")],
    "pass_rate": [({"passed": None}, "`pass` is undecided")],
    "coverage": [],
}  # what every record that should have a score has: one of two answers


CORE = {"accuracy", "coverage", "mean", "pass_rate", "quantile", "weighted_mean"}
"""The metrics of the core; the others are those of extensions and packs."""


def over_records() -> list[str]:
    """Every metric over records, by its name."""
    found = [one for one in registry if one.kind == "metric" and one.inputs[0].name == "Rows"]
    return sorted(one.name for one in found)


def rows_of(records: Sequence[dict[str, Any]]) -> Rows:
    """Rows of records, good ones but for what is said of each."""
    whole = [{**GOOD, "score": 1.0, "passed": True, **record} for record in records]
    scores = np.array([np.nan if one["score"] is None else one["score"] for one in whole], dtype=np.float64)
    statuses = np.array([SCORED if one["score"] is not None else UNSCORED for one in whole])
    columns = {name: [one[name] for one in whole] for name in GOOD}
    return Rows(range(len(whole)), scores, statuses, passed=[one["passed"] for one in whole], columns=columns)


class Asked:
    """A metric of the registry with its settings, as figures are made of it."""

    def __init__(self, name: str) -> None:
        self.text, self.texts, self.better = name, name in TEXTS, None

    def __call__(self, rows: Rows, /) -> Statistic:
        found = registry.metric(self.text)
        assert found is not None
        try:
            return found.function(rows, **SETTINGS.get(self.text, {}))
        except Unscored as error:
            skip_without(error)
            raise

    def records(self, several: Sequence[dict[str, Any]]) -> Rows:
        """Records as this metric wants them: of texts where it compares texts."""
        texts = {"response": "a cat", "reference": "a cat"} if self.texts else {}
        return rows_of([{**texts, **one} for one in several])

    def state(self, rows: Rows) -> FigureState:
        return Figures([self], Intervals(), 0).states(rows)[0]

    def figure(self, state: FigureState) -> dict[str, Any]:
        return Figures([self], Intervals(), 0).as_data([state])[0]


def check_what_is_left_out(name: str) -> None:
    """Check that a metric says how many records it leaves out and why."""
    asked = Asked(name)
    faulty = [fault for fault, _ in FAULTS[name] for _ in range(2)]
    why = {reason: 2 for _, reason in FAULTS[name]}
    rows = asked.records([{}, {}, *faulty, {}])
    whole = asked.figure(asked.state(rows))
    if not why:
        assert "why_not" not in whole.get("details", {})
        return
    assert (whole["details"]["not_counted"], whole["details"]["why_not"]) == (sum(why.values()), why)
    said = {reason: count for reason, count in why.items() if reason != "no score"}  # of those the coverage tells
    assert counted_reasons(said) in not_counted(whole)
    assert bool(said) == bool(not_counted(whole))
    # In parts, which travel as plain data, the same.
    first, second = (asked.state(rows.select(places)) for places in (range(3), range(3, len(rows))))
    travelled = asked.state(asked.records([])).unpack(json.loads(json.dumps(first.pack())))
    assert asked.figure(travelled.merge(second))["details"]["why_not"] == why


def check_what_is_not_applicable(name: str) -> None:
    """Check that a metric does not miss what is not applicable."""
    asked = Asked(name)
    rows = asked.records([{}, {"score": None, **dict.fromkeys(GOOD), "passed": None}])
    told = asked(replace(rows, statuses=np.array([SCORED, NOT_APPLICABLE]))).details()
    assert "why_not" not in told


def check_figure_over_no_record(name: str) -> None:
    """Check that a figure over no record has no value."""
    asked = Asked(name)
    assert asked.figure(asked.state(asked.records([])))["value"] is None
    for fault, reason in FAULTS[name]:
        figure = asked.figure(asked.state(asked.records([fault] * 3)))
        assert (figure["value"], figure["details"]["why_not"]) == (None, {reason: 3})
