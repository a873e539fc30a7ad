"""A tiny compiled task: text equality of two keys, with a few ways to fail."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from scoring.api.run import Run, Stretched
from scoring.compiler.identity.signature import Signature
from scoring.compiler.programs.program import BoundStep, Program
from scoring.compiler.tasks.compiled_parts import Metric, TaskMetric
from scoring.compiler.tasks.task import CompiledTask
from scoring.data.rows.batch import single
from scoring.data.rows.memory import blocks_of_source
from scoring.data.rows.report import InputReport
from scoring.engine.road.evaluate import Options
from scoring.engine.road.run import run_batches
from scoring.format.load import Loader
from scoring.format.sections import Intervals
from scoring.metrics.summary import mean_score, pass_rate
from scoring.outcomes import Results
from scoring.ranges import UNIT, ScoreRange
from scoring.registry import registry
from scoring.result import FieldResult, Outcome, RecordResult
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic


def run_records(task: Any, records: Any, options: Options | None = None) -> Run:
    """A run over records that need no file."""
    report = InputReport()
    done = run_batches(task, single(blocks_of_source(records), task.record_ids, report), options=options, report=report)
    return Run(task, "rows", done.summary, (Stretched(None, done.places, done.records),))


def fake_metric(text: str, function: Callable[[Rows], Statistic]) -> Metric:
    """A metric without arguments."""
    return Metric(text, Program("metric", join=BoundStep(registry.of_function(function)), text=text))


_LOADER = Loader()


class FakeTask(CompiledTask):
    """Scores ``response == reference``; ``boom`` raises, ``die`` kills the process."""

    name = "fake"
    version = "1.0.0"
    signature = Signature("fake@1.0.0|meaning:0000000000000000|seed:0|packs:house 1.0.0|env:scoring 0.1.0")
    seed = 0
    spec: Any = SimpleNamespace(on_error="unscored")
    parts: Any = SimpleNamespace(  # what it would have been compiled from, for the folder of a run
        fields=(),
        loaded=_LOADER.data({"kind": "task", "name": "fake", "score": "equal"}),
        loader=_LOADER,
        recipe=SimpleNamespace(digest="0" * 64, uses=lambda effect: False),
    )
    range = UNIT
    better = "higher"
    asks_judge = False
    by = ("kind",)
    intervals = Intervals()
    field_names = ("answer",)
    metrics: Sequence[TaskMetric] = (fake_metric("mean_score", mean_score), fake_metric("pass_rate", pass_rate))
    ranges: Mapping[str | None, ScoreRange] = {None: UNIT, "answer": UNIT}  # it is never written

    def __init__(self) -> None:
        """Nothing is compiled."""

    def resolved(self) -> dict[str, Any]:
        return {
            "spec": {"name": "fake"},
            "digest": "0",
            "program": {},
            "packs": {"house": {"digest": "1"}},
            "meaning": "0" * 64,
            "libraries": {},
        }

    def reader_of(self, path: str) -> Callable[[Any], Any]:
        return lambda record: record.get(path)

    def column_of(self, path: str, records: Sequence[Mapping[str, Any]]) -> list[Any]:
        return list(map(self.reader_of(path), records))

    def record_id(self, record: Mapping[str, Any]) -> Any:
        return record.get("id")

    def record_ids(self, records: Sequence[Mapping[str, Any]]) -> list[Any]:
        return list(map(self.record_id, records))

    def attributes(self, record: Mapping[str, Any]) -> dict[str, Any]:
        return {"kind": record.get("kind")}

    def score(self, record: Mapping[str, Any]) -> RecordResult:
        response = record.get("response")
        if response == "nan":
            return RecordResult(record.get("id"), Outcome(math.nan), {}, None, response, None, self.attributes(record))
        if response == "boom":
            raise ZeroDivisionError("division by zero")
        if response == "die":
            os._exit(9)
        outcome = Outcome(1.0 if response == record.get("reference") else 0.0)
        fields = {"answer": FieldResult("answer", outcome, 1.0, response, record.get("reference"))}
        return RecordResult(
            record.get("id"), outcome, fields, outcome.value >= 0.5, response, None, self.attributes(record)
        )

    def score_rows(self, records: Sequence[Mapping[str, Any]]) -> Results:
        return Results.of([self.score(record) for record in records])
