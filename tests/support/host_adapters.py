"""Each adapter called as its host calls it, with one answer of each outcome; hosts that own a class are stand-ins."""

from __future__ import annotations

import asyncio
import json
import pickle
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final
from unittest.mock import patch

import scoring
from scoring.errors import InputError
from scoring.extensions.columns.stated import KEY
from scoring.extensions.hosts.exports.exporting import export
from scoring.extensions.hosts.modules.evalscope import NAME, spec_entry
from scoring.extensions.hosts.modules.host_task import HostTask
from scoring.extensions.hosts.modules.lighteval import SpecScorer
from scoring.extensions.hosts.modules.opencompass import SpecEvaluator
from scoring.extensions.hosts.modules.vlmevalkit import evaluate_predictions
from scoring.extensions.hosts.rewards.verifiers import TraceReward
from scoring.extensions.serving.answering import answering_rows
from scoring.extensions.serving.endpoints import ENDPOINTS
from scoring.extensions.serving.reading import Rejected, RequestQuery
from tests.support import stand_ins
from tests.support.host_logs import LOG_FORMS, written_back
from tests.support.host_outcomes import OUTCOMES, HostRun
from tests.support.workbooks import workbook


def _rows(golds: Sequence[Any]) -> list[dict[str, Any]]:
    return [{"reference": gold} for gold in golds]


def _at(columns: Mapping[str, Sequence[Any]], place: int) -> dict[str, Any]:
    return {name: column[place] for name, column in columns.items()}


# ---- modules of harnesses


def _lm_eval(task: scoring.Task, said: Sequence[Any], golds: Sequence[Any]) -> list[Any]:
    with tempfile.TemporaryDirectory() as name:
        functions = exported_task(OUTCOMES, Path(name))
        found = [functions.process_results(row, [one]) for one, row in zip(said, _rows(golds), strict=True)]
    return [json.loads(one["scoring"]) for one in found]


def exported_task(spec: Mapping[str, Any], folder: Path) -> Any:
    """The module that `scoring export lm-eval` writes for a spec."""
    (folder / "spec.json").write_text(json.dumps(spec), encoding="utf-8")
    files = export("lm-eval", folder / "spec.json", folder / "tasks").data["files"]
    found = spec_from_file_location("exported_task", next(one for one in files if one.endswith(".py")))
    assert found is not None
    assert found.loader is not None
    module = module_from_spec(found)
    found.loader.exec_module(module)
    return module


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


def _vlmevalkit(task: scoring.Task, said: Sequence[Any], golds: Sequence[Any]) -> list[Any]:
    rows = [[place, as_json(gold), one] for place, (one, gold) in enumerate(zip(said, golds, strict=True))]
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "said.xlsx"
        table.write_bytes(workbook([["index", "answer", "prediction"], *rows]))
        evaluate_predictions(task, table, references_as="json")
        return [json.loads(line) for line in table.with_name("said_scoring.jsonl").read_text("utf-8").splitlines()]


def as_json(gold: Any) -> str | None:
    """A reference as a host of texts has it."""
    return None if gold is None else json.dumps(gold)


def _evalscope(task: scoring.Task, said: Sequence[Any], golds: Sequence[Any]) -> list[Any]:
    registry = stand_ins.EvalScopeRegistry()
    with tempfile.TemporaryDirectory() as folder, patch.dict(sys.modules, stand_ins.evalscope(registry)):
        file = Path(folder) / "spec.json"
        file.write_text(json.dumps(OUTCOMES), encoding="utf-8")
        settings = spec_entry(file, references_as="json")[NAME]
        metric = registry[NAME](**settings)
        return [_by_metric(metric, one, gold) for one, gold in zip(said, golds, strict=True)]


def _by_metric(metric: Any, said: Any, gold: Any) -> dict[str, Any]:
    target = SimpleNamespace(values=() if gold is None else (as_json(gold),))
    try:
        return {"score": metric(said, metric.prepare_reference(target))}
    except stand_ins.EvalScopeUnavailable as error:  # it keeps the text, as the reason why there is no score
        status, _, reason = str(error).partition(": ")
        return {"score": None, "status": status, "reason": reason}


# ---- trainers


def _trl(task: scoring.Task, said: Sequence[Any], golds: Sequence[Any]) -> list[Any]:
    logged: dict[str, Any] = {}
    found = scoring.rewards.trl(task)(
        ["?"] * len(said), said, reference=golds, log_extra=logged.__setitem__, log_metric=lambda name, value: None
    )
    return [{"score": score, **_at(logged, place)} for place, score in enumerate(found)]


