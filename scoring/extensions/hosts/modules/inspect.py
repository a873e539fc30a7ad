"""The scorer ``scoring/spec`` of Inspect: `inspect score --scorer scoring/spec -S file=SPEC LOG`, or in a task.

Inspect loads this module by its entry point. What is scored is what `scoring score` reads in the log of the same
samples, and the figures are computed from the same states.

Source:
    UK AI Security Institute, Inspect 0.3.285: inspect_ai/scorer/_scorer.py, inspect_ai/_eval/task/results.py.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from logging import getLogger
from typing import Any
from uuid import uuid4

import anyio
import anyio.to_thread
from inspect_ai.log import transcript
from inspect_ai.scorer import SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState
from inspect_ai.util import registry_info
from msgspec import Struct
from msgspec.structs import replace

from scoring.api.tasks import Task, load
from scoring.data.json_write import dumps
from scoring.diagnostics.diagnostic import SpecError
from scoring.engine.road.figures import CompiledMetric, Figures, FigureState, paths_of
from scoring.engine.road.summary import figures_of, metric_table
from scoring.errors import InputError
from scoring.extensions.hosts.logs.inspect import check_choices, sample_record
from scoring.extensions.hosts.logs.inspect_files import object_at
from scoring.extensions.hosts.logs.inspect_scores import absence_of, eval_score, named_figures
from scoring.extensions.hosts.logs.log import plain_verdict, with_decoded_reference
from scoring.outcomes import Results
from scoring.result import MISSING, FieldResult, Outcome, RecordResult, Status
from scoring.statistics.statistic import NotPortable

_log = getLogger(__name__)
_NAME = "scoring/spec"
_STATES, _SEED = "figures", "seed"
_FAULTS = (InputError, SpecError, NotPortable, ValueError, KeyError, TypeError)
_PROCESS = uuid4().hex
"""A name of this process, by which the scores of others are told apart."""
_threads: dict[str, anyio.CapacityLimiter] = {}
_MOST_THREADS = 256


class _Loaded(Struct, frozen=True, dict=True):
    """A task, and what is known of its figures.

    Inspect shows its metrics no sample without a score. A figure in which such samples count is left out: as soon as
    there was one, or for a log that another process scored, if there could have been one.

    Args:
        task: The task.
        figures: The settings of its figures.
        counting: The texts of the figures that are left out.
    """

    task: Task
    figures: Figures
    counting: set[str]

    @classmethod
    def of(cls, file: str, seed: int | None) -> _Loaded:
        """Return the task of a file, which is known from then on by what its scores mean."""
        task = load(file, seed=seed)
        key = _key(task.signature.meaning)
        if key not in _known:
            _known[key] = cls(task, figures_of(task), set())
        return _known[key]

    @cached_property
    def may_count(self) -> set[str]:
        """The texts of the figures in which samples without a score can count."""
        found = {one.text for one in self.task.metrics if not _reads_scores_alone(one)}
        return found.union(*(self._counts(probe, {}) for probe in _without_score(self.task)))

    def states(self, results: Sequence[RecordResult], records: Sequence[Mapping[str, Any]]) -> list[FigureState]:
        """Return the states of the figures over some records."""
        return self.figures.states(metric_table(self.task, Results.of(list(results)), records))

    def leave_out(self, result: RecordResult, record: Mapping[str, Any]) -> None:
        """Leave out the figures in which a result without a score counts."""
        found = self._counts(result, record) - self.counting
        if found:
            why = "samples without a score count in them, and Inspect shows its metrics none of these"
            _log.warning("%s has figures that `scoring score` tells: %s; %s", self.task.name, ", ".join(found), why)
        self.counting.update(found)

    def _counts(self, result: RecordResult, record: Mapping[str, Any]) -> set[str]:
        try:
            states = self.states([result], [record])
        except _FAULTS:
            return set()  # told with the first sample that has a score
        return {one.text for one, state in zip(self.task.metrics, states, strict=True) if state.statistic.count}

    def packed(self, result: RecordResult, record: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the states over one record as plain data; None where they can't be computed."""
        try:
            states = [state.pack() for state in self.states([result], [record])]
        except _FAULTS as error:
            _log.warning("no figures of %s beside its scores: %s", self.task.name, error)
            return None
        return {"process": _PROCESS, "states": states}

    def values(self, packs: Sequence[Any]) -> dict[str, float]:
        """Return the figures over all records of which the packed states are given."""
        is_ours = all(pack["process"] == _PROCESS for pack in packs)
        out = self.counting if is_ours else self.counting | self.may_count
        empty = enumerate(zip(self.task.metrics, self.states([], []), strict=True))
        told = [(place, metric, state) for place, (metric, state) in empty if metric.text not in out]
        states = [_merged([state.unpack(pack["states"][place]) for pack in packs]) for place, _, state in told]
        return named_figures(replace(self.figures, metrics=[metric for _, metric, _ in told]).as_data(states))


