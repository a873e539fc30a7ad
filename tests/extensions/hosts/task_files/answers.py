"""Answers by which each scorer of `eval.yaml` is held to Inspect's own: near the target, and far from it.

They are drawn by `Random.random` alone, which gives the same numbers in every version of Python, so that outcomes can
be kept apart from the answers (`outcomes.json`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import yaml

OUTCOMES = Path(__file__).with_name("outcomes.json")
STORED = 60
"""How many answers of each task have a stored outcome."""

_PIECES = [
    "Paris",
    "paris",
    "PARIS",
    "the",
    "a",
    "an",
    "London",
    "ANSWER: ",
    "Answer:",
    "answer :",
    "A",
    "B",
    "C",
    "b",
    "D",
    "AB",
    "A,B",
    "A, C",
    "and",
    "AND",
    "42",
    "42.0",
    "4",
    "2",
    "3.14",
    "-5",
    "−5",
    "1,200",
    "1200",
    "$1,200.00",
    "1.2e3",
    "1e5",
    "100000",
    "12345.6",
    "12346",
    "123456",
    "123461",
    "0.1",
    "50%",
    "(42)",
    "42!",
    "**42**",
    "\\$20",
    "20",
    "€20",
    "x",
    "=",
    "y",
    "x=4",
    "y=2",
    "yes",
    "no",
    ".",
    ",",
    "!",
    "?",
    ":",
    ";",
    '"',
    "'",
    "(",
    ")",
    "\n",
    "\n\n",
    " ",
    "  ",
    "\t",
    "-",
    "well-known",
    "ß",
    "SS",
    "ſ",
    "É",
    "é",
    "İ",
    "٣",
    "３",
    "5.",
    "5,",
    "1_000",
    "1 000",
    "1'000",
    "--5",
    "+7",
    "inf",
    "nan",
    "1e999",
    "",
    "**",
    "$",
    "$A$",
    "**B**",
    "(C)",
    "A.",
    "B)",
    "\\boxed{4}",
    "\\boxed{A}",
    "{",
    "}",
    "\\frac{1}{2}",
    "0.5",
    "1/2",
    "$x+1$",
    "1+x",
    "The answer is ",
    "final answer: ",
    "٫",
    "x^2",
    "of",
    "\xa0",
    "\u200b",
    "0",
    "-0",
    "00",
    "7.0",
    "7",
    "２",
    "v1.2.3",
    "2nd",
    "10-12",
    "3,4",
    "[3]",
    "`42`",
    "<42",
    "~42",
    "42.5.",
    "…",
    "。",
    "日本",
    "\r\n",
    "\x0b",
    "\x0c",
    "\x1c",
    "\x85",
    "\u2028",
]
_TARGETS = [
    "Paris",
    "42",
    "1200",
    "-5",
    "A",
    "B",
    "yes",
    "x+1",
    "\\frac{1}{2}",
    "4",
    "12346",
    "20",
    "the",
    "well-known fact",
    "3.14",
    "London",
    "7",
    "ß",
    "1e5",
    "5",
    "0",
    "60%",
    "Paris.",
    "(42)",
    "12345.6",
    "a b",
    "1 000",
    "- 5",
    "[3]",
    "2 20",
]
_LETTERS = ["A", "B", "C", "D"]
_SETS = ["A", "A,B", "AB", "B, C", "A C D", "D"]
_BEFORE = ("ANSWER: ", "Answer:", "answer : ", "\nANSWER: ", "The answer is ", "x=")
_BEHIND = ("", "}", ".", "\n", " y=2", "\nmore", ",", " and B")


@dataclass(frozen=True)
class ScorerTask:
    """A task of `eval.yaml` with one scorer."""

    id: str
    scorer: str
    args: Mapping[str, Any] = field(default_factory=dict)
    is_multiple: bool = False

    @property
    def entry(self) -> dict[str, Any]:
        """The task as it stands in the file."""
        chooser = {"name": "multiple_choice", "args": {"multiple_correct": self.is_multiple}}
        return {
            "id": self.id,
            "field_spec": {"input": "question", "target": "answer"},
            "solvers": [chooser if self.scorer == "choice" else {"name": "generate"}],
            "scorers": [{"name": self.scorer, "args": dict(self.args)}],
        }

    def cases(self, count: int) -> list[tuple[str, str]]:
        """Answers with their targets."""
        draw = Random(f"eval.yaml {self.id}")
        targets = _TARGETS if self.scorer != "choice" else _SETS if self.is_multiple else _LETTERS
        return [(_near(draw, target), target) for target in (_one(draw, targets) for _ in range(count))]


def _one(draw: Random, words: Sequence[str]) -> str:
    return words[int(draw.random() * len(words))]


def _text(draw: Random, most: int) -> str:
    between = _one(draw, ("", " "))
    return between.join(_one(draw, _PIECES) for _ in range(int(draw.random() * most)))


def _near(draw: Random, target: str) -> str:
    kind = int(draw.random() * 7)
    if kind == 0:
        return _text(draw, 6)
    if kind == 1:
        return _text(draw, 3) + target + _text(draw, 2)
    if kind == 2:
        return f"{_text(draw, 4)} {target}{_one(draw, ('', '.', '!', chr(10), ' .', '**'))}"
    if kind == 3:
        return f"{target} {_text(draw, 3)}"
    return _text(draw, 3) + _one(draw, _BEFORE) + target + _one(draw, _BEHIND)


TWO_GROUPS = r"x=(\S+)(?: y=(\d))?"
TASKS = (
    ScorerTask("includes", "includes"),
    ScorerTask("includes-case", "includes", {"ignore_case": False}),
    ScorerTask("match", "match"),
    *(ScorerTask(f"match-{where}", "match", {"location": where}) for where in ("begin", "any", "exact")),
    ScorerTask("match-case", "match", {"ignore_case": False}),
    ScorerTask("number", "match", {"numeric": True}),
    *(
        ScorerTask(f"number-{where}", "match", {"numeric": True, "location": where})
        for where in ("begin", "any", "exact")
    ),
    ScorerTask("number-case", "match", {"numeric": True, "ignore_case": False}),
    ScorerTask("pattern", "pattern", {"pattern": r"ANSWER: (\w+)"}),
    ScorerTask("pattern-two", "pattern", {"pattern": TWO_GROUPS}),
    ScorerTask("pattern-all", "pattern", {"pattern": TWO_GROUPS, "match_all": True}),
    ScorerTask("pattern-none", "pattern", {"pattern": r"\d+", "ignore_case": False}),
    ScorerTask("pattern-flags", "pattern", {"pattern": r"(?s)answer\s*:(.*)"}),
    *(ScorerTask(f"answer-{what}", "answer", {"pattern": what}) for what in ("letter", "word", "line")),
    ScorerTask("exact", "exact"),
    ScorerTask("f1", "f1"),
    ScorerTask("f1-stop", "f1", {"stop_words": ["of", "The", "Paris"]}),
    ScorerTask("choice", "choice"),
    ScorerTask("choices", "choice", is_multiple=True),
)
"""The scorers that are rules, with their options; `math`, which another parser reads, has cases of its own."""

MATH = (
    ("\\boxed{42}", "42"),
    ("so \\boxed{\\frac{1}{2}}", "0.5"),
    ("\\boxed{1}, no: \\boxed{2}", "2"),
    ("The final answer is $x+1$.", "1+x"),
    ("Answer: 12", "12"),
    ("Answer: 13", "12"),
    ("it is 7 apples", "7"),
    ("$$\\sqrt{8}$$", "2\\sqrt{2}"),
    ("\\[ x^2 - 1 \\]", "(x-1)(x+1)"),
    ("nothing", "3"),
    ("", "3"),
    ("x = 2", "x = 3"),
    ("1,234", "1234"),
    ("-5", "5"),
)
"""Answers to mathematical questions, with their targets."""

REPLIES = (
    "GRADE: C",
    "GRADE: I",
    "GRADE: P",
    "It could be GRADE: C, but no.\nGRADE: I",
    "**GRADE**: c",
    "grade : Correct.",
    "GRADE: Incorrect",
    "GRADE: partial",
    "GRADE: CI",
    "GRADE:",
    "GRADE: GRADE: C",
    "downgrade: C",
    "GRADE:\u200bC",
    "GRADE: C GRADE: X",
    "I can't say.",
    "",
    "GRADE: [[C]]",
    "verdict=P",
    "verdict=C verdict=I",
)
"""What a judge replied that was asked for a grade."""
GRADERS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "graded": ("model_graded_qa", {}),
    "graded-partly": ("model_graded_fact", {"partial_credit": True}),
    "graded-own": ("model_graded_qa", {"instructions": "End with GRADE: and C, P or I."}),
    "graded-pattern": ("model_graded_qa", {"grade_pattern": "verdict=(C|P|I)"}),
}
"""Tasks that a model grades: the scorer and its arguments."""


def write_eval_yaml(folder: Path, entries: Sequence[Mapping[str, Any]]) -> Path:
    """Write an `eval.yaml` with tasks."""
    path = folder / "eval.yaml"
    whole = {"name": "Towns", "description": "d", "evaluation_framework": "inspect-ai", "tasks": list(entries)}
    path.write_text(yaml.safe_dump(whole, allow_unicode=True), encoding="utf-8")
    return path


def write_records(path: Path, cases: Sequence[tuple[str, str]]) -> Path:
    """Write answers with their targets as records."""
    rows = [
        {"id": at, "context": "What?", "response": text, "reference": target} for at, (text, target) in enumerate(cases)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def official_outcomes() -> dict[str, list[float | None]]:
    """The stored outcomes of Inspect's own scorers, by the ids of tasks; None where a sample has no score."""
    found: dict[str, list[float | None]] = json.loads(OUTCOMES.read_text("utf-8"))
    return found
