"""docs/coming-from.md says what is so: every expression in its middle column is in order, and gives what it says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import scoring
from tests.support.golden import REPOSITORY

PAGE = (REPOSITORY / "docs" / "coming-from.md").read_text(encoding="utf-8")
TASK: dict[str, Any] = {"kind": "task", "name": "t", "version": "1.0.0", "imports": {"llm": "valor-llm@1"}}
TASK["record"] = {"query": "question", "contexts": "documents"}
TOOLS = ("lm-evaluation-harness", "Inspect", "promptfoo", "stickler", "DeepEval")


def rows() -> Iterator[tuple[str, str]]:
    """The heading of each row, and its middle cell."""
    tool = ""
    for line in PAGE.splitlines():
        if line.startswith("## "):
            tool = line.removeprefix("## ")
        elif line.startswith("| ") and not line.startswith("| there "):
            cells = re.split(r"(?<!\\)\|", line)
            assert len(cells) == 5, f"a bar that is not escaped: {line}"
            yield tool, cells[2].replace("\\|", "|")


def expressions() -> list[str]:
    return [one for _, cell in rows() for one in re.findall(r"`((?:[^`]|(?<=_)`(?=\{))+)`", cell)]


@pytest.mark.parametrize("written", expressions())
def test_what_is_named_is_in_order(written: str, tmp_path: Path) -> None:
    key, _, rest = written.partition(": ")
    if key == "metrics":
        name, _, formula = rest.strip("{}").partition(": ")
        metric = {name: formula} if formula else rest
        if rest in ("macro", "micro"):  # of a suite
            (tmp_path / "t.yaml").write_text("kind: task\nname: t\nscore: equal\n")
            (tmp_path / "s.yaml").write_text(f"kind: suite\nname: s\ntasks: t.yaml\nmetrics: [{rest}]\n")
            assert not scoring.check(tmp_path / "s.yaml").findings
        else:
            assert scoring.load({**TASK, "score": "equal", "pass": "score == 1", "metrics": [metric]})
    elif key in ("fields", "pass"):
        given = yaml.safe_load(written)
        assert scoring.load({**TASK, **({} if "fields" in given else {"score": "rouge"}), **given})
    elif re.fullmatch(r"[a-z-]+@\d+", written):
        assert scoring.explain(written).to_json()["name"] == written
    elif written.startswith("llm."):
        assert scoring.load({**TASK, "fields": {"a": written}})
    else:
        assert in_order(written)


def in_order(written: str) -> bool:
    """Whether it is a scorer, or a pipeline of transforms."""
    try:
        return bool(scoring.scorer(written))
    except scoring.SpecError as error:
        if any(found.id != "no-score" for found in error.diagnostics):
            raise
        return bool(scoring.parser(written))


def test_every_tool_has_a_table() -> None:
    counts = {tool: sum(1 for one, _ in rows() if one == tool) for tool in TOOLS}
    assert min(counts.values()) >= 10, counts
    assert len(expressions()) >= 70


@pytest.mark.parametrize(
    ("there", "prediction", "reference", "score"),
    [
        ("match()", "The answer is (Paris).", ["paris"], 1.0),
        ("match()", "Paris, of course", ["paris"], 0.0),
        ("match(numeric=True)", "It costs $1,200!", ["1200"], 1.0),
        ("match(numeric=True)", "It is 25", ["5"], 0.0),
        ("choice()", "ANSWER: B", "B", 1.0),
        ("includes()", "It is PARIS, of course", ["Rome", "paris"], 1.0),
        ("exact()", "The deep, Blue sea!", ["deep blue sea"], 1.0),
        ("exact()", "sea deep blue", ["deep blue sea"], 0.0),
        ("f1()", "deep sea", ["the deep blue sea"], 0.8),
        ("contains-any", "red and blue", ["green", "blue"], 1.0),
        ("contains-all", "red and blue", ["red", "blue"], 1.0),
        ("contains-all", "red and blue", ["red", "green"], 0.0),
        ("starts-with", "yes, it is", "yes", 1.0),
        ("ExactComparator()", "SHP-1", "shp-1", 0.0),
        ("ExactComparator(case_sensitive=False)", "STRASSE", "straße", 1.0),
        ("LevenshteinComparator()", " Acme  Corp", "ACME corp.", 0.9),
        ("FuzzyComparator()", "acme", "Acme ", 1.0),
        ("NumericComparator(relative_tolerance=0.1)", "109", "100", 1.0),
        ("NumericComparator(relative_tolerance=0.1)", "111", "100", 0.0),
        ('PatternMatchMetric(r"\\d+")', "42 is it", "", 0.0),
        ("Scorer.quasi_exact_match_score", "The  Eiffel tower!", "eiffel tower", 1.0),
    ],
)
def test_what_stands_here_gives_what_is_given_there(there: str, prediction: Any, reference: Any, score: float) -> None:
    lines = [line for line in PAGE.splitlines() if line.startswith(f"| `{there}`")]
    written = re.split(r"(?<!\\)\|", lines[0])[2].replace("\\|", "|").strip().strip("`")
    assert scoring.scorer(written).score(prediction, reference).value == pytest.approx(score)
