"""Several opinions, their agreement, thresholds from labels, cascades: against other implementations and by hand."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.extensions.agreement.statistics import cohen_kappa_score, fleiss_kappa, krippendorff_alpha
from scoring.extensions.calibration.reliability import calibrate_threshold
from scoring.extensions.generation.judged import cascade, is_sure, judged
from scoring.extensions.judge.asking.panel import ask_panel, compare_both_orders, majority
from scoring.extensions.judge.asking.scripted import ScriptedJudge
from scoring.extensions.judge.programs.program import load_program
from scoring.extensions.judge.protocol import Question, set_judge, use_judge
from scoring.result import Unscored
from scoring.statistics.proportions import wilson

RATE: dict[str, Any] = {
    "inputs": {"text": "prediction"}, "prompt": "Rate.", "reply": {"integer": {"minimum": 0, "maximum": 1}},
    "show": ["text"], "gives": {"rating": "@"}, "score": "rating",
}  # fmt: skip
PREFER: dict[str, Any] = {
    "inputs": {"first": "record.a", "second": "record.b"}, "prompt": "Which is better?",
    "reply": {"integer": {"minimum": 0, "maximum": 2}}, "show": ["first", "second"], "gives": {"rating": "@"},
    "score": "rating / 2",
}  # fmt: skip


# ---- panels


def test_a_panel_decides_by_majority_mean_or_median() -> None:
    judges = [ScriptedJudge([reply] * 3, name=str(place)) for place, reply in enumerate("110")]
    program = load_program("rate", {"rate": RATE})
    scores = {
        how: ask_panel(program, {"text": "t"}, judges, combine=how).score for how in ("majority", "mean", "median")
    }
    assert scores == {"majority": 1.0, "mean": pytest.approx(2 / 3), "median": 1.0}


def test_samples_are_asked_as_questions_of_their_own() -> None:
    judge = ScriptedJudge(["1", "0", "1"])
    found = ask_panel(load_program("rate", {"rate": RATE}), {"text": "t"}, [judge], samples=3)
    assert found.score == 1.0
    assert [asked.sample for asked in judge.questions] == [0, 1, 2]


def test_judges_without_a_verdict_are_counted_against_the_quorum() -> None:
    program = load_program("rate", {"rate": RATE})
    good, bad = (lambda: ScriptedJudge(["1"])), (lambda: ScriptedJudge(["?"]))
    found = ask_panel(program, {"text": "t"}, [good(), good(), bad()])
    assert found.score == 1.0
    assert [opinion.score for opinion in found.opinions] == [1, 1, None]
    with pytest.raises(Unscored, match="1 of 3 judges gave a score, 2 are needed"):
        ask_panel(program, {"text": "t"}, [good(), bad(), bad()])


def test_a_tied_majority_is_the_mean_of_the_tied() -> None:
    assert majority([1.0, 0.0, 0.5, 1.0, 0.0]) == 0.5


@pytest.mark.parametrize(
    ("replies", "winner", "consistent"),
    [("20", "first", True), ("02", "second", True), ("22", "tie", False), ("11", "tie", True), ("21", "first", False)],
)
def test_both_orders_are_asked(replies: str, winner: str, consistent: bool) -> None:
    judge = ScriptedJudge(list(replies))
    found = compare_both_orders(load_program("p", {"p": PREFER}), {"first": "A", "second": "B"}, judge)
    assert (found.winner, found.consistent) == (winner, consistent)
    texts = [asked.messages[1].text for asked in judge.questions]
    assert texts[0].index("\nA\n") < texts[0].index("\nB\n")
    assert texts[1].index("\nB\n") < texts[1].index("\nA\n")


# ---- agreement


def test_kappa_of_the_textbook() -> None:
    first = ["yes"] * 20 + ["yes"] * 5 + ["no"] * 10 + ["no"] * 15
    second = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    assert cohen_kappa_score(first, second) == pytest.approx(0.4)


def test_alpha_of_krippendorffs_own_example() -> None:
    # Four observers, twelve units, from his paper of 2011; 0.743, 0.815, 0.849 and 0.797 are printed there.
    table: list[list[int | None]] = [
        [1, 1, None, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4],
        [4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [None, 5, 5, 5], [None, None, 1, 1], [None, None, 3, None],
    ]  # fmt: skip
    found = [round(krippendorff_alpha(table, level=level), 3) for level in ("nominal", "ordinal", "interval", "ratio")]
    assert found == [0.743, 0.815, 0.849, 0.797]


def test_fleiss_of_his_own_example() -> None:
    # Ten subjects, fourteen raters, five categories; 0.21 is the published value.
    counts = [
        (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
        (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
    ]  # fmt: skip
    ratings = [[label for label, count in enumerate(row) for _ in range(count)] for row in counts]
    assert fleiss_kappa(ratings) == pytest.approx(0.2099, abs=5e-5)


@pytest.mark.parametrize("seed", range(5))
def test_agreement_equals_nltk(seed: int) -> None:
    agreement = pytest.importorskip("nltk.metrics.agreement")
    chance = random.Random(seed)
    table = [[chance.choice([1, 2, 3]) for _ in range(3)] for _ in range(25)]
    data = [(f"r{rater}", str(item), label) for item, row in enumerate(table) for rater, label in enumerate(row)]
    task = agreement.AnnotationTask(data=data)
    assert krippendorff_alpha(table) == pytest.approx(task.alpha())
    first, second = [row[0] for row in table], [row[1] for row in table]
    assert cohen_kappa_score(first, second) == pytest.approx(task.kappa_pairwise("r0", "r1"))
    squares = agreement.AnnotationTask(data=data, distance=lambda a, b: (a - b) ** 2)
    assert krippendorff_alpha(table, level="interval") == pytest.approx(squares.alpha())


@pytest.mark.parametrize(("weights", "power"), [("linear", 1), ("quadratic", 2)])
def test_weighted_kappa_equals_the_matrix_form(weights: Any, power: int) -> None:
    chance = random.Random(power)
    first, second = ([chance.randrange(4) for _ in range(60)] for _ in range(2))
    seen = np.zeros((4, 4))
    for a, b in zip(first, second, strict=True):
        seen[a, b] += 1 / 60
    expected = np.outer(seen.sum(axis=1), seen.sum(axis=0))
    cost = np.abs(np.subtract.outer(np.arange(4), np.arange(4))) ** power
    assert cohen_kappa_score(first, second, weights=weights) == pytest.approx(
        1 - (cost * seen).sum() / (cost * expected).sum()
    )


@pytest.mark.parametrize(
    "undefined",
    [
        lambda: cohen_kappa_score([], []),
        lambda: cohen_kappa_score([1], [1]),
        lambda: fleiss_kappa([[1, 1], [1, 1]]),
        lambda: fleiss_kappa([[1], [2]]),
        lambda: fleiss_kappa([[1, 2], [1, 2, 3]]),
        lambda: krippendorff_alpha([[1], [2]]),
    ],
)
def test_agreement_that_is_undefined_is_not_a_number(undefined: Any) -> None:
    with pytest.raises(Unscored):
        undefined()


# ---- calibration


def test_a_threshold_between_the_classes_is_found() -> None:
    found = calibrate_threshold([0.1, 0.2, 0.35, 0.6, 0.8, 0.9], [False, False, True, False, True, True])
    assert found.proposed.at in (pytest.approx(0.275), pytest.approx(0.7))
    assert found.proposed.accuracy == pytest.approx(5 / 6)
    assert found.roc_auc == pytest.approx(8 / 9)
    assert found.to_json()["pass_at"] == found.proposed.at


@pytest.mark.property
@given(st.lists(st.tuples(st.integers(0, 10), st.booleans()), min_size=2, max_size=40))
def test_no_cut_is_better_than_the_proposed_one(data: list[tuple[int, bool]]) -> None:
    scores, labels = [score / 10 for score, _ in data], [label for _, label in data]
    if len(set(labels)) < 2:
        with pytest.raises(Unscored):
            calibrate_threshold(scores, labels)
        return
    for aim in ("kappa", "accuracy", "f1"):
        found = calibrate_threshold(scores, labels, aim=aim)
        for at in [*scores, 2.0]:
            passes = [score >= at for score in scores]
            accuracy = sum(a == b for a, b in zip(passes, labels, strict=True)) / len(labels)
            if aim == "accuracy":
                assert found.proposed.accuracy >= accuracy - 1e-12
            if aim == "kappa":
                assert found.proposed.kappa >= cohen_kappa_score(passes, labels) - 1e-12
    assert found.accuracy_interval[0] <= found.proposed.accuracy <= found.accuracy_interval[1]


def test_wilson_keeps_within_bounds() -> None:
    assert wilson(0, 10)[0] == 0.0
    assert wilson(10, 10)[1] == 1.0


# ---- in a pipeline


def test_a_judge_scores_in_a_pipeline_only_if_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SCORING_JUDGE_URL", "SCORING_JUDGE_MODEL", "SCORING_JUDGE_REPLAY"):
        monkeypatch.delenv(name, raising=False)
    set_judge(None)
    data = {"name": "rate", "judges": {"rate": RATE}}
    with pytest.raises(Unscored, match="no judge is configured"):
        judged("text", None, program=data)
    with use_judge(ScriptedJudge(["1", "0", "0"])):
        assert judged("text", None, program=data) == 1
        assert judged("text", None, program=data, samples=2, combine="mean") == 0.0


def test_a_program_that_is_none_leaves_the_record_unscored() -> None:
    with pytest.raises(Unscored, match="not well formed"):
        judged("text", None, program={"name": "rate", "judges": {}})


def test_the_judge_of_a_process_serves_all_threads() -> None:
    from scoring.extensions.processes.threads import in_threads

    set_judge(ScriptedJudge(lambda _: "1"))
    try:
        data = {"name": "rate", "judges": {"rate": RATE}}
        assert list(in_threads(lambda text: judged(text, None, program=data), ["a"] * 20, 4)) == [1] * 20
    finally:
        set_judge(None)


def test_a_cascade_asks_only_where_the_rule_is_unsure() -> None:
    asked: list[str] = []

    def rule(prediction: float, _reference: float) -> float:
        return prediction

    def second(prediction: float, _reference: float) -> float:
        asked.append(str(prediction))
        return 0.7

    scores = [cascade(p, 0.0, rule=rule, unsure=second, low=0.2, high=0.9) for p in (0.1, 0.2, 0.5, 0.9, 1.0)]
    assert scores == [0.1, 0.2, 0.7, 0.9, 1.0]
    assert asked == ["0.5"]
    assert [is_sure(p, 0.0, rule=rule, low=0.2, high=0.9) for p in (0.1, 0.5, 1.0)] == [1.0, 0.0, 1.0]
    assert cascade(0.0, 0.0, rule=rule, unsure=second) == 0.7, "without `low` no failure is sure"


def test_a_script_can_answer_by_rule() -> None:
    def answer(question: Question) -> str:
        return str(len(question.messages))

    found = ScriptedJudge(answer).ask(Question(()))
    assert found.text == "0"
