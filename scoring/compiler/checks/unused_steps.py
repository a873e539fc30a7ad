"""Report steps on the reference that never run, because a later step replaces the reference or nothing looks at it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from scoring.compiler.programs.messages import Findings
from scoring.compiler.programs.program import BoundStep, Program
from scoring.diagnostics.source import Span
from scoring.format.definitions import SpecFile
from scoring.format.model import Pack
from scoring.lang.tree import Call, walk


def check_unused_steps(
    spec: SpecFile, programs: Iterable[Program], findings: Findings, unread: Program | None = None
) -> None:
    """Warn of steps in the file of ``spec`` that run nowhere in ``programs``; ``unread`` is the parse stage of a
    reference at which no field looks.

    A step on the prediction always runs, since it may find that there is no answer. A step on the reference does not if
    a later step replaces the reference, or if the scorer does not look at it. What is written once for both sides, or
    in a definition that is also used elsewhere, has its effect there.
    """
    runs, waiting = _of_importers(spec), [*programs]
    idle: list[tuple[BoundStep, str, str]] = []
    while waiting:
        program = waiting.pop()
        waiting += (one for node in program.nodes() for one in node.programs())
        steps = program.reference if program is not unread else program.prediction
        skipped = steps[: len(steps) - len(program.reference_steps)]
        idle += ((node, *_reason(program)) for node in skipped)
        known = {id(node) for node in skipped}
        runs.update(span for node in program.nodes() if id(node) not in known for span, _ in _places(node))
    for node, why, instead in idle:
        for span, name in _places(node):
            if span is not None and spec.span is not None and span.source == spec.span.source and span not in runs:
                message = f"`{name}` has no effect: {why}"
                findings.diagnostics.warning("unused-step", message, span, help=f"leave it out, or {instead}")
                break


def _of_importers(spec: SpecFile) -> set[Span | None]:
    """Return the places of steps that may run for importers: in definitions of a pack to which they give a pipeline."""
    if not isinstance(spec, Pack):
        return set()
    open_ones = (one for one in spec.definitions.values() if any(param.takes_pipeline for param in one.params))
    calls = [node for one in open_ones for node in walk(one.pipeline) if isinstance(node, Call)]
    return {place for call in calls for place in (call.span, call.name_span)}


def _places(node: BoundStep) -> Iterator[tuple[Span | None, str]]:
    """Yield where a step was written and by which name: the definitions that were called for it, then the step."""
    yield from node.callers
    yield node.span, node.step


def _reason(program: Program) -> tuple[str, str]:
    """Return why steps on the reference of a program do not run, and what else the author may have meant."""
    if program.join is None:
        return "no field looks at the reference", "let a field compare the reference"
    if not program.reference_steps:
        join = program.join.step
        return f"`{join}` does not look at the reference", "write it under `prediction` if it is meant for the response"
    name = program.reference_steps[0].step
    return f"`{name}` replaces the reference after it", f"put it after `{name}`"
