"""Whether a program prints, or its function gives, what test cases expect."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any, Literal, TypeAlias

from scoring.depth import in_full_depth
from scoring.primitives.code.cases import (
    Before,
    JoinSetting,
    Megabytes,
    Processes,
    Seconds,
    how_it_ended,
    joined,
    limits_of,
    listed_cases,
    program_of,
    standard_input,
)
from scoring.primitives.code.comparing import (
    PRINTED,
    TOLERANCE,
    CompareSetting,
    OutputRule,
    floats_alike,
    same_values,
    with_number_keys,
)
from scoring.registry import AtLeast, checks, primitive
from scoring.registry.annotations import SettingFault
from scoring.result import Unscored
from scoring.sandbox import Case, Limits, SandboxJob, current_sandbox
from scoring.sandbox.crossing import Uncrossable, made_from, made_of
from scoring.sandbox.languages import LANGUAGES
from scoring.sandbox.protocol import CaseResult
from scoring.values import Score

LanguageName: TypeAlias = Literal["python", "bash", "c", "cpp", "javascript", "lua", "perl", "php", "ruby"]


@primitive(
    uses=("programs", "notes"),
    traits=("response_alone",),
    topics=("code",),
    aka=("unit tests", "stdin stdout", "program tests", "code execution"),
)
def run_tests(
    prediction: object,
    reference: object,
    /,
    *,
    cases: object,
    compare: CompareSetting = "lines",
    tolerance: Annotated[float, AtLeast(0)] | None = None,
    join: JoinSetting = "share",
    entry_point: str = "",
    owner: str = "",
    before: Before = "",
    main: str = "main.py",
    language: LanguageName = "python",
    may_exit: bool = False,
    seconds: Seconds = 5.0,
    memory_mb: Megabytes = 512,
    processes: Processes = 16,
) -> Score:
    """The share of test cases on which a program prints what is expected, or its function gives it.

    It runs in the sandbox (docs/sandbox.md), each case on its own, the input on standard input; what is expected never
    enters it. With an ``entry_point`` that function is called instead, with the arguments that the input is a list of,
    or that its lines are JSON of; values are equal as Python has it, a tuple standing for a list. What goes wrong in a
    case fails it and is told.

    Args:
        cases: Mappings with ``input`` and ``expected`` (or ``output``), texts or lists of lines, or one with the lists
            ``inputs`` and ``outputs``; also as JSON in a text.
        tolerance: How far numbers of ``floats`` may be off, as a share of the expected one or as such; 1e-6 by default.
        entry_point: The function that is called, of a program in Python; an empty text calls none.
        owner: The class whose new instance has the entry point, where the program has that class.
        main: Where the answer is files by their paths (`apply_patch`): the one that is run.
        language: What the program is written in; the record is unscored where nothing here runs that.
        may_exit: Whether a program in Python may leave by ``sys.exit`` with a status that is not 0.

    Raises:
        Unscored: when there are no readable cases, or no sandbox or language can run here.
        Unparsed: when the answer is no program.

    Examples:
        >>> run_tests("a, b = map(int, input().split())\\nprint(a + b)", None, cases={"input": "1 2", "expected": "3"})
        1.0
        >>> run_tests("def add(a, b): return a + b", None, cases={"input": [1, 2], "expected": 3}, entry_point="add")
        1.0

    Source:
        MEGA-Bench, program_judge; ``loose``: APPS (Hendrycks et al. 2021); ``decimals``, functions: LiveCodeBench.
    """
    listed = listed_cases(cases)
    if not listed:
        raise Unscored("there are no test cases")
    limits = limits_of(seconds, memory_mb, processes)
    if entry_point:
        return joined(_called(program_of(prediction, before, main), listed, entry_point, owner, compare, limits), join)
    program = _written(prediction, before, main, language, limits, may_exit)
    alike = PRINTED.get(compare) or partial(floats_alike, tolerance=TOLERANCE if tolerance is None else tolerance)
    return joined(_printed(program, listed, alike), join)


def _printed(
    program: Callable[[tuple[Case, ...]], SandboxJob], listed: list[dict[str, Any]], alike: Callable[[str, str], bool]
) -> list[str]:
    """What is wrong with what a program prints for each case."""
    expected = [_expected(case) for case in listed]
    results = current_sandbox().run(program(tuple(Case(standard_input(case)) for case in listed)))
    return [
        "" if one.status == "ok" and alike(one.stdout, wanted) else how_it_ended(one)
        for one, wanted in zip(results, expected, strict=True)
    ]


def _called(
    program: tuple[str, dict[str, str]],
    listed: list[dict[str, Any]],
    entry_point: str,
    owner: str,
    compare: OutputRule,
    limits: Limits,
) -> list[str]:
    """What is wrong with each call of a function of the program."""
    source, files = program
    calls = [_call(case, compare == "loose") for case in listed]
    asked: dict[str, Any] = {"tests": None, "entry_point": entry_point, "owner": owner, "modules": []}
    cases = tuple(Case(beside={**asked, "args": made_of(args, repr)}) for args, _ in calls)
    results = current_sandbox().run(SandboxJob(source, cases, limits, "apart", files))
    return [_value_fault(one, wanted, compare) for one, (_, wanted) in zip(results, calls, strict=True)]


@checks(run_tests)
def _no_idle_settings(
    compare: str | None,
    tolerance: float | None,
    entry_point: str | None,
    owner: str | None,
    language: str | None,
    may_exit: bool | None,
    **_: Any,
) -> SettingFault | None:
    if tolerance is not None and compare is not None and compare != "floats":
        return SettingFault("tolerance", f"`tolerance` is of `floats` alone, and `compare` is `{compare}`")
    if entry_point and language not in (None, "python"):
        return SettingFault("entry_point", f"functions are called in Python alone, and `language` is `{language}`")
    if may_exit and (language not in (None, "python") or entry_point):
        return SettingFault("may_exit", "`may_exit` is of programs in Python that are run as a whole")
    if owner and entry_point == "":
        return SettingFault("owner", "`owner` is the class of an `entry_point`, and there is none")
    if entry_point and compare not in (None, "lines", "loose"):
        return SettingFault("compare", f"values of a call are compared by themselves or `loose`, not by `{compare}`")
    return None


def _written(
    prediction: object, before: str, main: str, language: str, limits: Limits, may_exit: bool
) -> Callable[[tuple[Case, ...]], SandboxJob]:
    """The job of a program, all but its cases."""
    source, files = program_of(prediction, before, main)
    if language == "python":
        return lambda cases: SandboxJob(source, cases, limits, files=files, may_exit=may_exit)
    found = LANGUAGES[language]
    name = main if files else found.file
    commands = tuple(tuple(name if word == found.file else word for word in command) for command in found.run_by())
    written = {**files, name: source}
    return lambda cases: SandboxJob("", cases, limits, files=written, commands=commands, reserve=found.reserve)


def _expected(case: Mapping[str, Any]) -> str:
    found = case.get("expected")
    if isinstance(found, list) and all(isinstance(line, str) for line in found):
        found = "\n".join(found)
    if not isinstance(found, str):
        raise Unscored("every test case needs an `expected` text")
    return found.replace("\r\n", "\n")


def _call(case: Mapping[str, Any], loose: bool) -> tuple[list[Any], Any]:
    """The arguments of a call and what it is to give; a text is a line of JSON for each, and one for what it gives."""
    given, expected = case.get("input"), case.get("expected")
    if "expected" not in case:
        raise Unscored("every test case needs an `expected` value")
    if isinstance(given, str):
        try:
            given = [in_full_depth(json.loads, line) for line in given.split("\n")]
            expected = in_full_depth(json.loads, expected) if isinstance(expected, str) else expected
        except (ValueError, RecursionError):
            raise Unscored("input and expected value of a call are lines of JSON, or a list and a value") from None
    if not isinstance(given, list):
        raise Unscored("the input of a call is a list of its arguments, or a text with a line of JSON for each")
    if loose and given and isinstance(given[0], dict):
        given = [with_number_keys(given[0])]
    return given, expected


def _value_fault(result: CaseResult, expected: Any, compare: OutputRule) -> str:
    told = verdict_of(result)
    if "value" not in told:
        return fault_of(result, told)
    try:
        found = in_full_depth(made_from, told["value"])
        alike = in_full_depth(lambda: same_values(found, expected, loose=compare == "loose"))
    except Uncrossable as error:
        return f"the value differs: it is {error}"
    return "" if alike else "the value differs"


def verdict_of(result: CaseResult) -> dict[str, Any]:
    """What the process beside a program wrote; nothing where it wrote nothing."""
    try:
        told = in_full_depth(json.loads, result.stdout) if result.stdout else {}
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def fault_of(result: CaseResult, told: Mapping[str, Any]) -> str:
    """What went wrong with a program that was tested apart.

    Raises:
        Unscored: when it is the tests that can't be run.
    """
    if "broken" in told:
        raise Unscored(f"the tests can't be run: {told['broken']}")
    if "failed" in told:
        return str(told["failed"])
    if result.status == "ok" and "gone" in told:
        return "it left before its tests were done"
    return how_it_ended(result, "its tests came to no end")
