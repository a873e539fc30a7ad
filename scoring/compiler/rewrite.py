"""Rewrites that keep every result and make programs quicker."""

from __future__ import annotations

from scoring.compiler.program import Program


def lift_attempts(program: Program) -> tuple[Program, float | None]:
    """The inner program of a scorer that is wholly wrapped in a step that catches, and what failures score instead.

    The inner program keeps its batch form, which a call from inside a primitive would lose.
    """
    otherwise: float | None = None
    while (inner := _wrapped(program)) is not None:
        join = program.join
        assert join is not None
        # The innermost one decides: what it catches never reaches those around it.
        param = join.primitive.param("otherwise")
        otherwise = float(join.static.get("otherwise", param.default if param else 0.0))
        program = inner
    return program, otherwise


def _wrapped(program: Program) -> Program | None:
    """The pipeline inside a step that catches its failures, where that is all there is."""
    join = program.join
    if join is None or "catches" not in join.primitive.traits or "otherwise" in join.dynamic:
        return None
    if program.prediction or program.reference or program.rescorers:
        return None
    inner = join.nested.get("scorer")
    return inner if isinstance(inner, Program) else None
