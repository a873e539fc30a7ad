"""Test cases as benchmarks write them: one mapping or a list, inputs as lines or as one text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scoring.effects import leave_note
from scoring.result import Unscored
from scoring.sandbox.protocol import CaseResult

_WORDS = {
    "failed": "it ended with an error",
    "too_slow": "it took too long",
    "too_much_output": "it wrote too much",
    "killed": "it was ended by a limit",
    "not_run": "it could not be run",
}


def listed_cases(cases: Any) -> list[dict[str, Any]]:
    """The test cases as a list of mappings.

    Raises:
        Unscored: when they are something else.
    """
    found = [cases] if isinstance(cases, dict) else cases
    if not isinstance(found, (list, tuple)) or not all(isinstance(case, dict) for case in found):
        raise Unscored("test cases are one mapping or a list of mappings")
    return list(found)


def standard_input(case: dict[str, Any]) -> str:
    """The standard input of a case: its lines, each ended, or its text as it is.

    Examples:
        >>> standard_input({"input": ["1 2", "3"]})
        '1 2\\n3\\n'
    """
    given = case.get("input", "")
    if isinstance(given, (list, tuple)):
        return "".join(f"{line}\n" for line in given)
    return str(given)


def printed_alike(printed: str, expected: str) -> bool:
    """Whether two outputs are the same lines; spaces at the ends of lines and blank lines at the end don't count."""
    return _lines(printed) == _lines(expected)


def _lines(text: str) -> list[str]:
    lines = [line.rstrip() for line in text.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def share_passed(passed: Sequence[bool], results: Sequence[CaseResult]) -> float:
    """The share of cases passed; the first failure is noted as its reason."""
    score = sum(passed) / len(passed)
    for number, (good, result) in enumerate(zip(passed, results, strict=True), 1):
        if not good:
            last = result.stderr.strip().rpartition("\n")[2][:200]
            why = _WORDS.get(result.status, "the output differs")
            more = "; ".join(part for part in (result.detail, last) if part)
            leave_note("reason", f"case {number}: {why}" + (f" ({more})" if more else ""))
            break
    return score
