"""What hosts hold of each outcome: every cell of the matrix is computed by running the adapter and reading its reply.

``python -m tests.support.host_matrix`` writes the tables of docs/hosts.md anew. Platforms, whose rows need their real
packages, have a page of their own (`tests.support.platforms`).
"""

from __future__ import annotations

import asyncio
import math
import re
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, TypeAlias

import scoring
from scoring.errors import InputError
from scoring.extensions.hosts.modules.host_task import HostTask
from scoring.extensions.hosts.modules.lighteval import SpecScorer
from scoring.extensions.hosts.modules.lm_eval import HarnessTask
from scoring.extensions.hosts.modules.opencompass import SpecEvaluator
from scoring.extensions.hosts.rewards.verifiers import TraceReward
from scoring.result import MISSING, RecordResult
from tests.support.golden import REPOSITORY
from tests.support.host_logs import LOG_FORMS, written_back
from tests.support.host_runs import run_table
from tests.support.platforms import OUTCOMES

PAGE: Final = REPOSITORY / "docs/hosts.md"
START: Final = "| host |"
RUN_START: Final = "| run |"
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
HostRun: TypeAlias = Callable[[scoring.Task, Sequence[Any], Sequence[Any]], Sequence[Any]]
"""A function that has a host score answers with their references, and returns what it then holds of each."""


def _rows(golds: Sequence[Any]) -> list[dict[str, Any]]:
    return [{"reference": gold} for gold in golds]


def _trl(task: scoring.Task, said: Sequence[Any], golds: Sequence[Any]) -> list[Any]:
    logged: dict[str, Any] = {}
    found = scoring.rewards.trl(task)(
        ["?"] * len(said), said, reference=golds, log_extra=logged.__setitem__, log_metric=lambda name, value: None
    )
    return [
        {"score": score, "status": status, "reason": reason}
        for score, status, reason in zip(found, logged["status"], logged["reason"], strict=True)
    ]


def _verl(task: scoring.Task, said: Sequence[Any], golds: Sequence[Any]) -> list[Any]:
    return [scoring.rewards.verl(task)("demo", one, gold) for one, gold in zip(said, golds, strict=True)]


def _openrlhf(task: scoring.Task, said: Sequence[Any], golds: Sequence[Any]) -> list[Any]:
    queries = [f"? {one or ''}" for one in said]
    found = scoring.rewards.openrlhf(task).reply({"query": queries, "prompts": ["? "] * len(said), "labels": golds})
    logs = found["extra_logs"]
    return [
        {"score": score, **{name: column[place] for name, column in logs.items()}}
        for place, score in enumerate(found["rewards"])
    ]


def _areal(task: scoring.Task, said: Sequence[Any], golds: Sequence[Any]) -> list[Any]:
    reward = scoring.rewards.areal(task)
    return [{"score": reward("?", one, **row)} for one, row in zip(said, _rows(golds), strict=True)]


async def _awaited(found: Awaitable[Any]) -> Any:
    return await found


def _traced(reward: TraceReward, said: Sequence[Any], golds: Sequence[Any]) -> list[Any]:
    held = []
    for one, row in zip(said, _rows(golds), strict=True):
        trace = SimpleNamespace(root_reply=one, assistant_messages=(), info={})
        try:
            found = asyncio.run(_awaited(reward(SimpleNamespace(model_dump=row.copy), trace)))
        except InputError:  # by which prime-rl leaves a trace out
            found = {}
        held.append({"score": None if found == {} else found, **trace.info})
    return held


def _verifiers(task: scoring.Task, said: Sequence[Any], golds: Sequence[Any]) -> list[Any]:
    return _traced(scoring.rewards.verifiers(task), said, golds)


def _prime_rl(task: scoring.Task, said: Sequence[Any], golds: Sequence[Any]) -> list[Any]:
    return _traced(scoring.rewards.prime_rl(task), said, golds)


def _given(gold: Any) -> Any:
    return MISSING if gold is None else gold


