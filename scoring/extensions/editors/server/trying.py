"""The examples of a spec, run for an editor: never those that ask a judge, run programs or take long."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scoring.compiler.programs.program import Program
from scoring.compiler.tasks.compile import compile_task
from scoring.data.json_write import dumps, plain
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.visible import safe_line
from scoring.diagnostics.words import EFFECTS
from scoring.errors import InputError
from scoring.extensions.editors.server.specs import OpenSpec
from scoring.extensions.examples.running import Tried, direct, example_row, run_examples
from scoring.extensions.tracing.trace import trace_chain, trace_scorer
from scoring.format.model import TaskSpec
from scoring.result import Outcome, RecordResult

MOST_EXAMPLES = 200
_LONGEST = 80


def why_not_run(programs: Sequence[Program]) -> str:
    """Return why an example is not run in an editor: what its programs do besides computing; "" if it is run."""
    used = {name for program in programs for node in program.all_nodes() for name in node.primitive.uses}
    return next((words for name, words in EFFECTS.items() if name in used and name != "notes"), "")


def lenses(spec: OpenSpec) -> list[dict[str, Any]]:
    """Return the result of each example of a spec without errors, at the line where the example begins."""
    if not spec.is_spec:
        return []
    loader = spec.loader()
    try:
        tried = run_examples(loader.text(spec.text, spec.path), loader, why_not_run)
    except (SpecError, InputError):
        return []
    own = [one for one in tried[:MOST_EXAMPLES] if one.span is not None and one.span.source.name == str(spec.path)]
    return [
        {"range": spec.edited.range(one.span.start, one.span.start), "command": {"title": _title(one), "command": ""}}
        for one in own
        if one.span is not None
    ]


def _title(one: Tried) -> str:
    if one.left_out:
        return f"– not run: it {one.left_out}"
    if one.problem is not None:
        return _cut(f"✗ {one.problem}")
    found = one.found.outcome if isinstance(one.found, RecordResult) else one.found
    return _cut(f"✓ {_shown(found)}")


def _shown(found: Any) -> str:
    if isinstance(found, Outcome):
        if found.value is None:
            return found.status.replace("_", " ") + (f": {found.reason}" if found.reason else "")
        found = found.value
    return f"{found:g}" if isinstance(found, float) else dumps(plain(found))


def _cut(text: str) -> str:
    line = safe_line(text)
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def value_in_example(spec: OpenSpec, of: Mapping[str, Any]) -> str:
    """Return the values that a step gives in the first example of its definition or task; "" if none can be told.

    Args:
        spec: The spec.
        of: The name of the step, and the path of keys to its expression.
    """
    loader = spec.loader()
    try:
        loaded = loader.text(spec.text, spec.path)
        stages = _of_task(loaded, loader, of) if isinstance(loaded.spec, TaskSpec) else ()
        found = [*stages] or [*_of_definition(loaded, loader, of)]
    except (SpecError, InputError):
        return ""
    stage = next((one for one in found if one.get("stage") == of["step"]), None)
    if stage is None:
        return ""
    parts = [(name, stage[name]) for name in ("value", "prediction", "reference", "score", "error") if name in stage]
    return "; ".join(_cut(dumps(value) if name == "value" else f"{name} {dumps(value)}") for name, value in parts)


def _of_task(loaded: Any, loader: Any, of: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    path = of["path"]
    if not loaded.spec.examples or not path or path[0] not in ("score", "fields", "parse"):
        return
    task, _ = compile_task(loaded, loader)
    if why_not_run(task.parts.programs):
        return
    story = direct(task).score({"id": "example", **loaded.spec.examples[0].data}).explain()
    if path[0] == "parse":
        yield from story.get("parse", ())
    for field in story["fields"]:
        if path[0] == "score" or path[1:2] == [field["field"]]:
            yield from field["stages"]


def _of_definition(loaded: Any, loader: Any, of: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    path = of["path"]
    for one in run_examples(loaded, loader, why_not_run):
        if len(path) > 1 and one.owner == path[1] and one.program is not None and one.example and not one.left_out:
            data, row = one.example.data, example_row(one.example.data)
            if one.program.form == "scorer":
                yield from trace_scorer(one.program, data.get("prediction"), data.get("reference"), row)
            elif one.program.form == "transform":
                yield from trace_chain(one.program.prediction, data.get("prediction"), row, "prediction")
            return