def _verl(task: scoring.Task, said: Sequence[Any], golds: Sequence[Any]) -> list[Any]:
    return [scoring.rewards.verl(task)("demo", one, gold) for one, gold in zip(said, golds, strict=True)]


def _rollouts(said: Sequence[Any], golds: Sequence[Any]) -> dict[str, Any]:
    return {"query": [f"? {one or ''}" for one in said], "prompts": ["? "] * len(said), "labels": golds}


def _openrlhf(task: scoring.Task, said: Sequence[Any], golds: Sequence[Any]) -> list[Any]:
    found = scoring.rewards.openrlhf(task).reply(_rollouts(said, golds))
    return [{"score": score, **_at(found["extra_logs"], place)} for place, score in enumerate(found["rewards"])]


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


def _messages(said: Any) -> dict[str, Any]:
    """A response of the API as NeMo Gym has it; without an answer it has no message."""
    message = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": said}]}
    return {"output": [] if said is None else [message]}


def _nemo_gym(task: scoring.Task, said: Sequence[Any], golds: Sequence[Any]) -> list[Any]:
    with patch.dict(sys.modules, stand_ins.nemo_gym()):
        verify = scoring.rewards.nemo_gym(task)
    kind = verify.__annotations__["body"]
    bodies = [kind(response=_messages(one), **row) for one, row in zip(said, _rows(golds), strict=True)]
    return [_of_reward(asyncio.run(_awaited(verify(None, body))).model_dump()) for body in bodies]


def _of_reward(reply: Mapping[str, Any]) -> dict[str, Any]:
    """What a trainer holds of a reply; one that is masked is trained on nothing."""
    reward = None if reply.get("mask_sample") else reply["reward"]
    return {**{name: one for name, one in reply.items() if name != "score"}, "score": reward}


def _skyrl(task: scoring.Task, said: Sequence[Any], golds: Sequence[Any]) -> list[Any]:
    with patch.dict(sys.modules, stand_ins.skyrl()):
        kind = scoring.rewards.skyrl(task, reference="reference")
    steps = [kind(extras=row).step(one) for one, row in zip(said, _rows(golds), strict=True)]
    return [{"score": step["reward"], **step["metadata"]} for step in steps]


# ---- tables


def parts_in_columns(said: Sequence[Any], golds: Sequence[Any]) -> dict[str, list[Any]]:
    """The columns of a table of answers, in which references are texts."""
    return {"response": list(said), "reference": list(map(as_json, golds))}


def _pandas(task: scoring.Task, said: Sequence[Any], golds: Sequence[Any]) -> list[Any]:
    import pandas

    frame = pandas.DataFrame(parts_in_columns(said, golds))
    found = scoring.tables.add_scores(frame, task, references_as="json")
    return [{**row, "about": found.attrs[KEY]["score"]} for row in found.astype(object).to_dict("records")]


def _polars(task: scoring.Task, said: Sequence[Any], golds: Sequence[Any]) -> list[Any]:
    import polars

    found: list[Any] = scoring.tables.add_scores(
        polars.DataFrame(parts_in_columns(said, golds)), task, references_as="json"
    ).to_dicts()
    return found


def _arrow(task: scoring.Task, said: Sequence[Any], golds: Sequence[Any]) -> list[Any]:
    import pyarrow

    found = scoring.tables.add_scores(pyarrow.table(parts_in_columns(said, golds)), task, references_as="json")
    about = {name.decode(): text.decode() for name, text in found.schema.field("score").metadata.items()}
    return [{**row, **about} for row in found.to_pylist()]


def _map(task: scoring.Task, said: Sequence[Any], golds: Sequence[Any]) -> list[Any]:
    found = scoring.tables.batch_scorer(task, references_as="json")(parts_in_columns(said, golds))
    return [_at(found, place) for place in range(len(said))]


# ---- the service


def _service(path: str, task: scoring.Task, said: Sequence[Any], golds: Sequence[Any]) -> list[Any]:
    (endpoint,) = (one for one in ENDPOINTS if one.path == path)
    answer = answering_rows({task.name: task.to_bytes()})
    about = {"task": task.name, "meaning": task.signature.meaning}
    held = []
    for one, gold in zip(said, golds, strict=True):
        body = _BODIES[path](one, gold)
        rows, is_batch = endpoint.read(body, RequestQuery(json_references=path == "vertex", reference=None))
        try:
            reply = endpoint.reply(body, is_batch, [answer(pickle.dumps((task.name, row))) for row in rows], about)
        except Rejected as error:
            held.append({**error.about, "score": None})
        else:
            held.append(_REPLIED[path](json.loads(reply)))
    return held


