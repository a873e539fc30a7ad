"""Whether a program prints what its test cases expect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from scoring.effects import leave_note
from scoring.registry import AtLeast, Between, primitive
from scoring.result import Unscored
from scoring.sandbox import Case, Limits, SandboxJob, current_sandbox
from scoring.sandbox.protocol import CaseResult
from scoring.values import Score


@primitive(
    uses=("programs", "notes"),
    traits=("response_alone",),
    topics=("code",),
    aka=("unit tests", "stdin stdout", "program tests", "code execution"),
)
def run_tests(
    prediction: str,
    reference: object,
    /,
    *,
    cases: object,
    seconds: Annotated[float, Between(0.01, 600)] = 5.0,
    memory_mb: Annotated[int, Between(32, 65536)] = 512,
    processes: Annotated[int, AtLeast(1)] = 16,
) -> Score:
    """The share of test cases on which a Python program prints the expected output.

    The program runs in the sandbox (docs/sandbox.md), each case on its own, with the case's input on standard input.
    Spaces at the ends of lines and blank lines at the end of the output don't count. What goes wrong in a case fails
    that case and is kept as the score's reason.

    Args:
        cases: A mapping or a list of mappings with ``input`` (a text, or a list of lines) and ``expected``.
        seconds: The time on the clock, and of the processor, for each case.
        memory_mb: The memory of each process, in MiB; of all together where the machine can bound it (docs/sandbox.md).
        processes: How many processes and threads it may have.

    Raises:
        Unscored: when there are no readable cases, or no sandbox can run here.

    Examples:
        >>> run_tests("a, b = map(int, input().split())\\nprint(a + b)", None, cases={"input": "1 2", "expected": "3"})
        1.0

    Source:
        MEGA-Bench, program_judge; pass rate over test cases as in Hendrycks et al. 2021 (APPS).
    """
    listed = listed_cases(cases)
    if not listed or not all(isinstance(case.get("expected"), str) for case in listed):
        raise Unscored("every test case needs an `expected` text")
    limits = Limits(
        wall_seconds=seconds, cpu_seconds=int(seconds) + 1, memory_bytes=memory_mb << 20, processes=processes
    )
    inputs = tuple(Case(stdin=standard_input(case)) for case in listed)
    results = current_sandbox().run(SandboxJob(prediction, inputs, limits))
    passed = [
        result.status == "ok" and printed_alike(result.stdout, _expected(case))
        for result, case in zip(results, listed, strict=True)
    ]
    return share_passed(passed, results)


def _expected(case: dict[str, Any]) -> str:
    return str(case["expected"]).replace("\r\n", "\n")


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
