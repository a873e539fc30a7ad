"""What `explain` shows of `align`, how much of texts and of the tree, and examples of the spec itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import scoring
from scoring.cli.main import main
from scoring.errors import InputError
from tests.support.golden import REPOSITORY

INVOICES = REPOSITORY / "specs" / "quickstart" / "invoices.yaml"


def aligned(by: str, over: str, prediction: list[str], reference: list[str]) -> tuple[float, list[dict[str, Any]]]:
    """The score of two lists, and the lines that explain it."""
    task = {
        "kind": "task",
        "name": "t",
        "parse": "json",
        "fields": {"a": f'align(levenshtein, by="{by}", over="{over}")', "b": "equal"},
    }
    record = {"id": "q", "response": json.dumps({"a": prediction, "b": 1}), "reference": {"a": reference, "b": 1}}
    story = scoring.explain(task, [record]).to_json()
    (stage,) = [one for one in story["fields"][0]["stages"] if one["stage"] == "align"]
    return story["fields"][0]["score"], stage.get("told", [])


@pytest.mark.parametrize("by", ["optimal", "greedy", "order", "best"])
@pytest.mark.parametrize("over", ["longer", "reference", "prediction"])
def test_the_chosen_pairs_are_those_of_the_score(by: str, over: str) -> None:
    random = np.random.default_rng(7)
    for _ in range(12):
        prediction, reference = (
            ["".join(random.choice([*"abc"], 4)) for _ in range(random.integers(0, 5))] for _ in range(2)
        )
        score, lines = aligned(by, over, prediction, reference)
        pairs = [line for line in lines if "score" in line]
        sizes = {"reference": len(reference), "prediction": len(prediction)}
        if prediction and reference:
            assert score == pytest.approx(sum(one["score"] for one in pairs) / sizes.get(over, max(sizes.values())))
        alone = [line for line in lines if "score" not in line]
        if by != "best" and prediction and reference:
            assert len(alone) == abs(len(prediction) - len(reference))
            assert sorted([line["prediction"] for line in lines if "prediction" in line]) == sorted(prediction)
            assert sorted([line["reference"] for line in lines if "reference" in line]) == sorted(reference)


def test_the_best_assignment_is_that_of_scipy() -> None:
    prediction, reference = ["abcd", "abce", "xyz", "q"], ["abce", "xyzz", "abcd"]
    _, lines = aligned("optimal", "longer", prediction, reference)
    table = np.array([[scoring.scorer("levenshtein").score(p, r).score for r in reference] for p in prediction])
    expected = [f"{row + 1} with {column + 1}" for row, column in zip(*linear_sum_assignment(-table), strict=True)]
    assert [line["stage"] for line in lines] == [*expected, "4 alone"]


def test_an_example_of_the_spec_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    found = scoring.explain(INVOICES, example=2)
    assert found.to_json()["expected"] == {"vendor": 1, "total": 0, "lines": 0}
    assert found.to_json()["score"] == 0.25
    assert main(["explain", str(INVOICES), "--example", "1", "--depth", "1"]) == 0
    shown = capsys.readouterr().out
    assert "expected   1\n" in shown
    assert "more below" in shown
    assert "casefold  " not in shown


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"example": 3}, "has 2 examples: there is no example 3"),
        ({"example": 0}, "there is no example 0"),
        ({"example": 1, "record": "a"}, "leave the data and --record out"),
        ({"depth": 0}, "--depth is a number of levels"),
        ({"depth": 5_000}, "--depth is a number of levels"),
    ],
)
def test_what_has_no_effect_is_refused(options: dict[str, Any], why: str) -> None:
    with pytest.raises(InputError, match=why):
        scoring.explain(INVOICES, **options)


def test_a_view_without_a_record_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--full needs the records"):
        scoring.explain("equal", full=True)
    with pytest.raises(InputError, match="--depth needs the records"):
        scoring.explain("equal", depth=2)
    with pytest.raises(InputError, match="states no examples"):
        scoring.explain({"kind": "task", "name": "t", "score": "equal"}, example=1)
    pack = tmp_path / "pack.yaml"
    pack.write_text("kind: pack\nname: p\nversion: 1.0.0\nscorers: {s: equal}\n")
    with pytest.raises(Exception, match="pack"):
        scoring.explain(pack, example=1)


def test_depth_counts_the_levels_of_the_tree() -> None:
    def levels(depth: int | None) -> int:
        text = scoring.explain(INVOICES, example=1, depth=depth).text()
        starts = [line.index("─") // 3 + 1 for line in text.splitlines() if "─" in line]
        return max(starts)

    assert [levels(depth) for depth in (1, 2, None)] == [1, 2, 2]


def test_whole_texts_are_shown_on_demand() -> None:
    text = "word " * 2_000 + "end"
    task = {"kind": "task", "name": "t", "score": "lower | equal"}
    data = [{"id": "q", "response": text, "reference": "x"}]
    short, whole = scoring.explain(task, data), scoring.explain(task, data, full=True)
    assert len(short.text()) < 1_000
    assert "end" not in short.text()
    assert whole.text().count(text) == 3  # the response, the input, and what `lower` makes of it
    assert whole.to_json()["response"] == text
    assert scoring.explain(task, data).text() == short.text()  # the limits end with the call
