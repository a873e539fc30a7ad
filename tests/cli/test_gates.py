"""`--min` and `--max`: what a figure must be, and the exit status where it is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.cli.main import main
from scoring.errors import InputError

SPEC = """kind: task
name: t
version: 1.0.0
score: equal
metrics: [mean, accuracy(threshold=0.5), odd: sum(score) / sum(record.nothing)]
"""
REFERENCES = ["b", "a", "a", "a", "b", "a", "a", "a"]
ROWS = [{"id": id, "response": "a", "reference": one, "nothing": 0} for id, one in enumerate(REFERENCES)]


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.yaml").write_text(SPEC)
    Path("d.jsonl").write_text("\n".join(map(json.dumps, ROWS)))


def score(*options: str) -> int:
    return main(["score", "t.yaml", "d.jsonl", *options])


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--min", "mean=0.75"], 0),
        (["--min", "mean=0.7501"], 4),
        (["--max", "mean=0.75"], 0),
        (["--max", "mean=0.7499"], 4),
        (["--min", "accuracy(threshold=0.5)=0.5"], 0),
        (["--min", "accuracy(threshold=0.5)=0.9"], 4),
        (["--min", "mean=0.5", "--min", "accuracy(threshold=0.5)=0.9"], 4),
        (["--min", "mean=0.5", "--max", "mean=0.9"], 0),
        (["--min", "odd=-1000"], 4),
        (["--max", "odd=1000"], 4),
        (["--min", "mean=0.9", "--min-coverage", "1"], 4),
    ],
)
def test_a_figure_beyond_its_limit_is_status_4(options: list[str], code: int) -> None:
    assert score(*options) == code


def test_what_fails_is_told_and_the_figures_all_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert score("--min", "mean=0.9", "--max", "odd=1", "--min", "mean=0.1", "-o", "run") == 4
    said = capsys.readouterr()
    assert "mean" in said.out
    assert said.err.splitlines()[-2:] == [
        "scoring: `mean` is 0.75, and has to be at least 0.9",
        "scoring: `odd` is null, and has to be at most 1",
    ]
    assert "gates" not in json.loads(Path("run/summary.json").read_text())


def test_json_lists_every_gate(capsys: pytest.CaptureFixture[str]) -> None:
    assert score("--min", "mean=0.9", "--max", "mean=0.9", "--json") == 4
    assert json.loads(capsys.readouterr().out)["gates"] == [
        {"metric": "mean", "min": 0.9, "value": 0.75, "holds": False},
        {"metric": "mean", "max": 0.9, "value": 0.75, "holds": True},
    ]


def test_an_unknown_figure_is_refused_before_anything_is_scored(capsys: pytest.CaptureFixture[str]) -> None:
    assert score("--min", "maen=0.9", "-o", "run") == 2
    said = capsys.readouterr()
    assert "there is no figure `maen`; did you mean `mean`?" in said.err
    assert (said.out, Path("run").exists()) == ("", False)


@pytest.mark.parametrize("text", ["mean", "mean=", "=0.5", "mean=high", "mean=80%", "mean=nan"])
def test_what_is_no_gate_is_refused(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert score("--min", text) == 2
    assert "expected NAME=VALUE, such as `mean=0.8`" in capsys.readouterr().err


def test_too_few_scored_records_come_first(capsys: pytest.CaptureFixture[str]) -> None:
    Path("d.jsonl").write_text(
        '{"id": 1, "response": "a", "nothing": 0}\n{"id": 2, "response": "a", "reference": "b"}\n'
    )
    assert score("--min", "mean=0.9", "--min-coverage", "0.9") == 3
    assert "`mean` is 0, and has to be at least 0.9" in capsys.readouterr().err


def test_with_dialects_there_are_no_figures_to_gate(capsys: pytest.CaptureFixture[str]) -> None:
    assert score("--dialects", "equal,contains", "--min", "mean=0.9") == 2
    assert "leave them out, or --dialects" in capsys.readouterr().err


def test_gates_in_python() -> None:
    run = scoring.evaluate("t.yaml", ROWS)
    found: list[dict[str, Any]] = run.gates(at_least={"mean": 0.75}, at_most={"mean": 0.7})
    assert [one["holds"] for one in found] == [True, False]
    with pytest.raises(InputError, match="there is no figure `meen`"):
        run.gates(at_least={"meen": 0.5})
