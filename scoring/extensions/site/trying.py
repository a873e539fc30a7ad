"""Running definitions for a served site, in a process that can be killed (`extensions/processes/child.py`).

A request comes from a page, so everything in it may be invalid; errors are reported with their position in the input.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from scoring.compiler.checks.definitions import compile_definition
from scoring.compiler.checks.resolve import Resolver
from scoring.compiler.programs.program import Program
from scoring.compiler.programs.scope import Scope
from scoring.data.json_read import NotJson, parse
from scoring.data.json_write import dumps, plain
from scoring.diagnostics.diagnostic import Diagnostic, SpecError
from scoring.diagnostics.source import Fragment
from scoring.diagnostics.visible import safe_line
from scoring.diagnostics.words import EFFECTS
from scoring.errors import InputError
from scoring.extensions.examples.running import example_value
from scoring.extensions.judge.judge_of_run import judge_of
from scoring.extensions.judge.judge_options import JudgeOptions
from scoring.extensions.site.files import FileKey, SiteFile, SiteFiles
from scoring.extensions.tracing.documents import stage_branches
from scoring.extensions.tracing.trace import trace_chain, trace_scorer
from scoring.format.definitions import Definition
from scoring.lang.parser import parse_pipeline
from scoring.report.document import Branch, spans
from scoring.report.visible import clipped
from scoring.result import Outcome, describe_error

MOST_STAGES = 500
"""The largest number of stages in an answer."""
AS_DATA = ("aggregate", "metric")


class _Mistake(Exception):
    """The exception for an error in the user's input, with the input field and the range of characters to underline in
    it."""

    def __init__(self, place: str, message: str, text: str = "", at: tuple[int, int] | None = None) -> None:
        super().__init__(message)
        self.found = _finding_data(message, place, text, at)


class TryerSettings(Struct, frozen=True):
    """The settings with which a process runs definitions of a site.

    Args:
        specs: The specs of the site, as given by the user.
        tries: The file and name of each definition, by its target on the site.
        allowed: The effects that definitions may have: ``judge``, ``programs``.
        dialect: The dialect in which files of other tools are read.
    """

    specs: tuple[str, ...]
    tries: Mapping[str, tuple[FileKey, str]]
    allowed: tuple[str, ...] = ()
    dialect: str | None = None


def make_answerer(settings: TryerSettings) -> Callable[[bytes], str]:
    """Return the function that the child process calls for each request of a page; it takes the request's bytes and
    returns the answer as JSON."""
    files = SiteFiles(settings.specs, settings.dialect).by_key
    return lambda question: dumps(_answered(question, settings, files))


def _answered(question: bytes, site: TryerSettings, files: Mapping[FileKey, SiteFile]) -> dict[str, Any]:
    """Return the answer to a request, as plain data: the result of the definition with its stages, or the errors as
    findings."""
    try:
        return _answer(parse(question), site, files)
    except _Mistake as mistake:
        return {"findings": [mistake.found]}
    except SpecError as error:
        return {"findings": [_finding(one) for one in error.diagnostics]}
    except (InputError, NotJson) as error:
        return {"findings": [_finding_data(safe_line(str(error)))]}
    except Exception as error:  # an error of our own is reported on the page, too
        return {"findings": [_finding_data(describe_error(error))]}


def _answer(question: Any, site: TryerSettings, files: Mapping[FileKey, SiteFile]) -> dict[str, Any]:
    if not isinstance(question, dict) or not isinstance(question.get("definition"), str):
        raise InputError("a request is a mapping that names a definition")
    tried = site.tries.get(question["definition"])
    if tried is None:
        raise InputError("there is no such definition on this site")
    file, name = tried
    if file not in files:
        raise InputError("the file has changed since the site was made; start `scoring site --serve` again")
    definition = files[file].definitions[name]
    data = {
        name: _typed_value(question.get(name), name, definition)
        for name in ("prediction", "reference", "record", "context")
        if question.get(name) is not None
    }
    params = _arguments(definition, question.get("params"))
    program = _compiled(definition, files[file].scope, params, question.get("expression"))
    effects = effects_of(program)
    for name in effects:
        if name not in site.allowed:
            raise InputError(f"it {EFFECTS[name]}; start again with `--allow {name}`")
    with ExitStack() as stack:
        if "judge" in effects:
            # Tracing the stages asks the same questions again.
            stack.enter_context(judge_of(JudgeOptions().remembering(), needed=True))
        found, row = example_value(definition, program, data)
        branches = stage_branches(stages_of(program, data, row))
    status = found.status if isinstance(found, Outcome) else "scored"
    return {"gave": clipped(found_text(found)), "status": status, "stages": _plain_branches(branches)}


def _compiled(definition: Definition, scope: Scope, params: Mapping[str, Any], expression: Any) -> Any:
    resolver = Resolver(root=scope)
    if expression is not None:
        if not isinstance(expression, str):
            raise _Mistake("expression", "an expression is a text")
        definition = replace(definition, pipeline=parse_pipeline(Fragment.of(expression, "expression")))
    program = compile_definition(definition, scope, resolver, params)
    resolver.findings.diagnostics.raise_errors()
    return program


def _typed_value(typed: Any, name: str, definition: Definition) -> Any:
    """Return the value that the user typed for the part `name` of a record: the text itself, or the value of its
    JSON.

    Raise _Mistake when it is not JSON, or of another type than the definition takes.
    """
    if not isinstance(typed, dict) or not isinstance(typed.get("text"), str):
        raise _Mistake(name, f"`{name}` is a text, or JSON in a text")
    if typed.get("as") == "text":
        return typed["text"]
    value = _json(typed["text"], name)
    wanted: dict[str, type] = {"record": dict}
    if name == "prediction" and definition.role in AS_DATA:
        wanted[name] = dict if definition.role == "aggregate" else list
    if name in wanted and not isinstance(value, wanted[name]):
        kind = "a mapping" if wanted[name] is dict else "a list"
        raise _Mistake(name, f"`{name}` is {kind} here, such as {_SAMPLES[wanted[name]]}", typed["text"])
    return value


_SAMPLES: dict[type, str] = {dict: '`{"a": 1, "b": 0.5}`', list: "`[1, 0.5, 0]`"}


def _arguments(definition: Definition, typed: Any) -> dict[str, Any]:
    typed = {} if typed is None else typed
    known = {param.name: param for param in definition.params}
    if not isinstance(typed, dict) or not all(isinstance(one, str) for one in typed.values()):
        raise InputError("parameters are a mapping of names to texts")
    found = {}
    for name, text in typed.items():
        place = f"param {name}"
        if name not in known:
            raise _Mistake(place, f"`{definition.name}` has no parameter `{name}`")
        if text.strip() and known[name].takes_pipeline:
            parse_pipeline(Fragment.of(text, place))
            found[name] = text
        elif text.strip():
            found[name] = _json(text, place)
    return found


def _json(text: str, place: str) -> Any:
    try:
        return parse(text)
    except NotJson as error:
        raise _Mistake(place, safe_line(str(error)), text, _place_of(text)) from None


def _place_of(text: str) -> tuple[int, int] | None:
    """Return the start and end of the character at which a text stops being JSON; None if there is no such
    character."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        at = min(error.pos, max(len(text) - 1, 0))
        return at, at + 1
    except (ValueError, RecursionError):
        return None
    return None


