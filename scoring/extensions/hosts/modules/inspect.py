"""The scorer ``scoring/spec`` of Inspect: `inspect score --scorer scoring/spec -S file=SPEC LOG`, or in a task.

Inspect loads this module by its entry point. What is scored is what `scoring score` reads in the log of the same
samples, and the figures are computed from the same states.

Source:
    UK AI Security Institute, Inspect 0.3.285: inspect_ai/scorer/_scorer.py, inspect_ai/_eval/task/results.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from logging import getLogger
from typing import Any

import anyio
import anyio.to_thread
from inspect_ai.log import transcript
from inspect_ai.scorer import SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState
from inspect_ai.util import registry_info

from scoring.api.tasks import Task, load
from scoring.data.json_write import dumps
from scoring.diagnostics.diagnostic import SpecError
from scoring.engine.road.figures import Figures, FigureState
from scoring.engine.road.summary import figures_of, metric_table
from scoring.errors import InputError
from scoring.extensions.hosts.logs.inspect import check_choices, sample_record
from scoring.extensions.hosts.logs.inspect_files import part_of
from scoring.extensions.hosts.logs.inspect_scores import absence_of, eval_score, named_figures
from scoring.extensions.hosts.logs.log import with_decoded_reference
from scoring.outcomes import Results
from scoring.result import MISSING, Outcome, RecordResult, Status
from scoring.statistics.statistic import NotPortable

_log = getLogger(__name__)
_NAME = "scoring/spec"
_STATES = "figures"
_FAULTS = (InputError, SpecError, NotPortable, ValueError, KeyError, TypeError)
_threads: dict[str, anyio.CapacityLimiter] = {}
_MOST_THREADS = 256


@dataclass(frozen=True)
class _Loaded:
    """A task, and the figures of it that Inspect can have.

    Inspect shows its metrics no sample without a score, so that a figure that counts those can't be computed there.
    """

    task: Task
    figures: Figures

    @classmethod
    def of(cls, file: str) -> _Loaded:
        """Return the task of a file, which is known from then on by what its scores mean."""
        task = load(file)
        loaded = cls(task, figures_of(task))
        statuses: tuple[Status, ...] = ("unscored", "unparsed", "not_applicable")
        results = [task.score_parts(Outcome(None, one, "a sample without a score")) for one in statuses]
        without = [one for one in results if one.score is None]
        try:
            counts = [state.statistic.count for state in loaded.states(without, [{} for _ in without])]
        except _FAULTS:
            counts = [0] * len(task.metrics)  # told with the first sample
        told = [one for one, count in zip(task.metrics, counts, strict=True) if not count]
        found = _known[task.signature.meaning] = replace(loaded, figures=replace(loaded.figures, metrics=told))
        return found

    def states(self, results: Sequence[RecordResult], records: Sequence[Mapping[str, Any]]) -> list[FigureState]:
        """Return the states of the figures over some records."""
        return self.figures.states(metric_table(self.task, Results.of(list(results)), records))

    def packed(self, result: RecordResult, record: Mapping[str, Any]) -> list[dict[str, Any]] | None:
        """Return the states over one record as plain data; None where they can't be computed."""
        try:
            return [state.pack() for state in self.states([result], [record])]
        except _FAULTS as error:
            _log.warning("no figures of %s beside its scores: %s", self.task.name, error)
            return None

    def values(self, packs: Sequence[Any]) -> dict[str, float]:
        """Return the figures over all records of which the packed states are given."""
        empty = self.states([], [])
        states = [_merged([one.unpack(pack[place]) for pack in packs]) for place, one in enumerate(empty)]
        return named_figures(self.figures.as_data(states))


_known: dict[str, _Loaded] = {}
"""The tasks of this process by what their scores mean."""