_known: dict[str, _Loaded] = {}
"""The tasks of this process by what their scores mean."""


def _without_score(task: Task) -> Iterator[RecordResult]:
    """Yield results without a score whose fields have some, of which a figure may count a part."""
    fields = {name: FieldResult(name, Outcome(1.0)) for name in task.field_names}
    statuses: tuple[Status, ...] = ("unscored", "unparsed", "not_applicable")
    for status in statuses:
        for passed in (True, False):
            yield RecordResult(status, Outcome(None, status, "no score"), fields, passed)


def _reads_scores_alone(metric: CompiledMetric) -> bool:
    """Return whether a metric reads nothing of a record but its score, so that one without a score does not count."""
    others = (getattr(metric, name, None) for name in ("reads_compared", "parsed", "values"))
    return not any(others) and not list(paths_of(metric))


def _key(meaning: str) -> str:
    """Return what a score means by the spec alone, whichever judge is asked."""
    return "|".join(part for part in meaning.split("|") if not part.startswith("judge:"))


def _spec(
    file: str, reference: str = "text", response: str = "completion", limited: str = "scored", seed: int | None = None
) -> Scorer:
    """Score by a spec.

    Args:
        file: The path of the spec, or the name of a task.
        reference: What the reference is: the target as ``text``, the target decoded as ``json``, or the value at a
            path in the sample, such as ``metadata.gold``.
        response: What the response is: the ``completion``, the ``messages``, or the tool ``calls``.
        limited: Whether a sample that a limit stopped is ``scored`` if it has an answer, or ``unscored``.
        seed: The seed of the intervals, in place of the spec's, as in `scoring score --seed`.
    """
    check_choices(response, limited)
    loaded = _Loaded.of(file, seed)
    task, meaning = loaded.task, loaded.task.signature.meaning

    async def score(state: TaskState, target: Target) -> Score:
        sample = _sample(state, target)
        record = sample_record(sample, response, is_limit_scored=limited == "scored")
        parts = {"response": record.pop("response"), "reference": _reference(record, reference)}
        record.pop("reference", None)
        call = partial(task.score_parts, *parts.values(), context=record.get("context"), id=record["id"], record=record)
        if not _threads:
            _threads["all"] = anyio.CapacityLimiter(_MOST_THREADS)
        result = await anyio.to_thread.run_sync(call, limiter=_threads["all"])
        whole = {**record, **parts}
        if result.score is None:
            loaded.leave_out(result, whole)
        verdict = {
            **plain_verdict(result, task.name, meaning),
            "spec": str(file),
            _SEED: seed,
            _STATES: None if result.score is None else loaded.packed(result, whole),
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
        "metadata": json.loads(json.dumps(state.metadata, default=str)),  # a copy, and plain as in a log
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
        reference = object_at(record, *keys).get(last)
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
    meaning = _key(str(verdict.get("meaning")))
    if meaning not in _known:
        try:
            seed = verdict.get(_SEED)
            _Loaded.of(str(verdict.get("spec")), seed if isinstance(seed, int) else None)
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
