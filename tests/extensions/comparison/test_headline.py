"""Runs are compared by the figure that their spec puts first: its own value, test and direction."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import scoring
from scoring.cli.main import main
from scoring.extensions.comparison.statistics.paired import paired
from scoring.extensions.comparison.verbs import RunComparison
from tests.support.golden import REPOSITORY

WER = REPOSITORY / "specs" / "cookbook" / "wer.yaml"
EQUAL: dict[str, Any] = {"kind": "task", "name": "t", "version": "1.0.0", "score": "equal"}


def transcripts(share: float, seed: int, size: int = 40) -> list[dict[str, Any]]:
    """Transcripts in which about a share of the words is wrong."""
    words, luck = random.Random(7), random.Random(seed)
    rows = []
    for place in range(size):
        right = [words.choice("abcdefgh") for _ in range(words.randint(5, 20))]
        said = [word if luck.random() > share else "zz" for word in right]
        rows.append({"id": place, "response": " ".join(said), "reference": " ".join(right)})
    return rows


def answers(kinds: list[tuple[int, float, str]], seed: int = 1) -> list[dict[str, Any]]:
    """So many right answers of a share in each domain."""
    luck = random.Random(seed)
    domains = [(domain, share) for size, share, domain in kinds for _ in range(size)]
    return [
        {"id": place, "response": "x" if luck.random() < share else "y", "reference": "x", "domain": domain}
        for place, (domain, share) in enumerate(domains)
    ]


def labels(given: list[str], right: list[str]) -> list[dict[str, Any]]:
    return [
        {"id": place, "response": one, "reference": other}
        for place, (one, other) in enumerate(zip(given, right, strict=True))
    ]


def written(folder: Path, spec: Any, named: dict[str, list[dict[str, Any]]], **how: Any) -> list[str]:
    """Run folders, each over a file of its own."""
    found = []
    for name, rows in named.items():
        data = folder / f"{name}.jsonl"
        data.write_text("".join(json.dumps(row) + "\n" for row in rows))
        scoring.evaluate(spec, str(data), output=str(folder / name), **how)
        found.append(str(folder / name))
    return found


def of_two(runs: Sequence[str], **how: Any) -> RunComparison:
    first, second = runs
    return scoring.compare(first, second, **how)


# ---- the three systems of the issue


def test_the_system_with_the_least_word_errors_is_first(tmp_path: Path) -> None:
    runs = written(
        tmp_path,
        str(WER),
        {name: transcripts(*how) for name, how in (("bad", (0.5, 1)), ("good", (0.04, 2)), ("mid", (0.18, 3)))},
    )
    found = scoring.compare(*runs)
    assert [Path(name).name for name in found.ranking] == ["good", "mid", "bad"]
    (board,) = found.to_json()["boards"]
    assert (board["metric"], board["better_is"]) == ("wer", "lower")
    for row in board["ranking"]:
        stored = json.loads((Path(runs[row["run"]]) / "summary.json").read_text())
        assert row["value"] == pytest.approx(stored["metrics"][0]["value"], abs=1e-12)
    assert [row["better_than"] for row in board["ranking"]] == [2, 1, 0]
    assert "wer: lower is better" in found.text()
    two = scoring.compare(runs[1], runs[0])
    assert (two.metric, two.verdict) == ("wer", "worse")
    assert two.difference is not None
    assert two.difference > 0.4
    assert "a real difference: the second is worse (lower is better)" in two.text()
    assert two.to_json()["worse"] > two.to_json()["better"]  # more edits in a record are worse, too
    assert "mean" not in two.text().splitlines()[0]


def test_a_macro_headline_is_what_is_compared(tmp_path: Path) -> None:
    spec = {**EQUAL, "metrics": [{"macro_domain": "mean(per(record.domain, mean(score)))"}]}
    domains = "ABCDEFGHIJKL"
    one = [(90 if name == "A" else 4, 0.9 if name == "A" else 0.15, name) for name in domains]
    two = [(90 if name == "A" else 4, 0.7 if name == "A" else 0.95, name) for name in domains]
    runs = written(tmp_path, spec, {"m1": answers(one), "m2": answers(two, 2)})
    found = of_two(runs)
    assert (found.metric, found.verdict) == ("macro_domain", "better")
    assert of_two(runs, metric="mean").difference == pytest.approx(
        np.mean([row["response"] == "x" for row in answers(two, 2)])
        - np.mean([row["response"] == "x" for row in answers(one)])
    )
    assert Path(scoring.compare(*runs, runs[0]).ranking[0]).name == "m2"


def test_the_f1_of_a_label_is_shown_tested_and_ranked(tmp_path: Path) -> None:
    right = ["yes" if place % 4 == 0 else "no" for place in range(120)]
    luck = random.Random(3)
    guessed = [one if luck.random() < 0.7 else ("no" if one == "yes" else "yes") for one in right]
    named = {"never": labels(["no"] * 120, right), "tries": labels(guessed, right)}
    runs = written(tmp_path, {**EQUAL, "metrics": ['f1(label="yes")']}, named)
    found = of_two(runs)
    data = found.to_json()
    # Written down by hand: twice the hits by all that are yes on either side.
    hits = sum(one == other == "yes" for one, other in zip(guessed, right, strict=True))
    by_hand = 2 * hits / (guessed.count("yes") + right.count("yes"))
    assert (data["first"], data["second"]) == (0.0, pytest.approx(by_hand))
    assert (found.metric, found.verdict) == ('f1(label="yes")', "better")
    assert 'f1(label="yes")' in found.text()
    assert of_two(runs, metric="mean").verdict == "same"
    assert Path(scoring.compare(*runs, runs[0]).ranking[0]).name == "tries"


# ---- which values are better


def weighed(values: list[float]) -> list[dict[str, Any]]:
    return [{"id": place, "response": "a", "reference": "a", "w": value} for place, value in enumerate(values)]


def test_nearer_to_a_target_is_better_and_of_what_nothing_says_nothing_ranks(tmp_path: Path) -> None:
    luck = random.Random(5)
    named = {
        name: weighed([centre + luck.uniform(-0.1, 0.1) for _ in range(30)])
        for name, centre in (("short", 0.6), ("right", 1.05), ("long", 1.9))
    }
    spec = {**EQUAL, "metrics": [{"ratio": "mean(record.w)"}]}
    (tmp_path / "one").mkdir()
    found = scoring.compare(*written(tmp_path / "one", {**spec, "better": {"ratio": 1}}, named))
    assert isinstance(found, scoring.runs.Leaderboard)
    assert [Path(name).name for name in found.ranking] == ["right", "short", "long"]
    assert "nearer to 1 is better" in found.text()
    (tmp_path / "two").mkdir()
    runs = written(tmp_path / "two", spec, named)
    board = scoring.compare(*runs)
    assert board.ranks == {}
    assert "write `better: {ratio: higher}` (or `lower`) into the spec" in board.text()
    two = of_two(runs[:2])
    assert (two.significant, two.verdict) == (True, "different")
    assert "nothing says which values of `ratio` are better" in two.text()
    with pytest.raises(scoring.InputError, match="nothing says which values of `ratio` are better"):
        two.worse()
    assert main(["compare", *runs[:2], "--fail-if-worse"]) == 2


# ---- the gate


def test_a_run_that_is_worse_ends_with_4(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    drawn = {"old": (0.1, 1), "new": (0.4, 2), "same": (0.1, 4)}
    named = {name: transcripts(*how) for name, how in drawn.items()}
    old, new, same = written(tmp_path, str(WER), named)
    assert main(["compare", old, new, "--fail-if-worse"]) == 4
    assert f"{new} is worse than {old}" in capsys.readouterr().err
    assert main(["compare", new, old, "--fail-if-worse"]) == 0
    assert main(["compare", old, same, "--fail-if-worse"]) == 0
    assert main(["compare", old, new]) == 0
    assert main(["compare", old, same, new, "--fail-if-worse", "wer"]) == 4
    assert main(["compare", new, old, same, "--fail-if-worse"]) == 0
    assert main(["compare", old, new, "--fail-if-worse", "mean"]) == 4
    assert main(["compare", old, new, "--fail-if-worse", "bleu"]) == 2
    assert "not every run has the figure `bleu`" in capsys.readouterr().err
    assert scoring.compare(old, new).worse() == [new]
    assert scoring.compare(new, old, same).worse() == []


def test_all_figures_are_tested_together(tmp_path: Path) -> None:
    spec = {**EQUAL, "metrics": ["mean", {"errors": "1 - mean(score)"}], "pass": "score >= 0.5"}
    runs = written(tmp_path, spec, {"a": answers([(60, 0.9, "A")]), "b": answers([(60, 0.4, "A")], 2)})
    found = scoring.compare(*runs, metric="all")
    rows = found.to_json()["figures"]
    assert [(row["metric"], row["verdict"]) for row in rows] == [("mean", "worse"), ("errors", "worse")]
    assert all(row["p_holm"] >= row["p_value"] for row in rows)
    assert rows[0]["difference"] == pytest.approx(-rows[1]["difference"])
    assert found.worse("errors") == [runs[1]]
    assert [board["metric"] for board in scoring.compare(*runs, runs[0], metric="all").to_json()["boards"]] == [
        "mean",
        "errors",
    ]
    assert "errors" in found.text()


# ---- from what the run keeps


def test_a_run_keeps_what_its_figures_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("task.yaml").write_text(
        json.dumps({**EQUAL, "metrics": ["f1", {"macro": "mean(per(record.domain, mean(score)))"}]})
    )
    rows = answers([(30, 0.7, "A"), (30, 0.5, "B")]), answers([(30, 0.6, "A"), (30, 0.3, "B")], 3)
    one, two = written(Path(), "task.yaml", {"a": rows[0], "b": rows[1]})
    known = [scoring.compare(one, two, metric=name).to_json() for name in ("f1", "macro")]
    for name in ("task.yaml", "a.jsonl", "b.jsonl"):
        Path(name).unlink()  # neither data nor spec have to be there any more
    for name, data in zip(("f1", "macro"), known, strict=True):
        again = scoring.compare(one, two, metric=name).to_json()
        assert [again[key] for key in ("first", "second", "interval", "p_value")] == [
            data[key] for key in ("first", "second", "interval", "p_value")
        ]
    task = scoring.load({**EQUAL, "metrics": ["f1", {"macro": "mean(per(record.domain, mean(score)))"}]})
    held = scoring.compare(*(task.evaluate(part) for part in rows)).to_json()
    assert [held[key] for key in ("first", "second", "p_value")] == [
        known[0][key] for key in ("first", "second", "p_value")
    ]


def test_layouts_processes_and_weights_make_the_same_comparison(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    spec = {**EQUAL, "record": {"weight": "w"}, "metrics": ["weighted_mean", "f1"]}
    luck = random.Random(9)
    rows: list[list[dict[str, Any]]] = [
        [
            {"id": place, "response": luck.choice("ab"), "reference": "ab"[place % 2], "w": 1 + place % 3}
            for place in range(1500)
        ]
        for _ in range(2)
    ]
    found = []
    for name, how in (("jsonl", {}), ("parquet", {"scores": "parquet"}), ("two", {"processes": 2})):
        (tmp_path / name).mkdir()
        runs = written(tmp_path / name, spec, {"a": rows[0], "b": rows[1]}, **how)
        for metric in ("weighted_mean", "f1"):
            data = scoring.compare(*runs, metric=metric, resamples=300).to_json()
            found.append([data[key] for key in ("first", "second", "difference", "p_value", "interval")])
    assert found[0] == found[2] == found[4]
    assert found[1] == found[3] == found[5]
    by_hand = [
        sum(row["w"] * (row["response"] == row["reference"]) for row in part) / sum(row["w"] for row in part)
        for part in rows
    ]
    assert found[0][:2] == pytest.approx(by_hand)


def test_a_figure_that_does_not_come_out_again_is_refused(tmp_path: Path) -> None:
    right = ["x" * 30_000 + name for name in "ab" * 5]
    rows = labels(right, right), labels(right[::-1], right)
    runs = written(tmp_path, {**EQUAL, "metrics": ["f1"]}, {"a": rows[0], "b": rows[1]})
    with pytest.raises(scoring.InputError, match=r"`f1` was .* compare another figure \(--metric NAME\)"):
        scoring.compare(*runs)
    assert of_two(runs, metric="mean").difference == -1.0


def test_a_suite_is_compared_by_its_headline_over_tasks(tmp_path: Path) -> None:
    for name in ("one", "two", "three"):
        (tmp_path / f"{name}.yaml").write_text(WER.read_text().replace("name: wer", f"name: {name}"))
    (tmp_path / "suite.yaml").write_text(
        "kind: suite\nname: s\nversion: 1.0.0\ntasks: [one.yaml, two.yaml, three.yaml]\n"
    )
    named = {}
    for run, share in (("bad", 0.5), ("good", 0.1)):
        tasks = [[{**row, "task": name} for row in transcripts(share, 1)] for name in ("one", "two", "three")]
        named[run] = list(itertools.chain(*tasks))
    found = of_two(written(tmp_path, str(tmp_path / "suite.yaml"), named))
    data = found.to_json()
    assert (found.metric, data["better_is"]) == ("macro", "lower")
    assert data["second"] < data["first"]


# ---- the tests


def test_a_named_mean_is_tested_as_the_mean(tmp_path: Path) -> None:
    rows = {"a": answers([(50, 0.8, "A")]), "b": answers([(50, 0.5, "A")], 2)}
    runs = written(tmp_path, {**EQUAL, "metrics": ["mean", {"acc": "mean(score)"}]}, rows)
    one, two = (scoring.compare(*runs, metric=name).to_json() for name in ("mean", "acc"))
    assert [one[key] for key in ("first", "second", "difference", "interval", "p_value")] == [
        two[key] for key in ("first", "second", "difference", "interval", "p_value")
    ]


def test_runs_exchange_their_answers_where_a_figure_is_no_sum(tmp_path: Path) -> None:
    """Held to all exchanges of ten answers, with the F1 of scikit-learn's definition written down."""
    right = list("aababbabab")
    given = list("aababbabba"), list("babaababab")

    def macro(answered: list[str]) -> float:
        parts = []
        for label in "ab":
            hits = sum(one == other == label for one, other in zip(answered, right, strict=True))
            parts.append(2 * hits / (answered.count(label) + right.count(label)))
        return sum(parts) / 2

    seen, extreme = macro(given[1]) - macro(given[0]), 0
    for choice in itertools.product((0, 1), repeat=10):
        sides = [[given[side ^ swap][place] for place, swap in enumerate(choice)] for side in (0, 1)]
        extreme += abs(macro(sides[1]) - macro(sides[0])) >= abs(seen) - 1e-12
    rows = {"a": labels(given[0], right), "b": labels(given[1], right)}
    found = scoring.compare(*written(tmp_path, {**EQUAL, "metrics": ["f1"]}, rows)).to_json()
    assert found["difference"] == pytest.approx(seen)
    assert found["p_value"] == pytest.approx(extreme / 2**10, abs=0.02)