def _lm_eval(task: scoring.Task, said: Sequence[Any], golds: Sequence[Any]) -> list[Any]:
    with tempfile.TemporaryDirectory() as folder:
        bundle = Path(folder) / "task.json"
        bundle.write_bytes(task.to_bytes())
        harness = HarnessTask(bundle)
    pairs = zip(said, golds, strict=True)
    return [dict(harness.process_results({}, [one], _given(gold))["scoring"].samples[0]) for one, gold in pairs]


def _lighteval(task: scoring.Task, said: Sequence[Any], golds: Sequence[Any]) -> list[Any]:
    scorer = SpecScorer(HostTask(task), "values")
    held = []
    for one, row in zip(said, _rows(golds), strict=True):
        texts = [] if one is None else [one]
        found = scorer.compute(SimpleNamespace(specific=row, choices=[]), SimpleNamespace(final_text=texts))
        held.append(dict(found["scoring"]))
    return held


def _opencompass(task: scoring.Task, said: Sequence[Any], golds: Sequence[Any]) -> list[Any]:
    found: list[Any] = SpecEvaluator(task).score(said, None, _rows(golds))["details"]
    return found


def _columns(task: scoring.Task, said: Sequence[Any], golds: Sequence[Any]) -> list[Any]:
    found = scoring.tables.add_scores({"response": list(said), "reference": list(golds)}, task)
    return [{name: column[place] for name, column in found.items()} for place in range(len(said))]


def _log(name: str, task: scoring.Task, said: Sequence[Any], golds: Sequence[Any]) -> Sequence[Any]:
    return written_back(name, task, said, golds)


HOSTS: Final[dict[str, HostRun]] = {
    "lm-evaluation-harness": _lm_eval,
    "lighteval": _lighteval,
    "OpenCompass": _opencompass,
    "TRL": _trl,
    "verl": _verl,
    "OpenRLHF": _openrlhf,
    "AReaL": _areal,
    "verifiers": _verifiers,
    "prime-rl": _prime_rl,
    "tables (`add_scores`)": _columns,
    **{f"log of {name}, written back": partial(_log, name) for name in LOG_FORMS},
}


def cells(run: HostRun) -> list[str]:
    """What a host holds of each outcome, in words."""
    task = scoring.load({**OUTCOMES, "record": {"reference": "reference"}})
    said, golds = zip(*RECORDS.values(), strict=True)
    truths = [task.score_parts(one, _given(gold)) for one, gold in RECORDS.values()]
    held = run(task, said, golds)
    return [_cell(truth, one, task.signature.meaning) for truth, one in zip(truths, held, strict=True)]


def _cell(truth: RecordResult, held: Any, meaning: str) -> str:
    leaves = dict(_leaves(held, ""))
    outcome = truth.outcome
    score = next((value for path, value in leaves.items() if path.rpartition(".")[2] == "score"), None)
    parts = {"score": (outcome.value is None and _is_none(score)) or score == outcome.value}
    parts["status"] = outcome.status in leaves.values() or leaves.get(f".{outcome.status}") == 1.0
    if outcome.reason:
        parts["reason"] = outcome.reason in leaves.values()
    if truth.passed is not None:
        parts["passed"] = any(value is truth.passed for value in leaves.values())
    fields = {name: one.outcome.value for name, one in truth.fields.items() if one.outcome.value is not None}
    if fields:
        parts["fields"] = all(
            any(re.search(rf"\b{name}$", path) and value == own for path, value in leaves.items())
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


def table() -> str:
    """The matrix of hosts and outcomes, in Markdown."""
    rows = [["host", *RECORDS], ["---"] * (len(RECORDS) + 1)]
    rows += [[name, *cells(run)] for name, run in HOSTS.items()]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def page_with_matrix(page: str) -> str:
    """The page with the matrices of today in the place of those that it has."""
    for begin, made in ((START, table()), (RUN_START, run_table())):
        start = page.index(begin)
        page = page[:start] + made + page[page.index("\n\n", start) + 1 :]
    return page


if __name__ == "__main__":
    PAGE.write_text(page_with_matrix(PAGE.read_text("utf-8")), encoding="utf-8")
    sys.stdout.write(f"written {PAGE.relative_to(REPOSITORY)}\n")
