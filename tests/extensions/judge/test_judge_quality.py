"""`scoring judge`: agreement and calibration from finished runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scoring.cli.main import main
from scoring.extensions.agreement.statistics import cohen_kappa_score, krippendorff_alpha
from tests.support.judge_server import JudgeServer


def write_run(folder: Path, name: str, scores: list[float]) -> str:
    """A run whose record scores are the numbers, beside labels of people in its data."""
    task = "kind: task\nname: demo/ratings\nversion: 1.0.0\nscore: number | within(absolute=0.0)\n"
    (folder / "task.yaml").write_text(task, encoding="utf-8")
    rows = [
        {"id": at, "response": str(score), "reference": "1", "human": "yes" if at % 2 else "no"}
        for at, score in enumerate(scores)
    ]
    data = folder / f"{name}.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert main(["score", str(folder / "task.yaml"), str(data), "-o", str(folder / name)]) == 0
    return str(folder / name)


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    capsys.readouterr()
    assert main(["judge", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_runs_agree_with_one_another_and_with_people(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = write_run(tmp_path, "one", [0, 1, 1, 1, 0, 0])
    other = write_run(tmp_path, "other", [0, 1, 0, 1, 0, 1])
    first, second, people = [0, 1, 1, 1, 0, 0], [0, 1, 0, 1, 0, 1], [0, 1, 0, 1, 0, 1]
    found = told(capsys, "agreement", one, other, "--labels", "human")
    assert found["raters"] == [one, other, "people"]
    assert found["pairs"][0]["cohen_kappa"] == cohen_kappa_score(first, second)
    assert found["pairs"][2]["cohen_kappa"] == 1.0
    units = list(zip(first, second, people, strict=True))
    assert found["krippendorff_alpha"] == pytest.approx(krippendorff_alpha(units, level="interval"))
    assert main(["judge", "agreement", one, other]) == 0
    assert "Cohen kappa" in capsys.readouterr().out


def test_a_threshold_is_proposed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = told(capsys, "calibrate", write_run(tmp_path, "run", [0, 1, 0, 1, 0, 1]), "--labels", "human")
    assert (found["pass_at"], found["accuracy"], found["records"]) == (0.5, 1.0, 6)
    assert main(["judge", "calibrate", str(tmp_path / "run"), "--labels", "human"]) == 0
    assert "pass: score >= 0.5" in capsys.readouterr().out


@pytest.mark.parametrize(("arguments", "message"), [
    (["calibrate", "RUN", "--labels", "nobody"], "no record has a label"),
    (["calibrate", "RUN", "--labels", "id"], "is a rating"),
    (["calibrate", "RUN", "--labels", "human", "--field", "x"], "needs a label for every score"),
    (["agreement", "RUN"], "two raters"),
    (["agreement", "RUN", "RUN"], "agrees with itself"),
    (["calibrate", "nowhere", "--labels", "human"], "nowhere is not there"),
])  # fmt: skip
def test_what_cannot_be_measured_is_one_line(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = write_run(tmp_path, "run", [0, 1, 1, 1])
    capsys.readouterr()
    assert main(["judge", *(run if one == "RUN" else one for one in arguments)]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_the_members_of_a_panel_are_raters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from tests.support.judged_files import write_files

    task, records = write_files(tmp_path, 30)
    with JudgeServer() as server:
        judge = ["--judge-url", server.url, "--judge-model", "first,second,third"]
        assert main(["score", str(task), str(records), "-o", str(tmp_path / "run"), *judge]) == 0
    found = told(capsys, "agreement", str(tmp_path / "run"), "--labels", "human")
    assert found["raters"] == ["first", "second", "third", "people"]
    assert found["records"] == 30
    assert found["rated_by_all"] == 24
    assert len(found["pairs"]) == 6
