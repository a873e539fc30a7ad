"""Values of every kind for every parameter of every public function, and the exceptions that may come out.

``python -m tests.unit.api.odd_values`` prints what breaks the law.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import os
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import scoring
from scoring import api
from scoring.api.evaluating import MoreOptions
from tests.cli.odd_arguments import desk

ALLOWED = (scoring.InputError, scoring.SpecError, scoring.Unparsed, scoring.Unscored)


class Raising:
    """Raises whatever one asks of it."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(f"asked for {name}")


_OF_ITSELF: list[Any] = []
_OF_ITSELF.append(_OF_ITSELF)
_NOTHING: tuple[Any, ...] = ()

ODD: dict[str, Any] = {
    "None": None,
    "true": True,
    "zero": 0,
    "minus one": -1,
    "a fraction": 0.5,
    "nan": float("nan"),
    "infinity": float("inf"),
    "a number of 5,000 digits": 10**5000,
    "a complex number": 1j,
    "an empty text": "",
    "a text": "odd",
    "a text with a zero byte": "a\0b",
    "a long text": "x" * 5000,
    "half a surrogate pair": "\ud800",
    "bytes": b"bytes",
    "an empty list": [],
    "a list of numbers": [1, 2],
    "a list of itself": _OF_ITSELF,
    "a tuple": (1,),
    "a set": {1},
    "an empty mapping": {},
    "a mapping of numbers": {1: 2},
    "a path": Path("nothing.yaml"),
    "a folder": Path("folder"),
    "an object": object(),
    "a class": int,
    "a function": len,
    "an exception": ValueError("odd"),
    "a generator": (one for one in _NOTHING),
    "a file": io.BytesIO(b"{}"),
    "a mapping of odd things": {"kind": object()},
}

_TASK = {"kind": "task", "name": "t", "score": "casefold | equal"}
_ROWS = [{"id": 1, "response": "a", "reference": "a"}, {"id": 2, "response": "b", "reference": "a"}]


@cache
def good() -> dict[str, tuple[Callable[..., Any], dict[str, Any]]]:
    """Every function with arguments with which it comes to its end."""
    from scoring.extensions.verification.read import read_run

    task = scoring.load(_TASK)
    run = scoring.evaluate(_TASK, _ROWS)
    scorer, parser = scoring.scorer("casefold | equal"), scoring.parser("strip")
    record = {"record": _ROWS[0]}
    return {
        "agreement": (lambda **more: scoring.judges.agreement("run", "other", **more), {}),
        "agreement of": (scoring.judges.agreement, {"runs": "run"}),
        "audit": (scoring.audit, {"spec": _TASK, "data": _ROWS}),
        "bundle": (scoring.runs.bundle, {"run": "run", "output": "new/x.zip", "force": True}),
        "calibrate": (scoring.judges.calibrate, {"run": "run", "labels": "label"}),
        "check": (scoring.check, {"specs": "task.yaml"}),
        "check_file": (scoring.specs.check_file, {"path": "task.yaml"}),
        "check_text": (scoring.specs.check_text, {"text": "kind: task"}),
        "compare": (lambda **more: scoring.compare("run", "other", **more), {}),
        "compare runs": (scoring.compare, {"runs": "run"}),
        "compare_dialects": (
            api.service("compare-dialects", "--dialects"),
            {"spec": _TASK, "data": _ROWS, "names": "equal,exact"},
        ),
        "convert": (scoring.specs.convert, {"path": "metrics.json"}),
        "evaluate": (scoring.evaluate, {"spec": _TASK, "data": _ROWS}),
        "explain": (scoring.explain, {"what": _TASK, "data": _ROWS}),
        "export_calls": (scoring.judges.export_calls, {"cache": "cache.sqlite", "target": "new/x.jsonl"}),
        "fmt": (scoring.specs.fmt, {"specs": "task.yaml", "write": False}),
        "import_calls": (scoring.judges.import_calls, {"cache": "new/x.sqlite", "source": []}),
        "list_calls": (scoring.judges.list_calls, {"cache": "cache.sqlite"}),
        "listing": (scoring.specs.listing, {"what": "packs"}),
        "load": (scoring.load, {"spec": _TASK}),
        "lock": (scoring.packs.lock, {"specs": "task.yaml"}),
        "merge": (scoring.runs.merge, {"parts": "parts"}),
        "new": (scoring.specs.new, {"kind": "task", "path": "new/x.yaml", "force": True}),
        "open_spec": (api.open_spec, {"spec": _TASK}),
        "parser": (scoring.parser, {"name": "strip"}),
        "prune_calls": (scoring.judges.prune_calls, {"cache": "cache.sqlite", "model": "x"}),
        "read_run": (read_run, {"name": "run"}),
        "score": (scoring.score, {"spec": _TASK, **record}),
        "scorer": (scoring.scorer, {"name": "equal"}),
        "test": (scoring.test, {"specs": "task.yaml"}),
        "verify": (scoring.runs.verify, {"run": "run"}),
        "Task.score": (task.score, record),
        "Task.score_parts": (task.score_parts, {"response": "a", "reference": "a"}),
        "Task.score_columns": (task.score_columns, {"responses": ["a"], "references": ["a"]}),
        "Task.evaluate": (task.evaluate, {"data": _ROWS}),
        "Task.from_bytes": (scoring.Task.from_bytes, {"data": task.to_bytes()}),
        "Task.seeded": (task.seeded, {"seed": 1}),
        "Task.worker": (lambda **more: task.worker(**more).close(), {}),
        "Run.write": (run.write, {"path": "new/run", "force": True}),
        "Run.text": (run.text, {"form": "text"}),
        "Scorer.score": (scorer.score, {"prediction": "a", "reference": "a"}),
        "Scorer.score_many": (scorer.score_many, {"predictions": ["a"], "references": ["a"]}),
        "Scorer.explain": (scorer.explain, {"prediction": "a", "reference": "a"}),
        "Parser.parse": (parser.parse, {"text": "a"}),
    }