def _finding_data(
    message: str, where: str = "", text: str = "", span: tuple[int, int] | None = None, hints: Iterable[str] = ()
) -> dict[str, Any]:
    return {"where": where, "message": message, "text": text, "span": span, "help": list(hints)}


def _finding(found: Diagnostic) -> dict[str, Any]:
    """Return a finding as plain data for the page: its message, the line of the expression, and the columns to
    underline in it."""
    if found.span is None:
        return _finding_data(found.message, hints=found.help)
    source, start = found.span.source, found.span.column - 1
    text = source.line_text(found.span.line)
    end = min(start + max(found.span.end - found.span.start, 1), max(len(text), start + 1))
    place = source.name if source.name == "expression" or source.name.startswith("param ") else ""
    return _finding_data(found.message, place, text[:2_000], (start, end), found.help)


def _plain_branches(branches: Iterable[Branch]) -> list[dict[str, Any]]:
    """Return the first branches of a tree of stages as plain data, which the page's script shows as text, never as
    markup."""
    found: list[dict[str, Any]] = []
    waiting = [(branch, found) for branch in reversed([*branches])]
    count = 0
    while waiting and count < MOST_STAGES:
        branch, into = waiting.pop()
        below: list[dict[str, Any]] = []
        pieces = [(clipped(piece.text), piece.look) for piece in spans(branch.text)]
        into.append({"name": clipped(branch.name), "pieces": pieces, "below": below})
        waiting += [(one, below) for one in reversed(branch.children)]
        count += 1
    return found


# ---- functions that the pages use, too


def effects_of(*programs: Program) -> tuple[str, ...]:
    """Return what programs do besides computing: ``judge`` if one calls a judge, ``programs`` if one runs untrusted
    programs."""
    used = {name for program in programs for node in program.all_nodes() for name in node.primitive.uses}
    return tuple(name for name in EFFECTS if name in used and name != "notes")


def stages_of(program: Program, inputs: Mapping[str, Any], row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the stages of scoring with a scorer or a transform, as `explain` shows them; [] for an aggregate or a
    metric.

    Args:
        program: The compiled definition.
        inputs: The prediction and the reference, by name.
        row: The values of the record that expressions can name.
    """
    if program.form == "scorer":
        return trace_scorer(program, inputs.get("prediction"), inputs.get("reference"), row)
    if program.form == "transform":
        return trace_chain(program.prediction, inputs.get("prediction"), row, "prediction")
    return []


def found_text(found: Any) -> str:
    """Return the result of running a definition on one line: its value, or the status of the failure with its
    reason."""
    if not isinstance(found, Outcome):
        return dumps(plain(found))
    if found.value is not None:
        return dumps(plain(found.value))
    return found.status.replace("_", " ") + (f": {found.reason}" if found.reason else "")