def test_graded_changes_of_ten_records_are_tested_as_student_does() -> None:
    changes = np.array([0.21, 0.05, -0.04, 0.18, 0.11, -0.09, 0.26, 0.14, 0.02, 0.17])
    found = paired(changes.tolist())
    student = stats.ttest_1samp(changes, 0.0)
    low, high = student.confidence_interval(0.95)
    assert found.interval is not None
    assert found.p_value is not None
    assert found.p_value == pytest.approx(max(student.pvalue, _signs(changes)), abs=1e-9)
    assert (found.interval.low, found.interval.high) == (pytest.approx(low), pytest.approx(high))
    assert found.p_value < 0.05


def _signs(changes: Any) -> float:
    patterns = np.array(list(itertools.product((-1.0, 1.0), repeat=len(changes))))
    return float((np.abs(patterns @ changes) >= abs(changes.sum()) - 1e-12).mean())


def test_skewed_changes_are_not_tested_by_their_signs_alone() -> None:
    """Nine small gains and no loss: the signs alone say p = 0.004, and one large loss would make the mean 0."""
    found = paired([0.1] * 9)
    assert found.p_value is not None
    assert found.p_value > 0.05 > _signs(np.array([0.1] * 9))


def test_diff_says_which_way_a_figure_goes(tmp_path: Path) -> None:
    rows = transcripts(0.3, 1)
    data = tmp_path / "rows.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    changed = tmp_path / "wer.yaml"
    changed.write_text(WER.read_text().replace("said: prediction | ", "said: prediction | upper | "))
    moved = scoring.diff(str(WER), str(changed), data=str(data)).to_json()["movement"]["figures"]
    assert [(one["metric"], one["better_is"], one["way"]) for one in moved] == [("wer", "lower", "worse")]


def test_a_figure_over_several_groupings_is_compared_without_a_test(tmp_path: Path) -> None:
    spec: dict[str, Any] = {
        "kind": "task",
        "name": "t",
        "score": "equal",
        "metrics": [{"gap": "mean(per(record.place, max(score))) - mean(per(record.kind, min(score)))"}],
        "better": {"gap": "higher"},
    }
    source = random.Random(3)
    first: list[dict[str, Any]] = [
        {"id": n, "response": source.choice("ab"), "reference": "a", "place": n % 4, "kind": n % 3} for n in range(9)
    ]
    second = [{**one, "response": "a" if one["id"] < 6 else "b"} for one in first]
    runs = written(tmp_path, spec, {"first": first, "second": second})
    found = of_two(runs).to_json()
    values = [
        json.loads((Path(run) / "summary.json").read_text(encoding="utf-8"))["metrics"][0]["value"] for run in runs
    ]
    assert found["difference"] == values[1] - values[0] > 0
    assert (found["interval"], found["p_value"], found["significant"]) == (None, None, False)
