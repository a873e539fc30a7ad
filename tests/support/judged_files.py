"""A small judged task on disk: a cascade of a rule and a judge program, and records that meet both branches."""

from __future__ import annotations

import json
from pathlib import Path

PACK = """\
kind: pack
name: same-answer
version: 1.0.0
judges:
  same_answer:
    doc: 1 where the response says the same as the reference.
    inputs: {response: prediction, wanted: reference}
    prompt: Do the two answers mean the same?
    reply:
      json:
        type: object
        required: [verdicts]
        properties:
          verdicts: {type: array, minItems: 1, maxItems: 1, items: {type: string, enum: ["yes", "no"]}}
    show: [response, wanted]
    gives: {verdicts: verdicts}
    score: count(verdicts, yes)
"""

TASK = """\
kind: task
name: demo/cascade
version: 1.0.0
imports: {mine: ./judges.yaml}
by: [human]
fields:
  answer: {score: 'cascade(rule=casefold | levenshtein, unsure=mine.same_answer, low=0.2, high=0.95)'}
"""


def write_files(folder: Path, count: int) -> tuple[Path, Path]:
    """The task and its records; one record in five is sure without the judge."""
    (folder / "judges.yaml").write_text(PACK, encoding="utf-8")
    (folder / "task.yaml").write_text(TASK, encoding="utf-8")
    lines = [json.dumps(record(number)) for number in range(count)]
    (folder / "records.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder / "task.yaml", folder / "records.jsonl"


def record(number: int) -> dict[str, object]:
    """A record; a human label stands beside it."""
    reference = f"the answer to question {number}"
    response = reference.upper() if number % 5 == 0 else f"{reference}, I believe"
    return {"id": number, "response": response, "reference": reference, "human": number % 3 != 0}
