"""What is wrong with the arguments of a verb is told in a line, and never taken for something else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import scoring

SPEC = {"kind": "task", "name": "t", "score": "equal"}
ROWS = [{"id": 1, "response": "a", "reference": "a", "group": "x"}]

WRONG: dict[str, tuple[Callable[[], Any], str]] = {
    "a state": (lambda: scoring.evaluate(SPEC, ROWS, state="some"), "there is no state `some`"),  # type: ignore[arg-type]
    "a seed": (lambda: scoring.evaluate(SPEC, ROWS, seed=-1), "a seed is a whole number, 0 or more, not -1"),
    "a seed that is a text": (lambda: scoring.evaluate(SPEC, ROWS, seed="x"), "a seed is a whole number"),  # type: ignore[arg-type]
    "a seed that is a float": (lambda: scoring.evaluate(SPEC, ROWS, seed=1.5), "a seed is a whole number"),  # type: ignore[arg-type]
    "a limit that is a float": (lambda: scoring.evaluate(SPEC, ROWS, limit=1.5), "a limit is a number of .* not 1.5"),  # type: ignore[arg-type]
    "a limit that is a text": (lambda: scoring.evaluate(SPEC, ROWS, limit="3"), "a limit is a number of .* not '3'"),  # type: ignore[arg-type]
    "a limit that is true": (lambda: scoring.evaluate(SPEC, ROWS, limit=True), "a limit is a number of .* not True"),
    "processes": (lambda: scoring.evaluate(SPEC, ROWS, processes="2"), "must be at least 1"),  # type: ignore[arg-type]
    "a breakdown": (lambda: scoring.evaluate(SPEC, ROWS, by=[1]), "a breakdown is the path of an attribute.*not 1"),  # type: ignore[list-item]
    "a folder without a name": (lambda: scoring.evaluate(SPEC, ROWS, output=""), "the run folder has no name"),
    "the seed of a task": (lambda: scoring.evaluate(scoring.load(SPEC), ROWS, seed=-1), "a seed is a whole number"),
    "a judge": (lambda: scoring.evaluate(SPEC, ROWS, judge="gpt"), r"JudgeOptions\(model='gpt'\)"),  # type: ignore[arg-type]
    "no specs to check": (lambda: scoring.check([]), "which specs"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_argument_is_refused(name: str) -> None:
    call, message = WRONG[name]
    with pytest.raises(scoring.InputError, match=message):
        call()


def test_an_option_that_there_is_not_is_told_with_the_nearest() -> None:
    with pytest.raises(TypeError, match="evaluate\\(\\) has no option `batch_sizes`; did you mean `batch_size`"):
        scoring.evaluate(SPEC, ROWS, batch_sizes=3)  # type: ignore[call-arg]


def test_a_breakdown_given_as_a_text_is_one() -> None:
    assert list(scoring.evaluate(SPEC, ROWS, by="group").summary["by"]) == ["group"]


@pytest.mark.parametrize(("ask", "role"), [(scoring.scorer, "scorer"), (scoring.parser, "parser")])
def test_a_definition_of_another_role_is_refused_with_those_there_are(
    tmp_path: Path, ask: Callable[[str], Any], role: str
) -> None:
    pack = tmp_path / "pack.yaml"
    scorers = "scorers: {same: equal}"
    pack.write_text(f"kind: pack\nname: p\nversion: 1.0.0\n{scorers}\naggregates: {{least: min}}\n", encoding="utf-8")
    with pytest.raises(scoring.SpecError, match=f"`least` of `p` is one of its aggregates, not a {role}") as error:
        ask(f"{pack}:least")
    assert f"its {role}s: {'same' if role == 'scorer' else 'none'}" in str(error.value.diagnostics[0].help)
