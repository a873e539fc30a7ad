"""MEGA-Bench as released: how its judge runs a program, inside our sandbox.

Not reproduced, because they are holes: the program can't see the expected output through the judge's variables, has
no network, no files and no environment of the host.
"""

from __future__ import annotations

from typing import Any

from scoring.packs.megabench.primitives.zero import zero_on_error
from scoring.primitives.code.cases import share_passed
from scoring.registry import primitive
from scoring.sandbox import Case, Limits, SandboxJob, current_sandbox
from scoring.values import Score

# The released judge stops a case after two seconds.
_LIMITS = Limits(wall_seconds=2.0, cpu_seconds=3, memory_bytes=1 << 30)


def _judge(prediction: Any, context: Any) -> float:
    cases = context["test_case"]
    listed = [cases] if isinstance(cases, dict) else list(cases)
    expected = [case["expected"].rstrip() for case in listed]
    inputs = tuple(Case(lines=tuple("\n".join(case["input"]).split("\n"))) for case in listed)
    if not inputs or not isinstance(prediction, str):
        return 0.0
    results = current_sandbox().run(SandboxJob(prediction, inputs, _LIMITS, dialect="released"))
    passed = [
        result.status == "ok" and result.stdout.rstrip() == wanted
        for result, wanted in zip(results, expected, strict=True)
    ]
    return share_passed(passed, results)


@primitive(uses=("programs", "notes"), traits=("response_alone",))
def megabench_upstream_program_judge(prediction: object, reference: object, /, *, context: object) -> Score:
    """The share of test cases whose output is as expected, the program being run as the released judge does.

    Without a main block in double quotes, functions of the program see neither each other nor its variables;
    ``input()`` past the end raises StopIteration; standard input is empty; ``exit()`` loses the output; the text of
    an exception counts as output.

    Args:
        context: A mapping whose ``test_case`` is a mapping, or a list of mappings, with ``input`` (lines) and
            ``expected``; without it the score is 0.

    Examples:
        >>> case = {"input": ["a"], "expected": "a"}
        >>> megabench_upstream_program_judge("print(input())", None, context={"test_case": case})
        1.0

    Source:
        MEGA-Bench, released code, program_judge.
    """
    return zero_on_error(_judge, prediction, context)
