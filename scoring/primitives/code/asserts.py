"""Whether a program passes tests that call its functions."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from scoring.primitives.code.cases import (
    Before,
    JoinSetting,
    Megabytes,
    Processes,
    Seconds,
    joined,
    limits_of,
    program_of,
)
from scoring.primitives.code.programs import fault_of, verdict_of
from scoring.registry import primitive
from scoring.result import Unscored
from scoring.sandbox import Case, SandboxJob, current_sandbox
from scoring.values import Score


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
    """Tests that a program in Python passes: code with asserts about its functions.

    Both run in the sandbox (docs/sandbox.md), in two processes. The program never has the tests in its memory, and the
    tests get nothing of it but values. So a program passes by giving the right ones, and by nothing else: leaving,
    printing, catching what asserts raise, replacing functions of Python and objects that are equal to everything make
    no test pass. Tests see every name of the program, but a builtin that it hides only where they ask for no other
    name.

    Args:
        tests: Code, or a list of codes, each of which is a case of its own.
        entry_point: The function of the program that the tests' function ``check`` is called with. Tests that define no
            such function are run as they are.
        check: The name of that function.

    Raises:
        Unscored: when there are no tests, they can't be run themselves, or no sandbox can run here.
        Unparsed: when the answer is no program.

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
    cases = tuple(Case(beside=_asked(code, entry_point, check, modules)) for code in codes)
    limits = limits_of(seconds, memory_mb, processes)
    results = current_sandbox().run(SandboxJob(source + "\n", cases, limits, "apart", files))
    told = [verdict_of(result) for result in results]
    return joined(
        ["" if found.get("passed") is True else fault_of(one, found) for one, found in zip(results, told, strict=True)],
        join,
    )


def _asked(code: str, entry_point: str | None, check: str, modules: list[str]) -> Mapping[str, object]:
    calls = entry_point is not None and _defines(code, check)
    asked = {"tests": code, "check": check if calls else "", "entry_point": entry_point or "", "owner": ""}
    return {**asked, "modules": modules}


def _defines(code: str, name: str) -> bool:
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return any(isinstance(one, ast.FunctionDef | ast.ClassDef) and one.name == name for one in body)