def _spec(file: str, reference: str = "text", response: str = "completion", limited: str = "scored") -> Scorer:
    """Score by a spec.

    Args:
        file: The path of the spec, or the name of a task.
        reference: What the reference is: the target as ``text``, the target decoded as ``json``, or the value at a
            path in the sample, such as ``metadata.gold``.
        response: What the response is: the ``completion``, the ``messages``, or the tool ``calls``.
        limited: Whether a sample that a limit stopped is ``scored`` if it has an answer, or ``unscored``.
    """
    check_choices(response, limited)
    loaded = _Loaded.of(file)
    task = loaded.task

    async def score(state: TaskState, target: Target) -> Score:
        sample = _sample(state, target)
        record = sample_record(sample, response, is_limit_scored=limited == "scored")
        parts = {"response": record.pop("response"), "reference": _reference(record, reference)}
        record.pop("reference", None)
        call = partial(task.score_parts, *parts.values(), context=record.get("context"), id=record["id"], record=record)
        if not _threads:
            _threads["all"] = anyio.CapacityLimiter(_MOST_THREADS)
        result = await anyio.to_thread.run_sync(call, limiter=_threads["all"])
        verdict = {
            "score": result.score,
            "status": result.status,
            "reason": result.reason,
            "passed": result.passed,
            "fields": {name: one.score for name, one in result.fields.items()},
            "task": task.name,
            "meaning": task.signature.meaning,
            "spec": str(file),
            _STATES: None if result.score is None else loaded.packed(result, {**record, **parts}),
        }
        return Score(**eval_score(verdict, absence=absence_of(sample), answer=_answer(result)))

    return score


def _sample(state: TaskState, target: Target) -> dict[str, Any]:
    """Return a sample as a log has it."""
    asked = state.input if isinstance(state.input, str) else [_plain(one) for one in state.input]
    found = {
        "id": state.sample_id,
        "epoch": state.epoch,
        "input": asked,
        "choices": [one.value for one in state.choices] or None,
        "target": list(target.target),
        "messages": [_plain(one) for one in state.messages],
        "output": _plain(state.output),
        "metadata": dict(state.metadata),
    }
    for event in transcript().events:
        if event.event == "error":
            found["error"] = {"message": event.error.message}
        elif event.event == "sample_limit":
            found["limit"] = {"type": event.type, "limit": event.limit}
    return found


def _plain(model: Any) -> Any:
    return model.model_dump(mode="json", exclude_none=True)


def _reference(record: dict[str, Any], wanted: str) -> Any:
    if isinstance(record.get("reference"), Outcome):
        return record["reference"]
    if wanted == "json":
        found = with_decoded_reference(record)
        reference = Outcome.unscored(str(found)) if isinstance(found, ValueError) else found.get("reference")
    elif wanted == "text":
        reference = record.get("reference")
    else:
        *keys, last = wanted.split(".")
        reference = part_of(record, *keys).get(last)
    return MISSING if reference is None else reference


def _answer(result: RecordResult) -> str | None:
    """Return the parsed answer as text."""
    if result.parsed is None or isinstance(result.parsed, Outcome):
        return None
    return result.parsed if isinstance(result.parsed, str) else dumps(result.parsed)


def _figures() -> Any:
    """Compute the task's own metrics, each with the ends of its interval."""

    def figures(scores: list[SampleScore]) -> dict[str, float]:
        found = [one.score.metadata or {} for one in scores]
        loaded = _loaded_of(found[0]) if found else None
        packs = [one.get(_STATES) for one in found]
        return loaded.values(packs) if loaded is not None and None not in packs else {}

    return figures


def _merged(states: Sequence[FigureState]) -> FigureState:
    """Return the state over all records; neighbours are merged first, so that most states are small."""
    found = list(states)
    while len(found) > 1:
        pairs = [one.merge(two) for one, two in zip(found[::2], found[1::2], strict=False)]
        found = pairs + found[len(found) - len(found) % 2 :]
    return found[0]


def _loaded_of(verdict: Mapping[str, Any]) -> _Loaded | None:
    """Return the task that made a score: of this process, or of the same file where a log is computed anew."""
    meaning = str(verdict.get("meaning"))
    if meaning not in _known:
        try:
            _Loaded.of(str(verdict.get("spec")))
        except (InputError, SpecError) as error:
            _log.warning("the figures of %s can't be computed: %s", verdict.get("task"), error)
    return _known.get(meaning)


def _registered() -> Any:
    """Register the scorer under our name, also where the package is installed in a way that Inspect does not see."""
    figures = metric(name="figures", scores="unreduced")(_figures)
    found = scorer(metrics=[figures()], name="spec")(_spec)
    return found if registry_info(found).name == _NAME else scorer(metrics=[figures()], name=_NAME)(_spec)


scoring_spec = _registered()
"""The scorer: ``scorer=scoring_spec("spec.yaml")`` in a task."""