# What a function takes beside what its signature says.
_MORE = {
    "evaluate": tuple(MoreOptions.__annotations__),
    "agreement": ("labels", "field", "pass_at"),
    "compare": ("cluster", "confidence", "resamples", "seed", "flips", "force"),
    "Task.worker": ("seconds", "memory"),
}
_DOCS = {"Task.worker": scoring.Task.worker}
_NEVER = {"on_progress", "on_note", "engine"}


def parameters(name: str, function: Callable[..., Any]) -> list[str]:
    """The names of what a function takes."""
    if name.endswith((" of", " runs")):
        return ["runs"]
    named = [one.name for one in inspect.signature(function).parameters.values() if one.kind is not one.VAR_KEYWORD]
    return [one for one in dict.fromkeys((*named, *_MORE.get(name, ()))) if one not in _NEVER and one != "self"]


def called(name: str, parameter: str, odd: Any) -> str | None:
    """What is wrong with how a function takes a value, None where nothing is."""
    function, given = good()[name]
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            if "runs" in given:
                function(odd, given["runs"])
            else:
                function(**{**given, parameter: odd})
    except ALLOWED as error:
        text = str(error)
        return None if text.strip() and len(text) < 20_000 else f"said {text[:60]!r} ({len(text)} characters)"
    except Exception as error:  # the law is that no other comes out but what the function says of itself
        if f"{type(error).__name__}:" in (_DOCS.get(name, function).__doc__ or "") and "Exceeds" not in str(error):
            return None
        return f"{type(error).__name__}: {str(error)[:200]}"
    return None


def broken() -> Iterator[tuple[str, str]]:
    """The calls that break the law, and how; made in a folder of `desk`."""
    for name, (function, _) in good().items():
        for parameter in parameters(name, function):
            for what, odd in ODD.items():
                how = called(name, parameter, odd)
                if how is not None:
                    yield f"{name}({parameter}={what})", how


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        desk(Path(place))
        os.chdir(place)
        for call, how in broken():
            print(f"{call}\n    {how!a}", flush=True)
        os.chdir("/")
