"""Run the examples written in specs: those of each definition in a pack, and those of whole tasks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from scoring.compiler.checks.definitions import compile_definition
from scoring.compiler.checks.link import Linker
from scoring.compiler.checks.resolve import Resolver
from scoring.compiler.programs.failures import failure
from scoring.compiler.programs.messages import Findings
from scoring.compiler.programs.program import Program
from scoring.compiler.records.record_reader import RecordReader
from scoring.compiler.running.run import ScorerRunner, TransformRunner
from scoring.compiler.tasks.compile import compile_task
from scoring.compiler.tasks.compiled_parts import aggregate_fields
from scoring.compiler.tasks.task import CompiledTask
from scoring.data.json_write import dumps, plain
from scoring.diagnostics.diagnostic import Diagnostic, diagnostic
from scoring.diagnostics.source import Span
from scoring.format.definitions import Defining, Definition
from scoring.format.load import Loaded, Loader
from scoring.format.model import Pack, TaskSpec
from scoring.format.sections import SpecExample
from scoring.result import FieldResult, Outcome
from scoring.statistics.rows import Rows
from scoring.values import is_number

TOLERANCE = 1e-9
_STATUSES = ("unscored", "unparsed", "not_applicable")


class Tried(Struct, frozen=True):
    """One example and the result of running it.

    Args:
        owner: Name of the definition or task that the example belongs to.
        problem: How the result differs from the expected one; None if it does not.
        span: The example's location in the source file.
        example: The example as written in the spec.
        found: The actual result: an outcome, the result of a record, or a value; None if the example was not run.
        program: The definition's program, compiled with the example's parameters; None for a task.
        row: The parts of the record that the program read.
        left_out: The reason why the example was not run; "" if it was run.
    """

    owner: str
    problem: str | None = None
    span: Span | None = None
    example: SpecExample | None = None
    found: Any = None
    program: Program | None = None
    row: Mapping[str, Any] = field(default_factory=dict)
    left_out: str = ""

    def finding(self) -> Diagnostic:
        """Return the failed example as a finding."""
        assert self.problem is not None
        return diagnostic("error", "example-failed", f"{self.owner}: {self.problem}", self.span)


LeftOut: TypeAlias = Callable[[tuple[Program, ...]], str]
"""Given the programs that an example needs, returns the reason not to run it; "" to run it."""


def run_examples(loaded: Loaded, loader: Loader, left_out: LeftOut = lambda programs: "") -> list[Tried]:
    """Run every example of a loaded spec, and return each with its result; those to skip are returned without one.

    ``left_out`` returns the reason to skip an example, given the programs that it would run, or "" to run it.

    Raises:
        SpecError: when the spec does not compile.
    """
    spec = loaded.spec
    if isinstance(spec, TaskSpec):
        task, _ = compile_task(loaded, loader)
        why = left_out(task.parts.programs) if spec.examples else ""
        own = [
            Tried(task.name, None, example.span, example, left_out=why) if why else _task_example(task, example)
            for example in spec.examples
        ]
        return [*_examples_of_definitions(spec, loaded, loader, left_out), *own]
    if isinstance(spec, Pack):
        return list(_examples_of_definitions(spec, loaded, loader, left_out))
    return []


def _examples_of_definitions(file: Defining, loaded: Loaded, loader: Loader, left_out: LeftOut) -> Iterator[Tried]:
    for definition, example, program in compiled_examples(file, loaded, loader):
        if why := left_out((program,)):
            yield Tried(definition.name, None, example.span, example, program=program, left_out=why)
            continue
        found, row = example_value(definition, program, example.data)
        problem = _describe_difference(example.expect, found)
        yield Tried(definition.name, problem, example.span, example, found, program, row)


def compiled_examples(
    file: Defining, loaded: Loaded, loader: Loader, role: str | None = None
) -> Iterator[tuple[Definition, SpecExample, Program]]:
    """Yield each example of a file's definitions, with its definition and that definition's program, compiled with the
    example's parameters.

    If a role is given, only definitions with that role are included.

    Raises:
        SpecError: when a definition does not compile.
    """
    findings = Findings()
    scope, resolver = Linker(loader, findings).scope(loaded), Resolver(findings)
    compiled: dict[str, Program] = {}
    for definition in file.definitions.values():
        for example in definition.examples if role in (None, definition.role) else ():
            settings = dict(example.data.get("params") or {})
            key = dumps([definition.name, settings])
            if key not in compiled:
                compiled[key] = compile_definition(definition, scope, resolver, settings)
                findings.diagnostics.raise_errors()
            yield definition, example, compiled[key]


def example_value(definition: Definition, program: Program, data: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
    """Return a definition's result for an example's data (an outcome, parsed value or figure), and the row that it
    read."""
    row = example_row(data)
    try:
        return _value(definition, program, data, row), row
    except Exception as error:
        return failure(error), row


def example_row(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row that a program reads: the record, context, prediction and reference of an example's data."""
    sides = {name: data.get(name) for name in ("context", "prediction", "reference")}
    return {"record": data.get("record") or {}, **sides}


