"""Several runs at once: rows, suites and images, in every form, with one rule for records that only some have."""

from __future__ import annotations

import json
import random
import shutil
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.cli.main import main
from tests.support.golden import REPOSITORY

SPECS = REPOSITORY / "specs"
SPEC = {"kind": "task", "name": "t", "version": "1.0.0", "score": "equal", "by": ["doc"]}


def run(path: Path, rights: list[bool], **changes: Any) -> str:
    records = [
        {"id": f"q{place}", "response": "a" if right else "b", "reference": "a", "doc": place % 5}
        for place, right in enumerate(rights)
    ]
    scoring.evaluate({**SPEC, **changes}, records, output=path)
    return str(path)


def rights(share: float, size: int, seed: int = 1) -> list[bool]:
    luck = random.Random(seed)
    return [luck.random() < share for _ in range(size)]


@pytest.fixture
def three(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    return [
        run(Path(name), rights(*how))
        for name, how in (("poor", (0.2, 200, 1)), ("good", (0.8, 200, 2)), ("fair", (0.78, 200, 3)))
    ]


def test_runs_are_ranked_and_each_rank_says_how_sure_it_is(three: list[str]) -> None:
    found = scoring.compare(*three)
    assert isinstance(found, scoring.runs.Leaderboard)
    assert found.ranking == ["good", "fair", "poor"]
    assert found.ranks == {"good": (1, 2), "fair": (1, 2), "poor": (3, 3)}
    data = found.to_json()
    assert json.loads(json.dumps(data)) == data
    assert (data["corrected"], data["rule"]) == (
        {"method": "Holm", "tests": 3},
        "a record counts where every run has a score for it",
    )
    pairs = {(pair["first"], pair["second"]): pair for pair in data["boards"][0]["pairs"]}
    assert [pair["significant"] for pair in pairs.values()] == [True, True, False]
    assert pairs[0, 1]["p_value"] <= pairs[0, 1]["p_holm"]
    assert len(found.to_pandas()) == 3


def test_each_pair_says_what_two_runs_say(three: list[str]) -> None:
    pairs = scoring.compare(*three).to_json()["boards"][0]["pairs"]
    for (one, two), pair in zip(combinations(three, 2), pairs, strict=True):
        alone = scoring.compare(one, two).to_json()
        for name in ("difference", "interval", "p_value", "better", "worse", "equal"):
            assert pair[name] == alone[name], name


def test_ranks_and_tests_never_say_opposite_things(tmp_path: Path) -> None:
    for size in (3, 8, 30):
        names = [run(tmp_path / f"{size}-{place}", rights(place / 5, size, place)) for place in range(6)]
        (board,) = scoring.compare(*names, resamples=1_000).to_json()["boards"]
        rows = {row["run"]: row for row in board["ranking"]}
        for row in rows.values():
            assert row["ranks"][0] <= row["rank"] <= row["ranks"][1]
        for pair in board["pairs"]:
            one, two = rows[pair["first"]], rows[pair["second"]]
            apart = one["ranks"][1] < two["ranks"][0] or two["ranks"][1] < one["ranks"][0]
            assert not apart or pair["significant"], "ranks are apart only where a test says so"


def test_records_that_only_some_runs_have_are_left_out_of_all(tmp_path: Path) -> None:
    full, part = run(tmp_path / "a", [True] * 4), run(tmp_path / "b", [False, True])
    third = run(tmp_path / "c", [True, False, True])
    data = scoring.compare(full, part, third).to_json()
    (board,) = data["boards"]
    assert board["records"] == 2
    assert {row["run"]: (row["value"], row["left_out"]) for row in board["ranking"]} == {
        0: (1.0, 2),
        1: (0.5, 0),
        2: (0.5, 1),
    }
    assert {"what": "records", "values": [4, 2, 3]}.items() <= data["differs"][-1].items()


def test_runs_without_a_common_record_have_no_rank(tmp_path: Path) -> None:
    names = [run(tmp_path / "a", [True]), run(tmp_path / "b", [True]), str(tmp_path / "c")]
    scoring.evaluate(SPEC, [{"id": "else", "response": "a", "reference": "a", "doc": 1}], output=names[2])
    found = scoring.compare(*names)
    assert found.ranks == {}
    assert [pair["p_value"] for pair in found.to_json()["boards"][0]["pairs"]] == [None] * 3
    assert "–" in found.text()


def test_the_order_of_runs_and_records_changes_no_rank(three: list[str]) -> None:
    assert scoring.compare(*three).ranks == scoring.compare(*reversed(three)).ranks


def test_clusters_are_drawn_as_in_two_runs(three: list[str]) -> None:
    data = scoring.compare(*three, cluster="doc").to_json()
    assert data["cluster"] == "doc"
    assert data["boards"][0]["pairs"][0]["interval"]["units"] == 5
    with pytest.raises(scoring.InputError, match="no record has the attribute docs"):
        scoring.compare(*three, cluster="docs")


def test_runs_that_mean_something_else_are_refused_by_name(
    three: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    other = run(Path("other"), rights(0.5, 9), score="equal | invert")
    with pytest.raises(scoring.runs.NotComparable, match="meaning: "):
        scoring.compare(*three, other)
    assert main(["compare", *three, other]) == 1
    assert "or add --force" in capsys.readouterr().err
    found = scoring.compare(*three, other, force=True).to_json()
    assert [row["moves"] for row in found["differs"] if row["what"] == "meaning"] == ["yes"]
    assert main(["compare", "poor"]) == 2
    assert "of two runs or more" in capsys.readouterr().err


def test_it_is_drawn_in_every_form(three: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    for form, sign in (("text", "rank  run"), ("html", "<table"), ("markdown", "| rank |")):
        assert main(["compare", *three, "--as", form]) == 0
        assert sign in capsys.readouterr().out
    assert main(["compare", *three, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ranking"][0]["name"] == "good"
    assert "<table" in (scoring.compare(*three)._repr_html_() or "")
    many = [*three, *three]
    assert "(6 runs)" not in scoring.compare(*many).text()
    assert "poor (1)" in scoring.compare(*many).text()


def test_runs_in_memory_are_ranked(tmp_path: Path) -> None:
    task = scoring.load({**SPEC, "by": []})
    held = [
        task.evaluate(
            [{"id": place, "response": "a" if place < good else "b", "reference": "a"} for place in range(40)]
        )
        for good in (5, 20, 39)
    ]
    assert scoring.compare(*held).ranking == ["run 3", "run 2", "run 1"]


def test_suites_are_ranked_by_their_headline_over_the_tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(SPECS / "examples" / "suite", tmp_path / "suite")
    monkeypatch.chdir(tmp_path)
    lines = Path("suite/predictions.jsonl").read_text().splitlines()
    for number in range(3):
        Path(f"suite/{number}.jsonl").write_text("\n".join(lines[number:]) + "\n")
        scoring.evaluate("suite/suite.yaml", f"suite/{number}.jsonl", output=f"{number}")
    (board,) = scoring.compare("0", "1", "2").to_json()["boards"]
    assert (board["metric"], board["unit"], board["records"]) == ("macro", "task", 4)
    held = [json.loads(Path(f"{number}/summary.json").read_text())["metrics"][0]["value"] for number in range(3)]
    assert {row["run"]: row["value"] for row in board["ranking"]} == dict(enumerate(held))


def test_images_are_ranked_by_their_headline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    luck = random.Random(2)
    images = [{"id": place, "width": 100, "height": 100, "weather": place % 3} for place in range(24)]
    boxes = [[luck.randrange(50), luck.randrange(50), 40, 40] for _ in images]
    truth = [
        {"id": place, "image_id": place, "category_id": 1, "bbox": box, "area": 1600, "iscrowd": 0}
        for place, box in enumerate(boxes)
    ]
    monkeypatch.chdir(tmp_path)
    categories = [{"id": 1, "name": "car"}]
    Path("gold.json").write_text(json.dumps({"images": images, "annotations": truth, "categories": categories}))
    Path("task.yaml").write_text(
        "kind: task\nname: boxes\nversion: 1.0.0\nrecords: detection\ngroundtruth: gold.json\n"
        "imports: {coco: coco@1}\nmetrics: [coco.ap]\n"
    )
    for name, off in (("near", 1), ("far", 12), ("same", 1)):
        answers = [
            {"image_id": place, "category_id": 1, "bbox": [box[0] + off, *box[1:]], "score": 0.5 + place / 100}
            for place, box in enumerate(boxes)
        ]
        Path(f"{name}.json").write_text(json.dumps(answers))
        scoring.evaluate("task.yaml", f"{name}.json", output=name)
    found = scoring.compare("far", "near", "same", resamples=500)
    assert found.ranks == {"near": (1, 2), "same": (1, 2), "far": (3, 3)}
    data = found.to_json()
    (board,) = data["boards"]
    assert (board["records"], board["key"]) == (24, "label")
    two = scoring.compare("far", "near", resamples=500).to_json()
    assert {name: board["pairs"][0][name] for name in ("difference", "p_value", "interval")} == {
        name: two[name] for name in ("difference", "p_value", "interval")
    }
    assert two["metrics"][0]["p_holm"] == two["p_value"]
    assert scoring.compare("far", "near", "same", resamples=500, cluster="weather").to_json()["cluster"] == "weather"
