"""One answer of each outcome, and what a host holds of it, in words: the cells of the matrix of docs/hosts.md.

Most cells are computed by running the adapter (`tests.support.host_adapters`). Those of hosts that can't be run without
their package stand in `held.toml`, and the tests in `tests/extensions/hosts/real` hold them to the real one.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeAlias

import scoring
from scoring.result import MISSING, RecordResult
from tests.support.golden import REPOSITORY

HELD: Final = REPOSITORY / "tests/extensions/hosts/held.toml"
OUTCOMES: Final[dict[str, Any]] = {
    "kind": "task",
    "name": "demo/outcomes",
    "version": "1.0.0",
    "record": {"reference": "reference"},
    "parse": "json",
    "fields": {
        "title": "each(over=reference.words, score=has_word(item), join=mean)",
        "text": "each(over=reference.words, score=has_word(item), join=min)",
    },
    "pass": "score > 0.5",
}
_GOLD = {"title": "", "text": "", "words": [["rome"], ["paris"]]}
_SAID = '{"title": "From Rome", "text": "From Rome to Paris"}'
RECORDS: Final[dict[str, tuple[Any, Any]]] = {
    "scored": (_SAID, _GOLD),
    "unparsed": ("I have no idea.", _GOLD),
    "unscored": (_SAID, None),
    "not applicable": (_SAID, _GOLD | {"words": []}),
    "empty answer": ("", _GOLD),
    "no answer": (None, _GOLD),
}
"""Answers with their references; None is what is not there."""
HostRun: TypeAlias = Callable[[scoring.Task, Sequence[Any], Sequence[Any]], Sequence[Any]]
"""A function that has a host score answers with their references, and returns what it then holds of each; None where it
has no place for the answer at all."""


def held_by_real_hosts() -> dict[str, Any]:
    """The rows of hosts that are run by their real packages alone."""
    return tomllib.loads(HELD.read_text("utf-8"))


def check_held(host: str, run: HostRun) -> None:
    """Hold the row of a host in `held.toml` to what the real one holds."""
    assert cells(run) == held_by_real_hosts()[host]["cells"], f"write the row {host} of {HELD.name} anew"


def given(gold: Any) -> Any:
    """A reference as `score_parts` takes it."""
    return MISSING if gold is None else gold


def cells(run: HostRun) -> list[str]:
    """What a host holds of each outcome, in words."""
    task = scoring.load(OUTCOMES)
    said, golds = zip(*RECORDS.values(), strict=True)
    truths = [task.score_parts(one, given(gold)) for one, gold in RECORDS.values()]
    held = run(task, said, golds)
    return [_cell(truth, one, task.signature.meaning) for truth, one in zip(truths, held, strict=True)]


def _cell(truth: RecordResult, held: Any, meaning: str) -> str:
    if held is None:
        return "nothing"
    leaves = dict(_leaves(held, ""))
    outcome = truth.outcome
    scores = sorted((path.count("."), path) for path in leaves if path.rpartition(".")[2] == "score")
    score = leaves[scores[0][1]] if scores else None
    parts = {"score": (outcome.value is None and _is_none(score)) or score == outcome.value}
    parts["status"] = outcome.status in leaves.values() or leaves.get(f".{outcome.status}") == 1.0
    if outcome.reason:
        parts["reason"] = outcome.reason in leaves.values()
    if truth.passed is not None:
        parts["passed"] = any(value is truth.passed for value in leaves.values())
    fields = {name: one.outcome.value for name, one in truth.fields.items() if one.outcome.value is not None}
    if fields:
        parts["fields"] = all(
            any(re.search(rf"\b{name}(\.score)?$", path) and value == own for path, value in leaves.items())
            for name, own in fields.items()
        )
    parts["meaning"] = meaning in leaves.values()
    lost = [name for name, is_held in parts.items() if not is_held and name != "score"]
    told = "score" if outcome.value is not None else "no score"
    first = told if parts["score"] else f"**{score}**"
    return f"{first}; lost: {', '.join(lost)}" if lost else f"{first}; all"


def _is_none(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    todo = [(path, value)]
    while todo:
        place, one = todo.pop()
        if isinstance(one, dict):
            todo += [(f"{place}.{name}", part) for name, part in one.items()]
        else:
            yield place, one
