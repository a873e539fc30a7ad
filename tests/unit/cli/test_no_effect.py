"""What a spec says without any effect is found by `scoring check`, at its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoring.cli.main import main

HEAD = "kind: task\nname: a/b\nversion: 1.0.0\n"
TWO = "fields: {x: equal, y: equal}\n"


def check(path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    path.write_text(text)
    code = main(["check", "--format", "concise", str(path)])
    return code, capsys.readouterr().out.replace(str(path), "task.yaml")


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        (
            HEAD.replace("task", "tsk") + "score: equal\n",
            "task.yaml:1:7: error[unknown-value] expected `task`, `pack` or `suite`, found the text `tsk`",
        ),
        (
            HEAD + "score: equal\naggregate: min\n",
            "task.yaml:5:12: warning[unused-field] `aggregate` joins fields, but there is only a single answer",
        ),
        (HEAD + TWO + "weights: {x: 2}\n", "task.yaml:5:1: error[unknown-key] unknown key `weights`"),
        (
            HEAD + "fields: {x: {score: equal, weight: 2}, y: equal}\naggregate: min\n",
            "task.yaml:4:36: warning[unused-field] the weight of `x` has no effect: `min` ignores weights",
        ),
        (
            HEAD + "fields: {x: {score: equal, weight: 2}}\n",
            "task.yaml:4:36: warning[unused-field] the weight of `x` has no effect: there is no other field",
        ),
        (
            HEAD + TWO + "metrics: [mean, accuracy(threshold=0.5), mean]\n",
            "task.yaml:5:42: error[repeated-item] the metric `mean` is listed twice",
        ),
        (
            HEAD + "score: equal\nscorers: {near: levenshtein}\n",
            "task.yaml:5:11: warning[unused-definition] nothing uses `near`",
        ),
        (
            HEAD + "score: near\nscorers: {near: {score: levenshtein, params: {least: 1}}}\n",
            "task.yaml:5:47: warning[unused-definition] `near` does not use its parameter `least`",
        ),
        (
            HEAD + TWO + "examples: [{response: {x: 1}, reference: {x: 1}, expect: {x: 1, scor: 1}}]\n",
            "task.yaml:5:65: error[unknown-field] there is no `scor` to expect",
        ),
        (
            HEAD + TWO + "examples: [{respons: {x: 1}, reference: {x: 1}, expect: 1}]\n",
            "task.yaml:5:13: error[unknown-field] `respons` is not a part of a record of this task",
        ),
    ],
)
def test_what_has_no_effect_is_told(
    text: str, finding: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out = check(tmp_path / "task.yaml", text, capsys)
    assert finding in out
    assert code == (1 if ": error[" in finding else 0)


@pytest.mark.parametrize(
    "text",
    [
        "fields: {x: {score: equal, weight: 0}}\n",  # nothing is left to average, which the run says
        "fields: {x: {score: equal, weight: 1}}\n",  # as it would be without it
        "fields: {x: {score: equal, weight: 2}}\naggregate: sum\n",
    ],
)
def test_what_has_an_effect_is_not_told(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out = check(tmp_path / "task.yaml", HEAD + text, capsys)
    assert not any(words in out for words in ("has no effect", "nothing reads")), out