def _value(definition: Definition, program: Program, data: Mapping[str, Any], row: Mapping[str, Any]) -> Any:
    prediction = data.get("prediction")
    if definition.role == "scorer":
        return ScorerRunner(program).outcome(prediction, data.get("reference"), row)
    if definition.role == "aggregate":
        fields = {name: FieldResult(name, Outcome(score)) for name, score in dict(prediction or {}).items()}
        return aggregate_fields(program)(fields, row)
    if definition.role == "metric":
        assert program.join is not None
        return program.join.primitive.function(Rows.of_scores(list(prediction or ())), **program.join.static).value()
    return TransformRunner(program).run(prediction, row)


def direct(task: CompiledTask) -> CompiledTask:
    """Return a copy of the task that reads the parts of a record by their own names, as the task's examples write them,
    instead of by the spec's paths."""
    names = {name: name for name in task.spec.record}
    reader = RecordReader(names, task.spec.by, has_nulls=task.spec.on_null == "value")
    return CompiledTask(replace(task.parts, reader=reader))


def _task_example(task: CompiledTask, example: SpecExample) -> Tried:
    result = direct(task).score({"id": "example", **example.data})
    expected = example.expect
    if not isinstance(expected, Mapping):
        return Tried(task.name, _describe_difference(expected, result.outcome), example.span, example, result)
    others = {
        "score": result.outcome,
        "passed": result.passed,
        "pass": result.passed,
        "status": result.status,
        "parsed": result.parsed,
    }
    problems = []
    for name, wanted in expected.items():
        if name in result.fields:
            problem = _describe_difference(wanted, result.fields[name].outcome)
        else:
            problem = _describe_difference(wanted, others[name]) if name in others else "there is no such field"
        if problem is not None:
            problems.append(f"`{name}` {problem}")
    return Tried(task.name, "; ".join(problems) or None, example.span, example, result)


def _describe_difference(expected: Any, found: Any) -> str | None:
    """Return a description of how a value differs from the expected one, None if it does not.

    Examples:
        >>> _describe_difference(0.5, Outcome(0.5)), _describe_difference(1, Outcome(0.25))
        (None, 'gave 0.25, expected 1')
        >>> _describe_difference("unscored", Outcome.unscored("no judge"))
    """
    if isinstance(found, Outcome):
        if expected in _STATUSES and found.status == expected:
            return None
        if found.value is None:
            reason = f" ({found.reason})" if found.reason else ""
            return None if expected is None else f"gave {found.status}{reason}, expected {dumps(expected)}"
        found = found.value
    return None if agrees(plain(expected), plain(found)) else f"gave {_cut(found)}, expected {_cut(expected)}"


def agrees(expected: Any, found: Any) -> bool:
    """Return whether two plain values are equal, allowing `TOLERANCE` between numbers.

    Examples:
        >>> agrees({"a": [1.0]}, {"a": [1.0 + 1e-12]}), agrees(True, 1)
        (True, False)
    """
    if isinstance(expected, Mapping) and isinstance(found, Mapping):
        return expected.keys() == found.keys() and all(agrees(expected[key], found[key]) for key in expected)
    if isinstance(expected, list) and isinstance(found, list):
        return len(expected) == len(found) and all(map(agrees, expected, found))
    if is_number(expected) and is_number(found):
        return math.isclose(expected, found, rel_tol=0.0, abs_tol=TOLERANCE)
    return type(expected) is type(found) and bool(expected == found)


def _cut(value: Any) -> str:
    text = dumps(value)
    return text if len(text) <= 120 else f"{text[:120]}…"
