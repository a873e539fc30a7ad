"""The scorers of Inspect that ask a model, each as a judge program whose reply names a grade.

The words of Inspect's own templates are not here: where a task brings none, the judge is asked in ours.

Source:
    UK AI Security Institute, Inspect 0.3.285: inspect_ai/scorer/_model.py, and value_to_float in _metric.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import Formatter
from typing import Any

from msgspec import Struct

from scoring.extensions.hosts.task_files.rules import WIDTH, quoted_literal
from scoring.lang.formula_printer import print_expression
from scoring.lang.parser import parse_computed

_QA = """\
You are shown a question, what an answer to it has to meet (criterion), and an answer that was submitted. Say whether
the submitted answer meets the criterion.
"""
_FACT = """\
You are shown a question, an expert's answer to it (criterion), and an answer that was submitted. Say whether the
submitted answer has the facts of the expert's. Style, grammar and punctuation play no part.
"""
_GRADES = """\
First weigh it step by step, without stating the verdict. Then end with one line, `GRADE: ` and a letter: {letters}.
"""
_LETTERS = {
    False: "C if it is correct, I if it is not",
    True: "C if it is correct, P if it is correct in part, I if not",
}
_SPACES = r"[\s\u200b\u200c\u200d\u200e\u200f\u2060\u2063\ufeff]*"
_LAST_GRADE = rf"(?is).*\bGRADE\b{_SPACES}:{_SPACES}"
_WORDS = {"c": "1", "correct": "1", "p": "0.5", "partial": "0.5", "i": "0", "incorrect": "0"}
_PARTS = ("question", "answer", "criterion", "instructions")


class Grader(Struct, frozen=True):
    """A scorer of Inspect that asks a model, as it is here.

    Args:
        pack: The pack with the program of the judge, as plain data, without its name.
        grade: The pipeline from the response to the score, in which the pack is called by the scorer's name.
        record: The names that the program reads of the record, and where they are.
        lost: What it scores otherwise than Inspect does, one line each.
    """

    pack: Mapping[str, Any]
    grade: str
    record: Mapping[str, str]
    lost: tuple[str, ...]


def grader_of(name: str, args: Mapping[str, Any]) -> Grader:
    """Return what a scorer that asks a model is here.

    Args:
        name: The name of the scorer, `model_graded_qa` or `model_graded_fact`.
        args: Its checked arguments; those that are missing have Inspect's defaults.

    Raises:
        ValueError: when the template or the pattern of grades can't be read.
    """
    is_partial = bool(args.get("partial_credit", False))
    own = args.get("instructions")
    instructions = str(own) if own else _GRADES.format(letters=_LETTERS[is_partial])
    template = args.get("template")
    prompt, others = _filled(str(template), instructions) if template else (_ours(name, instructions), ())
    record = {"question": "context", "criterion": "reference"} | {one: one for one in others}
    program = {
        "doc": f"What the judge replies where {name} of Inspect asks a model.",
        "inputs": {**{one: f"record.{one}" for one in record}, "answer": "prediction"},
        "prompt": prompt,
        "reply": {"text": {}},
        "show": [*record, "answer"],
        "gives": {"reply": "@"},
        "value": "reply",
    }
    read = _grade_of_reply(args.get("grade_pattern"), has_own=bool(own), is_partial=is_partial)
    grade = print_expression(parse_computed(f"prediction | {name}.reply | {read}"), WIDTH)
    return Grader({"judges": {"reply": program}}, grade, record, _lost(name, args))


def _ours(name: str, instructions: str) -> str:
    return (_FACT if name == "model_graded_fact" else _QA) + instructions


def _filled(template: str, instructions: str) -> tuple[str, tuple[str, ...]]:
    """Return a template with each of its places filled by the name of what is shown below it, and the names of the
    metadata among them."""
    parts, others = [], []
    try:
        for text, name, _, _ in Formatter().parse(template):
            parts.append(text)
            if name == "instructions":
                parts.append(instructions)
            elif name is not None:
                word = re.match(r"\w*", name)
                first = word[0] if word is not None else ""
                if not first or first[0].isdigit():
                    raise ValueError(f"its place {{{name}}} has no name")
                parts.append(f"({first}: see below)")
                others += [] if first in _PARTS else [first]
    except ValueError as error:
        raise ValueError(f"it is no template: {error}") from None
    return "".join(parts), tuple(dict.fromkeys(others))


def _grade_of_reply(pattern: Any, *, has_own: bool, is_partial: bool) -> str:
    """Return the pipeline from the judge's reply to the number that its grade stands for; a reply without one fails."""
    if pattern is not None:
        try:
            groups = re.compile(str(pattern)).groups
        except re.error as error:
            raise ValueError(f"it is no pattern of Python: {error}") from None
        if not groups:
            raise ValueError("it has no group, and the grade is what its first group takes; write (C|P|I)")
        values = 'C="1", P="0.5", I="0", N="0"'
        return f"find({quoted_literal(str(pattern))}, group=1) | map_words(table={{{values}}}) | float_value"
    if has_own:
        return (
            f"find({quoted_literal(_LAST_GRADE + '([CPI])')}, group=1) | lower "
            '| map_words(table={c="1", p="0.5", i="0"}) | float_value'
        )
    offered = {word: value for word, value in _WORDS.items() if is_partial or value != "0.5"}
    table = ", ".join(f'{word}="{value}"' for word, value in offered.items())
    # The last verdict counts, also one that was not offered: it is no number then, and the record has no score.
    last, word = quoted_literal(_LAST_GRADE + r"(\w*)"), f"map_words(table={{{table}}}) | float_value"
    return f"find({last}, group=1) | lower | {word}"


def _lost(name: str, args: Mapping[str, Any]) -> tuple[str, ...]:
    found = []
    if args.get("template"):
        found.append(
            f"{name}: the judge is shown the question, the criterion and the answer in fences below the template"
        )
    else:
        found.append(f"{name}: the judge is asked in our words; Inspect's are the default of `template` (_model.py)")
    if "model" in args or "model_role" in args:
        found.append(f"{name}: the judge is that of --judge-model; `model` and `model_role` of the file name none here")
    if args.get("include_history"):
        found.append(f"{name}: the judge is shown the question without the history of the chat (include_history)")
    if "reducer" in args:
        found.append(f"{name}: the opinions of a panel are joined by the settings of the run, not by `reducer`")
    if args.get("grade_pattern"):
        found.append(
            f"{name}: a grade that is neither C, P, I, N nor a number leaves a record without a score, where it is 0"
        )
    return tuple(found)