def _vertex(said: Any, gold: Any) -> dict[str, Any]:
    parts = [] if said is None else [{"text": said}]
    references = {} if gold is None else {"reference": as_json(gold)}
    return {"response": {"parts": parts}, "example": {"references": references}}


_BODIES: Final[dict[str, Callable[[Any, Any], dict[str, Any]]]] = {
    "score": lambda said, gold: {"response": said, **({} if gold is None else {"reference": gold})},
    "verify": lambda said, gold: {"response": _messages(said), "reference": gold},
    "get_reward": lambda said, gold: _rollouts([said], [gold]),
    "vertex": _vertex,
}
_REPLIED: Final[dict[str, Callable[[Any], Any]]] = {
    "score": lambda reply: reply,
    "verify": _of_reward,
    "get_reward": lambda reply: {**reply["results"][0], "score": reply["rewards"][0], "meaning": reply["meaning"]},
    "vertex": lambda reply: {**reply, "score": reply["reward"]},
}  # fmt: skip


# ---- logs and exports


def _log(name: str, task: scoring.Task, said: Sequence[Any], golds: Sequence[Any]) -> Sequence[Any]:
    return written_back(name, task, said, golds)


def _exported(tool: str, task: scoring.Task, said: Sequence[Any], golds: Sequence[Any]) -> list[Any]:
    rows = [
        {"id": f"record {place}", "response": one, "reference": gold}
        for place, (one, gold) in enumerate(zip(said, golds, strict=True))
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data = folder / "rows.jsonl"
        data.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        scoring.evaluate(task, data, output=folder / "run")
        texts = exported_run(tool, folder)
    entries = [json.loads(line) for text in texts for line in text.splitlines() if line.startswith('{"')]
    by_id = {one.get("id", one.get("sample_id")): one for one in entries}
    assert by_id or not any("record 0" in text for text in texts)
    return [_of_entry(by_id[row["id"]]) if row["id"] in by_id else None for row in rows]


def exported_run(tool: str, folder: Path) -> list[str]:
    """The texts of the files that `scoring export` writes of the run in a folder."""
    suffix = {"inspect": ".jsonl", "hf-results": ".yaml", "openmetrics": ".prom"}.get(tool, "")
    files = export(tool, folder / "run", folder / f"{tool}{suffix}").data["files"]
    return [Path(path).read_text("utf-8") for path in files]


def _of_entry(entry: dict[str, Any]) -> dict[str, Any]:
    if "evaluation" in entry:  # of Every Eval Ever, whose metadata are texts
        found = {**entry["metadata"], "score": entry["evaluation"]["score"]}
        decoded = ("scoring.fields", "scoring.passed")
        return {name: json.loads(one) if name in decoded else one for name, one in found.items()}
    value = entry["value"]
    own = value if isinstance(value, dict) else {"score": value}
    return {**entry["metadata"], **own}


EXPORTS: Final = ("every-eval-ever", "hf-results", "inspect", "openmetrics")
"""The forms in which runs are exported."""
ADAPTERS: Final[dict[str, HostRun]] = {
    "lm-evaluation-harness, by `export lm-eval`": _lm_eval,
    "lighteval": _lighteval,
    "OpenCompass": _opencompass,
    "VLMEvalKit": _vlmevalkit,
    "EvalScope": _evalscope,
    "TRL": _trl,
    "verl": _verl,
    "OpenRLHF": _openrlhf,
    "AReaL": _areal,
    "verifiers": _verifiers,
    "prime-rl": _prime_rl,
    "NeMo Gym": _nemo_gym,
    "SkyRL": _skyrl,
    **{f"`scoring serve`, `/{one.path}`": partial(_service, one.path) for one in ENDPOINTS},
    "pandas": _pandas,
    "polars": _polars,
    "Arrow": _arrow,
    "datasets, by `map`": _map,
    **{f"`export {tool}`": partial(_exported, tool) for tool in EXPORTS},
    **{f"log of {name}, written back": partial(_log, name) for name in LOG_FORMS},
}
"""The adapters that run without their host, by the names of their rows."""
