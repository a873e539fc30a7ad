"""Reading test cases from records, comparing output and values with the expected ones, and describing failures."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any, Literal, TypeAlias

from scoring.depth import in_full_depth
from scoring.effects import leave_note
from scoring.extensions.sandbox import Limits
from scoring.extensions.sandbox.protocol import CaseResult
from scoring.registry import AtLeast, Between
from scoring.registry.annotations import Doc
from scoring.result import Unparsed, Unscored

CaseJoin: TypeAlias = Literal["share", "all"]
JoinSetting = Annotated[
    CaseJoin, Doc("``share``: the score is the share of cases passed; ``all``: 1 when all are, else 0.")
]
Seconds = Annotated[float, Between(0.01, 600), Doc("The time on the clock, and of the processor, for each case.")]
Megabytes = Annotated[
    int,
    Between(32, 65536),
    Doc("The memory of each process, in MiB; of all together where the machine can bound it (docs/sandbox.md)."),
]
Before = Annotated[str, Doc("A text put before the program, such as imports, or a prompt that it continues.")]
Processes = Annotated[int, AtLeast(1), Doc("How many processes and threads it may have.")]
_MOST_NOTED = 100
MOST_FILES, _LONGEST_FILES = 2000, 32 << 20

_WORDS = {
    "failed": "it ended with an error",
    "too_slow": "it took too long",
    "too_much_output": "it wrote too much",
    "killed": "it was ended by a limit",
    "not_run": "it could not be run",
}


def limits_of(seconds: float, memory_mb: int, processes: int) -> Limits:
    """Return the limits of a case from a spec's settings: elapsed seconds, megabytes of memory, and number of
    processes."""
    return Limits(wall_seconds=seconds, cpu_seconds=int(seconds) + 1, memory_bytes=memory_mb << 20, processes=processes)


def listed_cases(cases: Any) -> list[dict[str, Any]]:
    """Return test cases, in any of the accepted forms, as a list of mappings with ``input`` and ``expected``.

    Accepted are one such mapping, a list of them, or one mapping with the lists ``inputs`` and ``outputs``; ``output``
    is another name for ``expected``. A string is parsed as JSON of one of these.

    Raises:
        Unscored: when they are anything else.

    Examples:
        >>> listed_cases('{"inputs": ["1", "2"], "outputs": ["1", "4"]}')
        [{'input': '1', 'expected': '1'}, {'input': '2', 'expected': '4'}]
    """
    if isinstance(cases, str):
        try:
            cases = in_full_depth(json.loads, cases)
        except (ValueError, RecursionError):
            raise Unscored("the test cases are a text that is not JSON") from None
    if isinstance(cases, Mapping) and "inputs" in cases:
        inputs, wanted = cases["inputs"], cases.get("outputs")
        if not isinstance(inputs, list) or not isinstance(wanted, list) or len(inputs) != len(wanted):
            raise Unscored("`inputs` and `outputs` of test cases are lists of one length")
        return [{"input": one, "expected": other} for one, other in zip(inputs, wanted, strict=True)]
    found = [cases] if isinstance(cases, dict) else cases
    if not isinstance(found, (list, tuple)) or not all(isinstance(case, dict) for case in found):
        raise Unscored("test cases are one mapping or a list of mappings")
    return [
        case if "expected" in case or "output" not in case else {**case, "expected": case["output"]} for case in found
    ]


def standard_input(case: Mapping[str, Any]) -> str:
    """Return the standard input of a case: its lines, each with a line end, or its string unchanged.

    Examples:
        >>> standard_input({"input": ["1 2", "3"]})
        '1 2\\n3\\n'
    """
    value = case.get("input", "")
    if isinstance(value, (list, tuple)):
        return "".join(f"{line}\n" for line in value)
    return str(value)


def program_of(prediction: object, before: str, main: str) -> tuple[str, dict[str, str]]:
    """Return the source of the program in an answer, and its files by path; an answer that is a string is a program
    without files.

    Args:
        prediction: The answer: a string, or a mapping of paths to texts.
        before: Code that is placed before the program.
        main: The path of the file to run, if there are files; "" for none.

    Raises:
        Unparsed: when the answer is neither, or lacks the file `main`.
    """
    if isinstance(prediction, str):
        return before + prediction, {}
    if not isinstance(prediction, Mapping):
        raise Unparsed(f"a program is a text, or files by their paths, and the answer is {_kind(prediction)}")
    files = files_of(prediction)
    if main and main not in files:
        raise Unparsed(f"the answer has no file `{main}`")
    return before + files.get(main, ""), files


def _kind(value: object) -> str:
    words = {bool: "true or false", int: "a number", float: "a number", list: "a list", type(None): "nothing"}
    return words.get(type(value), "something else")


def files_of(value: object) -> dict[str, str]:
    """Return a mapping of paths to texts after checking it: each path must lead to a file inside the folder where the
    files are placed.

    Raises:
        Unscored: when a path does not, or the files are too many, too large, or not strings.
    """
    if not isinstance(value, Mapping) or not all(isinstance(one, str) for pair in value.items() for one in pair):
        raise Unscored("files are a mapping of paths to texts")
    files: dict[str, str] = dict(value)
    for path in files:
        if fault := find_case_path_fault(path):
            raise Unscored(f"the path `{path[:200]}` {fault}")
    if len(files) > MOST_FILES or sum(map(len, files.values())) > _LONGEST_FILES:
        raise Unscored(f"files are at most {MOST_FILES}, of {_LONGEST_FILES >> 20} million characters in all")
    return files


def find_case_path_fault(path: str) -> str:
    """Return the reason why a path is not that of a file inside a folder; "" if it is.

    Examples:
        >>> find_case_path_fault("a/b.py"), find_case_path_fault("../b.py"), find_case_path_fault("/b.py")
        ('', 'leaves its folder', 'leaves its folder')
    """
    parts = path.split("/")
    if path.startswith("/") or ".." in parts or "\\" in path:
        return "leaves its folder"
    if not path or "" in parts or "." in parts:
        return "names no file"
    if any(ord(mark) < 32 or 0xD800 <= ord(mark) < 0xE000 for mark in path) or len(path) > 400 or len(parts) > 30:
        return "is not a plain path"
    return "" if all(len(part.encode()) <= 200 for part in parts) else "is not a plain path"


def share_passed(passed: Sequence[bool], results: Sequence[CaseResult]) -> float:
    """Return the share of cases that passed, and record what went wrong in the first failed one as a note.

    Args:
        passed: Whether each case passed.
        results: The result of each case.
    """
    for number, (good, result) in enumerate(zip(passed, results, strict=True), 1):
        if not good:
            leave_note("reason", f"case {number}: {how_it_ended(result)}")
            break
    return sum(passed) / len(passed)


def how_it_ended(result: CaseResult, otherwise: str = "the output differs") -> str:
    """Return words for what went wrong in a case, from the status, detail and last error line of its result;
    `otherwise` if it ended normally."""
    last = result.stderr.strip().rpartition("\n")[2][:200]
    more = "; ".join(part for part in (result.detail, last) if part)
    return _WORDS.get(result.status, otherwise) + (f" ({more})" if more else "")


def score_cases(faults: Sequence[str], join: CaseJoin) -> float:
    """Return the share of cases that passed, or, if `join` is "all", 1 only if all did; record failures as notes.

    Args:
        faults: What went wrong in each case; "" for a pass.
        join: ``share`` or ``all``.
    """
    first = next((number for number, fault in enumerate(faults) if fault), None)
    if first is not None:
        leave_note("reason", f"case {first + 1}: {faults[first]}")
        lines = [f"{number}: {fault or 'passed'}" for number, fault in enumerate(faults[:_MOST_NOTED], 1)]
        more = [f"… {len(faults) - _MOST_NOTED} more"] if len(faults) > _MOST_NOTED else []
        leave_note("cases", [*lines, *more])
    if join == "all":
        return float(first is None)
    return sum(not fault for fault in faults) / len(faults)


OutputRule: TypeAlias = Literal["lines", "exact", "tokens", "floats", "decimals", "loose"]
CompareSetting = Annotated[
    OutputRule,
    Doc(
        "``lines``: spaces at the ends of lines and blank lines at the end don't count; ``exact``; ``tokens``: the "
        "same words between white space; ``floats``: words, where numbers may differ by the tolerance; ``decimals``: "
        "lines without the space around them, where those of numbers are equal by value; ``loose``: the lines, near "
        "numbers, or the same words of lines in any order, for values also the first of expected ones."
    ),
]
TOLERANCE = 1e-6


def _lines(text: str) -> list[str]:
    """Return the lines of an output, ignoring spaces at the ends of lines and blank lines at the end."""
    lines = [line.rstrip() for line in text.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def floats_alike(printed: str, expected: str, tolerance: float = TOLERANCE) -> bool:
    """Return True if two outputs have the same words, where numbers may differ by a relative or absolute tolerance.

    Examples:
        >>> floats_alike("0.3333333 yes", "0.33333333 yes"), floats_alike("0.33 yes", "0.33333333 yes")
        (True, False)
    """
    ours, theirs = printed.split(), expected.split()
    return len(ours) == len(theirs) and all(
        one == other or _near(one, other, tolerance) for one, other in zip(ours, theirs, strict=True)
    )


def _near(one: str, other: str, tolerance: float) -> bool:
    try:
        found, wanted = float(one), float(other)
    except ValueError:
        return False
    return found == wanted or abs(found - wanted) <= tolerance * max(1.0, abs(wanted))


def decimals_alike(printed: str, expected: str) -> bool:
    """Return True if two outputs have the same lines, ignoring space around them, or each line has equal numbers.

    Examples:
        >>> decimals_alike("1.50 2\\n", "1.5 2.0"), decimals_alike("1 2", "1\\n2")
        (True, False)

    Source:
        LiveCodeBench, lcb_runner/evaluation/testing_util.py, grade_stdio.
    """
    ours, theirs = (text.strip().split("\n") for text in (printed, expected))
    return len(ours) == len(theirs) and all(
        one.strip() == other.strip() or _same_decimals(one, other) for one, other in zip(ours, theirs, strict=True)
    )


def _same_decimals(one: str, other: str) -> bool:
    try:
        return [Decimal(word) for word in one.split()] == [Decimal(word) for word in other.split()]
    except InvalidOperation:
        return False


def loosely_alike(printed: str, expected: str) -> bool:
    """Return True if a printed output is accepted by any of several rules: equal lines, near numbers, or the same words
    in any order.

    Source:
        APPS, eval/testing_util.py, run_test.
    """
    ours = printed.splitlines()
    stripped = "\n".join(line.strip() for line in ours).strip()
    if expected.strip() in ("\n".join(ours).strip(), stripped) or ours == [expected]:
        return True
    theirs = [line.strip() for line in expected.split("\n") if line]
    if ours == theirs:
        return True
    ours = [line for line in ours if line]
    if ours == theirs or _close_numbers(ours, theirs):
        return True
    left, right = [set(line.split()) for line in ours if line.split()], [set(line.split()) for line in theirs]
    if {frozenset(words) for words in left} == {frozenset(words) for words in right}:
        return True
    with contextlib.suppress(ValueError):
        return _rounded(left) == _rounded(right)
    return False


def _close_numbers(ours: list[str], theirs: list[str]) -> bool:
    try:
        pairs = list(zip(map(float, ours), map(float, theirs), strict=True))
    except ValueError:
        return False
    return all(
        one == other or (math.isfinite(other) and abs(one - other) <= 1e-8 + 1e-5 * abs(other)) for one, other in pairs
    )


def _rounded(lines: list[set[str]]) -> set[frozenset[float]]:
    return {frozenset(round(float(word), 3) for word in words) for words in lines}


PRINTED: Mapping[OutputRule, Callable[[str, str], bool]] = {
    "lines": lambda printed, expected: _lines(printed) == _lines(expected),
    "exact": lambda printed, expected: printed == expected,
    "tokens": lambda printed, expected: printed.split() == expected.split(),
    "decimals": decimals_alike,
    "loose": loosely_alike,
}
"""The comparison rules for outputs, except `floats`, which has a tolerance."""


def same_values(found: Any, expected: Any, *, loose: bool) -> bool:
    """Return whether the value of a call equals the expected one by Python's rules; a tuple counts as a list.

    If ``loose``, the value may also equal the first item of the expected list, and tuples in the value count as lists.

    Examples:
        >>> same_values((1, 2), [1, 2], loose=False), same_values([(1, 2)], [[[1, 2]]], loose=True)
        (True, True)

    Source:
        LiveCodeBench and APPS, testing_util.py.
    """
    value = list(found) if isinstance(found, tuple) else found
    wanted = _with_numbers(expected) if loose else expected
    if value == wanted or not loose:
        return bool(value == wanted)
    if not isinstance(wanted, list) or not wanted:
        return False
    if value == wanted[0]:
        return True
    pairs = isinstance(value, list) and bool(value) and isinstance(value[0], tuple)
    return (
        pairs
        and all(isinstance(one, list | tuple | set | str | dict) for one in value)
        and [list(one) for one in value] == wanted[0]
    )


def _with_numbers(expected: Any) -> Any:
    """Return a one-item list with the expected mapping, its keys converted to integers (`with_number_keys`), if the
    expected value is a mapping or a list whose first item is one; return any other value unchanged.
    """
    for value in (expected, expected[0] if isinstance(expected, list) and expected else None):
        if isinstance(value, dict):
            return [with_number_keys(value)]
    return expected


def with_number_keys(value: Mapping[str, Any]) -> dict[Any, Any]:
    """Return a mapping with its keys converted to integers; unchanged if a key is not an integer.

    Examples:
        >>> with_number_keys({"1": "a"}), with_number_keys({"x": "a"})
        ({1: 'a'}, {'x': 'a'})
    """
    try:
        return {int(key): item for key, item in value.items()}
    except ValueError:
        return dict(value)
