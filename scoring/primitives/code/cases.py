"""Test cases as records hold them, and what is told of how programs did on them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, TypeAlias

from scoring.depth import in_full_depth
from scoring.effects import leave_note
from scoring.registry import AtLeast, Between
from scoring.registry.annotations import Says
from scoring.result import Unparsed, Unscored
from scoring.sandbox import Limits
from scoring.sandbox.protocol import CaseResult

CaseJoin: TypeAlias = Literal["share", "all"]
JoinSetting = Annotated[
    CaseJoin, Says("``share``: the score is the share of cases passed; ``all``: 1 when all are, else 0.")
]
Seconds = Annotated[float, Between(0.01, 600), Says("The time on the clock, and of the processor, for each case.")]
Megabytes = Annotated[
    int,
    Between(32, 65536),
    Says("The memory of each process, in MiB; of all together where the machine can bound it (docs/sandbox.md)."),
]
Before = Annotated[
    str, Says("A text that stands before the program, such as imports, or a prompt that it goes on with.")
]
Processes = Annotated[int, AtLeast(1), Says("How many processes and threads it may have.")]
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
    """The limits of a case from what a spec says."""
    return Limits(wall_seconds=seconds, cpu_seconds=int(seconds) + 1, memory_bytes=memory_mb << 20, processes=processes)


def listed_cases(cases: Any) -> list[dict[str, Any]]:
    """The test cases as a list of mappings with ``input`` and ``expected``.

    They are one such mapping, a list of them, or one mapping with the lists ``inputs`` and ``outputs``; ``output`` is
    another name for ``expected``. A text is JSON of that.

    Raises:
        Unscored: when they are something else.

    Examples:
        >>> listed_cases('{"inputs": ["1", "2"], "outputs": ["1", "4"]}')
        [{'input': '1', 'expected': '1'}, {'input': '2', 'expected': '4'}]
    """
    if isinstance(cases, str):
        try:
            cases = in_full_depth(json.loads, cases)
        except (ValueError, RecursionError):
            raise Unscored("the test cases are a text that is no JSON") from None
    if isinstance(cases, Mapping) and "inputs" in cases:
        given, wanted = cases["inputs"], cases.get("outputs")
        if not isinstance(given, list) or not isinstance(wanted, list) or len(given) != len(wanted):
            raise Unscored("`inputs` and `outputs` of test cases are lists of one length")
        return [{"input": one, "expected": other} for one, other in zip(given, wanted, strict=True)]
    found = [cases] if isinstance(cases, dict) else cases
    if not isinstance(found, (list, tuple)) or not all(isinstance(case, dict) for case in found):
        raise Unscored("test cases are one mapping or a list of mappings")
    return [case if "expected" in case or "output" not in case else _renamed(case) for case in found]


def _renamed(case: Mapping[str, Any]) -> dict[str, Any]:
    return {**case, "expected": case["output"]}


def standard_input(case: Mapping[str, Any]) -> str:
    """The standard input of a case: its lines, each ended, or its text as it is.

    Examples:
        >>> standard_input({"input": ["1 2", "3"]})
        '1 2\\n3\\n'
    """
    given = case.get("input", "")
    if isinstance(given, (list, tuple)):
        return "".join(f"{line}\n" for line in given)
    return str(given)


def program_of(prediction: object, before: str, main: str) -> tuple[str, dict[str, str]]:
    """The text of a program, and its files by their paths; a text is a program without files.

    Raises:
        Unparsed: when the response is neither.
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
    """Files by their paths, each of which lies below the folder that they are meant for.

    Raises:
        Unscored: when a path does not, or they are too many, too large, or no texts.
    """
    if not isinstance(value, Mapping) or not all(isinstance(one, str) for pair in value.items() for one in pair):
        raise Unscored("files are a mapping of paths to texts")
    files: dict[str, str] = dict(value)
    for path in files:
        if fault := path_fault(path):
            raise Unscored(f"the path `{path[:200]}` {fault}")
    if len(files) > MOST_FILES or sum(map(len, files.values())) > _LONGEST_FILES:
        raise Unscored(f"files are at most {MOST_FILES}, of {_LONGEST_FILES >> 20} million characters in all")
    return files


def path_fault(path: str) -> str:
    """Why a path is none of a file below a folder; "" where it is one.

    Examples:
        >>> path_fault("a/b.py"), path_fault("../b.py"), path_fault("/b.py")
        ('', 'leaves its folder', 'leaves its folder')
    """
    parts = path.split("/")
    if path.startswith("/") or ".." in parts or "\\" in path:
        return "leaves its folder"
    if not path or "" in parts or "." in parts:
        return "names no file"
    if any(ord(mark) < 32 or 0xD800 <= ord(mark) < 0xE000 for mark in path) or len(path) > 400 or len(parts) > 30:
        return "is no plain path"
    return "" if all(len(part.encode()) <= 200 for part in parts) else "is no plain path"


def share_passed(passed: Sequence[bool], results: Sequence[CaseResult]) -> float:
    """The share of cases passed; the first failure is noted as its reason."""
    for number, (good, result) in enumerate(zip(passed, results, strict=True), 1):
        if not good:
            leave_note("reason", f"case {number}: {how_it_ended(result)}")
            break
    return sum(passed) / len(passed)


def how_it_ended(result: CaseResult, otherwise: str = "the output differs") -> str:
    """What went wrong in a case, in words."""
    last = result.stderr.strip().rpartition("\n")[2][:200]
    more = "; ".join(part for part in (result.detail, last) if part)
    return _WORDS.get(result.status, otherwise) + (f" ({more})" if more else "")


def joined(faults: Sequence[str], join: CaseJoin) -> float:
    """The score of cases, with a note of how each did; a case without a fault is passed."""
    first = next((number for number, fault in enumerate(faults) if fault), None)
    if first is not None:
        leave_note("reason", f"case {first + 1}: {faults[first]}")
        told = [f"{number}: {fault or 'passed'}" for number, fault in enumerate(faults[:_MOST_NOTED], 1)]
        more = [f"… {len(faults) - _MOST_NOTED} more"] if len(faults) > _MOST_NOTED else []
        leave_note("cases", [*told, *more])
    if join == "all":
        return float(first is None)
    return sum(not fault for fault in faults) / len(faults)
