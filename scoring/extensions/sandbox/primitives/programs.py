"""Scoring programs by the output or values that test cases expect, or by tests that call their functions."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, Literal, TypeAlias

from msgspec.structs import replace

from scoring.depth import in_full_depth
from scoring.extensions.sandbox import Case, Limits, SandboxJob, current_sandbox
from scoring.extensions.sandbox.crossing import Uncrossable, made_from, made_of
from scoring.extensions.sandbox.languages import LANGUAGES
from scoring.extensions.sandbox.primitives.cases import (
    PRINTED,
    TOLERANCE,
    Before,
    CompareSetting,
    JoinSetting,
    Megabytes,
    OutputRule,
    Processes,
    Seconds,
    floats_alike,
    how_it_ended,
    limits_of,
    listed_cases,
    program_of,
    same_values,
    score_cases,
    standard_input,
    with_number_keys,
)
from scoring.extensions.sandbox.protocol import CaseResult
from scoring.registry import AtLeast, checks, primitive
from scoring.registry.annotations import SettingFault
from scoring.result import Unscored
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
    """Return the share of test cases on which a program prints the expected output, or its function returns it.

    The program runs in the sandbox (docs/sandbox.md), separately for each case, with the input on standard input; the
    expected output never enters the sandbox. With an ``entry_point`` that function is called instead; the input is a
    list of its arguments, or has one line of JSON for each; values are equal by Python's rules, a tuple counting as a
    list. Any failure in a case fails the case and is noted.

    Args:
        cases: Mappings with ``input`` and ``expected`` (or ``output``), strings or lists of lines, or one with the
            lists ``inputs`` and ``outputs``; also as a JSON string.
        tolerance: How far numbers of ``floats`` may be off, relative to the expected one or absolute; 1e-6 by default.
        entry_point: The function to call, for programs in Python; an empty string calls none.
        owner: The class whose new instance has the entry point, if the program has that class.
        main: If the answer is files by path (`apply_patch`): the path of the file to run.
        language: The program's language; the record is unscored if it is not installed here.
        may_exit: Whether a program in Python may exit by ``sys.exit`` with a status that is not 0.

    Raises:
        Unscored: when there are no readable cases, or no sandbox or language can run here.
        Unparsed: when the answer is not a program.

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
    source, files = program_of(prediction, before, main)
    if entry_point:
        job = SandboxJob(source, (), limits, "apart", files)
        return score_cases(_called(job, entry_point, owner, listed, compare == "loose"), join)
    job = _job(source, files, main, language, limits, may_exit)
    return score_cases(_printed(job, listed, compare, TOLERANCE if tolerance is None else tolerance), join)


def _printed(job: SandboxJob, listed: list[dict[str, Any]], compare: OutputRule, tolerance: float) -> list[str]:
    """Run a program on each case, and return what is wrong with each output, "" for a pass.

    Args:
        job: The program, without cases.
        listed: The cases, with ``input`` and ``expected``.
        compare: The rule by which outputs are compared.
        tolerance: How far numbers may be off, for the rule ``floats``.
    """
    alike = PRINTED.get(compare) or partial(floats_alike, tolerance=tolerance)
    expected = [_expected(case) for case in listed]
    results = current_sandbox().run(replace(job, cases=tuple(Case(standard_input(case)) for case in listed)))
    return [
        "" if one.status == "ok" and alike(one.stdout, wanted) else how_it_ended(one)
        for one, wanted in zip(results, expected, strict=True)
    ]


def _called(job: SandboxJob, entry_point: str, owner: str, listed: list[dict[str, Any]], loose: bool) -> list[str]:
    """Call a function of a program once for each case, and return what is wrong with each result, "" for a pass.

    Args:
        job: The program, without cases.
        entry_point: The name of the function.
        owner: The class whose instance has the function, if the program has that class.
        listed: The cases, with ``input`` and ``expected``.
        loose: Whether values are compared by the looser rules of `same_values`.
    """
    request: dict[str, Any] = {"tests": None, "entry_point": entry_point, "owner": owner, "modules": []}
    calls = [_call(case, loose) for case in listed]
    cases = tuple(Case(for_tests={**request, "args": made_of(args, repr)}) for args, _ in calls)
    results = current_sandbox().run(replace(job, cases=cases))
    return [_value_fault(one, wanted, loose) for one, (_, wanted) in zip(results, calls, strict=True)]


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
        return SettingFault("tolerance", f"`tolerance` is only for `floats`, but `compare` is `{compare}`")
    if entry_point and language not in (None, "python"):
        return SettingFault("entry_point", f"functions are called only in Python, but `language` is `{language}`")
    if may_exit and (language not in (None, "python") or entry_point):
        return SettingFault("may_exit", "`may_exit` is for Python programs that are run as a whole")
    if owner and entry_point == "":
        return SettingFault("owner", "`owner` is the class of an `entry_point`, but there is none")
    if entry_point and compare not in (None, "lines", "loose"):
        return SettingFault("compare", f"values of a call are compared by themselves or `loose`, not by `{compare}`")
    return None


def _job(source: str, files: dict[str, str], main: str, language: str, limits: Limits, may_exit: bool) -> SandboxJob:
    """Return the sandbox job of a program, without its cases; `main` is the path at which the source is placed among
    the `files`, if there are any."""
    if language == "python":
        return SandboxJob(source, (), limits, files=files, may_exit=may_exit)
    found = LANGUAGES[language]
    name = main if files else found.file
    commands = tuple(tuple(name if word == found.file else word for word in command) for command in found.run_by())
    written = {**files, name: source}
    return SandboxJob("", (), limits, files=written, commands=commands, reserve=found.reserve)


