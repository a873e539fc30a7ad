"""Logs of hosts with given answers and references, scored and written back: what each then holds beside its samples."""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from openpyxl import load_workbook

import scoring
from tests.extensions.hosts.logs import test_hosts as logs
from tests.extensions.hosts.logs.test_harness_logs import line as harness_line
from tests.extensions.hosts.logs.test_inspect_logs import HEADER
from tests.extensions.hosts.logs.test_inspect_logs import sample as inspect_sample
from tests.extensions.hosts.logs.test_lighteval_details import row as details_row
from tests.support.workbooks import workbook

Pairs = Sequence[tuple[Any, Any]]
"""Answers with their references, which are JSON texts; None is what is not there."""


class LogForm(NamedTuple):
    """How a log of a host is written here, and where it holds the scores of its samples afterwards."""

    suffix: str
    write: Callable[[Pairs], bytes]
    held: Callable[[bytes], Sequence[Any]]


def _lines(line: Callable[[int, Any, Any], Any]) -> Callable[[Pairs], bytes]:
    return lambda pairs: logs.lines([line(place, *pair) for place, pair in enumerate(pairs)])


def _beside_lines(content: bytes) -> list[Any]:
    return [json.loads(line)["scoring"] for line in content.splitlines()]


def _harness(place: int, said: Any, gold: Any) -> Any:
    return harness_line(place, [] if said is None else [said], "none", [[said]], gold)


def _lmms(place: int, said: Any, gold: Any) -> Any:
    return logs.lmms(place, said or "", gold, resps=[] if said is None else [said])


def _nemo_gym(place: int, said: Any, gold: Any) -> Any:
    return logs.rollout(place, 0, [] if said is None else [logs.message(said)], gold)


def _ever(place: int, said: Any, gold: Any) -> Any:
    one = logs.ever(place, None, gold, output={"raw": [] if said is None else [said]})
    return one if gold is not None else {**one, "input": {"raw": "?", "reference": []}}


def _beside_ever(content: bytes) -> list[Any]:
    found = [json.loads(line)["metadata"] for line in content.splitlines()]
    return [
        {name: json.loads(text) if name in ("scoring.score", "scoring.fields", "scoring.passed") else text
         for name, text in one.items()}
        for one in found
    ]  # fmt: skip


def _promptfoo(pairs: Pairs) -> bytes:
    results = [logs.result(place, *pair) for place, pair in enumerate(pairs)]
    return logs.document({**logs.PROMPTFOO, "results": {"version": 3, "results": results}})


def _opencompass(pairs: Pairs) -> bytes:
    entries = {
        str(place): {"origin_prompt": "?", "gold": gold} | ({} if said is None else {"prediction": said})
        for place, (said, gold) in enumerate(pairs)
    }
    return logs.document(entries)


def _helm(pairs: Pairs) -> bytes:
    states = [logs.state(place, *pair) for place, pair in enumerate(pairs)]
    for state, (_, gold) in zip(states, pairs, strict=True):
        if gold is None:
            state["instance"]["references"] = []
    return logs.document({**logs.HELM, "request_states": states})


def _vlmevalkit(pairs: Pairs) -> bytes:
    rows = [[place, gold, said] for place, (said, gold) in enumerate(pairs)]
    return workbook([["index", "answer", "prediction"], *rows])


def _beside_rows(content: bytes) -> list[Any]:
    sheet: Any = load_workbook(io.BytesIO(content)).active
    header, *rows = sheet.iter_rows(values_only=True)
    return [
        {
            name.removeprefix("scoring_").removeprefix("field."): value
            for name, value in zip(header, row, strict=True)
            if "scoring_" in name
        }
        for row in rows
    ]


def _inspect(pairs: Pairs) -> bytes:
    samples = [inspect_sample(place, said, gold) for place, (said, gold) in enumerate(pairs)]
    return logs.document({**HEADER, "samples": samples})


def _beside_inspect(content: bytes) -> list[Any]:
    found = []
    for sample in json.loads(content)["samples"]:
        (score,) = sample["scores"].values()
        value = score["value"]
        own = value if isinstance(value, dict) else {"score": value}
        found.append({**score.get("metadata", {}), **own})
    return found


def _lighteval(pairs: Pairs) -> bytes:
    rows = [
        details_row([] if said is None else [said], None, {"id": str(place), "reference": gold}, [], [])
        for place, (said, gold) in enumerate(pairs)
    ]
    stream = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), stream)
    return stream.getvalue()


def _beside_details(content: bytes) -> list[Any]:
    column = pq.read_table(io.BytesIO(content)).column("scoring").to_pylist()
    return [{**one, "fields": json.loads(one["fields"])} for one in column]


LOG_FORMS: Final[dict[str, LogForm]] = {
    "inspect": LogForm(".json", _inspect, _beside_inspect),
    "lm-eval": LogForm(".jsonl", _lines(_harness), _beside_lines),
    "lighteval": LogForm(".parquet", _lighteval, _beside_details),
    "lmms-eval": LogForm(".jsonl", _lines(_lmms), _beside_lines),
    "olmo-eval": LogForm(".jsonl", _lines(logs.olmo), _beside_lines),
    "nemo-gym": LogForm(".jsonl", _lines(_nemo_gym), _beside_lines),
    "promptfoo": LogForm(
        ".json",
        _promptfoo,
        lambda content: [one["metadata"]["scoring"] for one in json.loads(content)["results"]["results"]],
    ),
    "opencompass": LogForm(
        ".json", _opencompass, lambda content: [one["scoring"] for one in json.loads(content).values()]
    ),
    "helm": LogForm(".json", _helm, lambda content: [one["scoring"] for one in json.loads(content)]),
    "vlmevalkit": LogForm(".xlsx", _vlmevalkit, _beside_rows),
    "every-eval-ever": LogForm(".jsonl", _lines(_ever), _beside_ever),
}


def written_back(name: str, spec: Any, said: Sequence[Any], golds: Sequence[Any]) -> Sequence[Any]:
    """What a log holds beside each of its samples when `scoring score --write-back` has scored it."""
    form = LOG_FORMS[name]
    texts = [None if gold is None else json.dumps(gold) for gold in golds]
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder) / f"log{form.suffix}", Path(folder) / f"back{form.suffix}"
        path.write_bytes(form.write(list(zip(said, texts, strict=True))))
        scoring.evaluate(spec, path, input_format=f"{name},reference=json", write_back=out)
        return form.held(out.read_bytes())
