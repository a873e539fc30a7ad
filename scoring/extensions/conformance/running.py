"""Run conformance cases, and compare what comes out with what their rules require."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from scoring.api.evaluating import evaluate
from scoring.api.run import Run
from scoring.compiler.tasks.compile import compile_task
from scoring.compiler.tasks.task import CompiledTask
from scoring.data.json_write import plain
from scoring.diagnostics.diagnostic import Diagnostic, SpecError
from scoring.extensions.conformance.cases import ConformanceCase
from scoring.format.load import Loader
from scoring.format.model import TaskSpec
from scoring.format.read import read_text
from scoring.result import RecordResult
from scoring.values import is_number

IMPLIED = {"kind": "task", "name": "case"}
"""The keys that a spec given as data need not state."""

# No file is opened there: the folder only identifies the files of a case for the loader.
_FOLDER = Path("/scoring-conformance")


class UnmetPart(NamedTuple):
    """A part of a case's result that is not as its rules require.

    Args:
        place: The part, such as `records[1].score`.
        expected: What the case states.
        got: What came out.
    """

    place: str
    expected: Any
    got: Any


def unmet_parts(case: ConformanceCase) -> list[UnmetPart]:
    """Run a case, and return the parts of its result that are not as its rules require."""
    expected = dict(case.expect)
    refused, warned = expected.pop("refused", None), expected.pop("warned", None)
    try:
        task, warnings = _compiled(case)
        result = _result(evaluate(task, list(case.records))) if case.records else {}
    except SpecError as error:
        codes = _codes(error.diagnostics, "error")
        return [] if refused in codes else [UnmetPart("refused", refused, ", ".join(codes))]
    found = [] if refused is None else [UnmetPart("refused", refused, None)]
    if warned is not None and warned not in (codes := _codes(warnings, "warning")):
        found.append(UnmetPart("warned", warned, ", ".join(codes) or None))
    return [*found, *_compare(expected, result, "", case.within)]


def _compiled(case: ConformanceCase) -> tuple[CompiledTask, tuple[Diagnostic, ...]]:
    """Compile the spec of a case; it imports the case's own files, and opens none of the file system.

    Raises:
        SpecError: when the spec is refused.
    """
    loader = Loader()
    loader.trees[_FOLDER] = {name: text.encode() for name, text in case.files.items()}, None
    if case.spec is None:
        name = "case.yaml"
        loaded = loader.load(read_text(case.text, name), name=name, folder=_FOLDER)
    else:
        loaded = loader.data({**IMPLIED, **case.spec}, folder=_FOLDER)
    if not isinstance(loaded.spec, TaskSpec):
        raise SpecError.of("wrong-kind", "the spec of a case is a task", loaded.spec.span)
    return compile_task(loaded, loader)


def _codes(findings: Sequence[Diagnostic], severity: str) -> list[str]:
    return sorted({one.id for one in findings if one.severity == severity})


def _result(run: Run) -> dict[str, Any]:
    """Return the parts of a run that cases may state, as plain data."""
    return {
        "records": [_record(result) for result in run.records],
        "counts": run.summary["counts"],
        "coverage": run.summary["coverage"],
        "metrics": _by_name(run.summary["metrics"]),
        "by": {
            name: [{**group, "metrics": _by_name(group["metrics"])} for group in groups]
            for name, groups in run.summary.get("by", {}).items()
        },
    }


def _record(result: RecordResult) -> dict[str, Any]:
    fields = {name: {"status": one.status, "score": one.score} for name, one in result.fields.items()}
    found = {"id": result.id, "status": result.status, "score": result.score, "passed": result.passed}
    return {**found, "fields": fields, "values": plain(result.values), "parsed": plain(result.parsed)}


def _by_name(metrics: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {one["metric"]: one for one in metrics}


def _compare(expected: Any, found: Any, place: str, within: float) -> Iterator[UnmetPart]:
    """Yield the parts of an expected value that another one lacks, or has with another value.

    A mapping is held to the keys that the expected one has. In place of an outcome there may be its score or its
    status, and in place of a metric its value.
    """
    if isinstance(found, Mapping) and not isinstance(expected, Mapping):
        expected = _in_full(expected, found)
    if isinstance(expected, Mapping) and isinstance(found, Mapping):
        for key, value in expected.items():
            inner = f"{place}.{key}" if place else key
            if key not in found:
                yield UnmetPart(inner, value, None)
            else:
                yield from _compare(value, found[key], inner, within)
    elif isinstance(expected, list) and isinstance(found, list | tuple) and len(expected) == len(found):
        for at, (one, other) in enumerate(zip(expected, found, strict=True)):
            yield from _compare(one, other, f"{place}[{at}]", within)
    elif not _is_same(expected, found, within):
        yield UnmetPart(place, expected, found)


def _in_full(expected: Any, found: Mapping[str, Any]) -> Any:
    """Return an outcome or a metric, for which a case states only its score, its status or its value, as a mapping."""
    if "metric" in found:
        return {"value": expected}
    if "status" in found:
        return {"status": expected} if isinstance(expected, str) else {"status": "scored", "score": expected}
    return expected


def _is_same(expected: Any, found: Any, within: float) -> bool:
    if is_number(expected) and is_number(found):
        return bool(expected == found or abs(expected - found) <= within)
    return type(expected) is type(found) and bool(expected == found)
