"""Compute what the tools answer in a process that can be killed and reads nothing outside its folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from scoring.api.evaluating import evaluate
from scoring.api.specs import check_text
from scoring.compiler.programs.program import Program, uses
from scoring.compiler.tasks.compile import compile_task
from scoring.compiler.tasks.task import CompiledTask
from scoring.data.json_read import NotJson, parse
from scoring.data.json_write import dumps
from scoring.data.plain_files import real_path
from scoring.diagnostics.diagnostic import Diagnostic, SpecError
from scoring.diagnostics.visible import safe_line
from scoring.diagnostics.words import EFFECTS
from scoring.errors import InputError
from scoring.extensions.agents.confined import confine
from scoring.extensions.agents.inputs import MOST_REQUEST, TOOLS
from scoring.extensions.authoring.repairing import repair_text
from scoring.extensions.examples.running import run_examples
from scoring.extensions.names.named import is_task_name, spec_path
from scoring.extensions.reference.lists import listing
from scoring.extensions.tracing.verbs import explain
from scoring.format.load import Loaded, Loader
from scoring.format.model import Pack, TaskSpec
from scoring.project.find import SPEC_FILES
from scoring.report.visible import clipped
from scoring.result import describe_error

MOST_ANSWER = 60_000
"""The longest answer, in characters; a longer one says that it was cut, or is refused with advice."""
MOST_FINDINGS = 50
_MOST_BYTES = 400_000
_WHERE = "spec.yaml"
_REFUSED = ("judge", "programs")


def make_tools(folder: str) -> Callable[[bytes], str]:
    """Return the function that a child process calls for each call of a tool: JSON of a name and inputs in, the answer
    as JSON out.

    From the first call on the process is confined to `folder`.
    """
    home, state = real_path(folder), {"open": True}

    def answer(question: bytes) -> str:
        if state.pop("open", False):
            confine(home)
        return _bounded(_answered(question, home))

    return answer


def _bounded(answer: dict[str, Any]) -> str:
    text = dumps(answer)
    if len(text) <= MOST_ANSWER:
        return text
    why = f"the answer has {len(text):,} characters, and may have {MOST_ANSWER:,}: ask for less, such as fewer records"
    return dumps({"error": why})


def _answered(question: bytes, home: Path) -> dict[str, Any]:
    """Return the answer to a call as plain data; mistakes are its `error`, and its `findings` where a spec has them."""
    try:
        return _answer(question, home)
    except SpecError as error:
        return {"error": "the spec has errors", "findings": _findings(error.diagnostics)}
    except (InputError, NotJson, OSError) as error:
        return {"error": safe_line(str(error))}
    except Exception as error:  # a fault of our own is an answer, too
        return {"error": describe_error(error)}


def _answer(question: bytes, home: Path) -> dict[str, Any]:
    if len(question) > 4 * MOST_REQUEST:
        raise InputError(f"a call may have {MOST_REQUEST:,} characters")
    asked = parse(question)
    name, given = asked["name"], asked["inputs"]
    TOOLS[name].check(given)
    return _TOOLS[name](given, home)


def _check(given: Mapping[str, Any], home: Path) -> dict[str, Any]:
    text, path = _text_of(given, home)
    found = check_text(text, path=path)
    answer: dict[str, Any] = {"passed": not any(one.severity == "error" for one in found), "findings": _findings(found)}
    repaired = repair_text(text, path=path)
    if repaired.after != text:
        left = check_text(repaired.after, path=path)
        answer |= {"mended": repaired.after, "left": _findings(left)}
    return answer


def _findings(found: tuple[Diagnostic, ...]) -> list[dict[str, Any]]:
    from scoring.diagnostics.render.formats import render_diagnostics

    shown: list[dict[str, Any]] = parse(render_diagnostics(list(found[:MOST_FINDINGS]), "json", False))["diagnostics"]
    more = len(found) - MOST_FINDINGS
    return [*shown, *([{"message": f"{more} more are not shown"}] if more > 0 else [])]


def _explain(given: Mapping[str, Any], home: Path) -> dict[str, Any]:
    if "name" in given:
        if "records" in given:
            raise InputError("a record is explained by a spec: give `path` or `text` in place of `name`")
        return {"text": _clipped(explain(given["name"]).text())}
    if "records" not in given:
        raise InputError("`records` is missing: the one record to explain; `check` finds mistakes of a spec")
    return {"text": _clipped(explain(_task(given, home), given["records"]).text())}


def _score(given: Mapping[str, Any], home: Path) -> dict[str, Any]:
    if "records" not in given:
        return _examples(given, home)
    run = evaluate(_task(given, home), given["records"], keep_records=True)
    found = run.to_json()
    figures = [{name: one.get(name) for name in ("metric", "value", "note")} for one in found["metrics"]]
    records = [_record(one.to_json()) for one in run.records]
    return {"records": records, "metrics": figures, "coverage": found["coverage"], "reasons": found["reasons"]}


def _record(record: dict[str, Any]) -> dict[str, Any]:
    kept = ("id", "score", "status", "reason", "passed", "fields")
    return {name: record[name] for name in kept if name in record}


def _examples(given: Mapping[str, Any], home: Path) -> dict[str, Any]:
    loaded, loader = _loaded(given, home)
    tried = run_examples(loaded, loader, _why_left_out)
    if not tried:
        raise InputError("the spec states no examples: give `records`, or write some under `examples:`")
    wrong = [one.finding() for one in tried if one.problem is not None]
    left = sorted({one.left_out for one in tried if one.left_out})
    return {"examples": len(tried), "passed": not wrong, "findings": _findings(tuple(wrong)), "left_out": left}


def _why_left_out(programs: tuple[Program, ...]) -> str:
    for effect in _REFUSED:
        if uses({effect}, programs):
            return f"it {EFFECTS[effect]}, which this server does not"
    return ""


def _list(given: Mapping[str, Any], _home: Path) -> dict[str, Any]:
    return {"text": _clipped(listing(given.get("what"), about=given.get("about")).text())}


_TOOLS: dict[str, Callable[[Mapping[str, Any], Path], dict[str, Any]]] = {
    "check": _check,
    "explain": _explain,
    "score": _score,
    "list": _list,
}


def _clipped(text: str) -> str:
    return clipped(text, MOST_ANSWER // 2)


# ---- specs


def _task(given: Mapping[str, Any], home: Path) -> CompiledTask:
    """Return the compiled task of a call; raise InputError for what this server does not run."""
    loaded, loader = _loaded(given, home)
    if not isinstance(loaded.spec, TaskSpec) or loaded.spec.records is not None:
        kind = "data set of images" if isinstance(loaded.spec, TaskSpec) else loaded.spec.kind
        hint = "; leave `records` out to run its examples" if isinstance(loaded.spec, Pack) else ""
        raise InputError(f"records are scored by a task over rows, and this is a {kind}{hint}")
    task, _ = compile_task(loaded, loader)
    if why := _why_left_out(task.parts.programs):
        raise InputError(f"{why}: run `scoring score` yourself")
    return task


def _loaded(given: Mapping[str, Any], home: Path) -> tuple[Loaded, Loader]:
    text, path = _text_of(given, home)
    loader = Loader()
    return loader.text(text, path), loader


def _text_of(given: Mapping[str, Any], home: Path) -> tuple[str, Path]:
    """Return the text of a spec and its path; raise InputError for a path that leads out of the folder."""
    if "text" in given:
        return given["text"], home / _WHERE
    name = given["path"]
    if is_task_name(name) and Path(name).suffix not in SPEC_FILES:
        path = spec_path(name)
    else:
        path = real_path(home / name)
        if not path.is_relative_to(home):
            raise InputError(f"`{name[:200]}` is not below the folder of this server, {home}")
        if path.suffix not in SPEC_FILES:
            raise InputError(f"`{name[:200]}` is no spec file: its name ends in {', '.join(sorted(SPEC_FILES))}")
    return read_spec(path), path


def read_spec(path: Path) -> str:
    """Return the text of a spec file.

    Raises:
        InputError: when it can't be read, is no UTF-8, or is too large.
    """
    from scoring.data.os_errors import telling
    from scoring.data.plain_files import read_plain

    with telling(f"can't read {path}", (OSError, ValueError)):
        return read_plain(path, _MOST_BYTES).decode("utf-8")