def _expected(case: Mapping[str, Any]) -> str:
    found = case.get("expected")
    if isinstance(found, list) and all(isinstance(line, str) for line in found):
        found = "\n".join(found)
    if not isinstance(found, str):
        raise Unscored("every test case needs an `expected` text")
    return found.replace("\r\n", "\n")


def _call(case: Mapping[str, Any], loose: bool) -> tuple[list[Any], Any]:
    """Return the list of arguments of a call, and the expected value, from a test case; an input string has a line of
    JSON for each argument, and an expected string is then JSON, too. If `loose`, and the first argument is a mapping,
    this is the only argument, with its keys converted to integers."""
    arguments, expected = case.get("input"), case.get("expected")
    if "expected" not in case:
        raise Unscored("every test case needs an `expected` value")
    if isinstance(arguments, str):
        try:
            arguments = [in_full_depth(json.loads, line) for line in arguments.split("\n")]
            expected = in_full_depth(json.loads, expected) if isinstance(expected, str) else expected
        except (ValueError, RecursionError):
            raise Unscored("input and expected value of a call are lines of JSON, or a list and a value") from None
    if not isinstance(arguments, list):
        raise Unscored("the input of a call is a list of its arguments, or a text with a line of JSON for each")
    if loose and arguments and isinstance(arguments[0], dict):
        arguments = [with_number_keys(arguments[0])]
    return arguments, expected


def _value_fault(result: CaseResult, expected: Any, loose: bool) -> str:
    verdict = _verdict(result)
    if "value" not in verdict:
        return _fault(result, verdict)
    try:
        found = in_full_depth(made_from, verdict["value"])
        alike = in_full_depth(lambda: same_values(found, expected, loose=loose))
    except Uncrossable as error:
        return f"the value differs: it is {error}"
    return "" if alike else "the value differs"


def _verdict(result: CaseResult) -> dict[str, Any]:
    """Return the verdict written by the tests' process; empty if there is none that can be read."""
    try:
        verdict = in_full_depth(json.loads, result.stdout) if result.stdout else {}
    except (ValueError, RecursionError):
        return {}
    return verdict if isinstance(verdict, dict) else {}


def _fault(result: CaseResult, verdict: Mapping[str, Any]) -> str:
    """Return what went wrong with a program that did not pass its tests; raise Unscored if the tests themselves can't
    be run.

    Args:
        result: The result of the sandbox.
        verdict: The verdict that the tests' process wrote; empty if it wrote none.
    """
    if "broken" in verdict:
        raise Unscored(f"the tests can't be run: {verdict['broken']}")
    if "failed" in verdict:
        return str(verdict["failed"])
    if result.status == "ok" and "gone" in verdict:
        return "it exited before its tests were done"
    return how_it_ended(result, "its tests did not finish")


@primitive(
    uses=("programs", "notes"),
    traits=("response_alone",),
    topics=("code",),
    aka=("asserts", "assertions", "functional correctness", "check function"),
)
def run_asserts(
    prediction: object,
    reference: object,
    /,
    *,
    tests: object,
    entry_point: str | None = None,
    check: str = "check",
    before: Before = "",
    join: JoinSetting = "share",
    seconds: Seconds = 5.0,
    memory_mb: Megabytes = 512,
    processes: Processes = 16,
) -> Score:
    """Return the share of tests that a Python program passes: code with asserts about its functions.

    Both run in the sandbox (docs/sandbox.md), in two processes. The program never has the tests in its memory, and the
    tests receive only values from it. So a program passes only by returning the right ones: exiting, printing, catching
    the exceptions of asserts, replacing functions of Python, and objects that are equal to everything make no test
    pass. Tests see every name of the program, but a builtin that it redefines only if they use no other name.

    Args:
        tests: Code, or a list of strings of code, each of which is a separate case.
        entry_point: The function of the program that is passed to the tests' function ``check``. Tests that define no
            such function are run as they are.
        check: The name of that function.

    Raises:
        Unscored: when there are no tests, they can't be run themselves, or no sandbox can run here.
        Unparsed: when the answer is not a program.

    Examples:
        >>> run_asserts("def add(a, b): return a + b", None, tests=["assert add(1, 2) == 3", "assert add(1, 1) == 3"])
        0.5
        >>> run_asserts("import sys; sys.exit(0)", None, tests="def check(f): assert f(2) == 4", entry_point="double")
        0.0

    Source:
        HumanEval (Chen et al. 2021) and MBPP (Austin et al. 2021).
    """
    codes = [tests] if isinstance(tests, str) else tests
    if not isinstance(codes, list | tuple) or not all(isinstance(code, str) and code.strip() for code in codes):
        raise Unscored("tests are code, or a list of codes, none of which is empty")
    if not codes:
        raise Unscored("there are no tests")
    source, files = program_of(prediction, before, "")
    modules = sorted({path.split("/")[0].removesuffix(".py") for path in files})
    request = {"entry_point": entry_point or "", "owner": "", "modules": modules}
    called = [check if entry_point is not None and _defines(code, check) else "" for code in codes]
    cases = [
        Case(for_tests={**request, "tests": code, "check": name}) for code, name in zip(codes, called, strict=True)
    ]
    limits = limits_of(seconds, memory_mb, processes)
    results = current_sandbox().run(SandboxJob(source + "\n", tuple(cases), limits, "apart", files))
    verdicts = [(one, _verdict(one)) for one in results]
    return score_cases(["" if found.get("passed") is True else _fault(one, found) for one, found in verdicts], join)


def _defines(code: str, name: str) -> bool:
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return any(isinstance(one, ast.FunctionDef | ast.ClassDef) and one.name == name for one in body)
