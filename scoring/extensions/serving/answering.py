"""Score the rows of requests inside a child process, and return each answer as JSON text."""

from __future__ import annotations

import contextlib
import importlib
import pickle
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace

from scoring.compiler.tasks.serialize import task_from_bytes
from scoring.data.json_write import dumps
from scoring.data.plain_values import host_record
from scoring.engine.road.evaluate import unscored
from scoring.errors import InputError
from scoring.extensions.hosts.json_references import read_references
from scoring.extensions.hosts.rewards.rule import RewardRule
from scoring.extensions.hosts.rewards.section import RewardRules
from scoring.result import MISSING, Outcome, RecordResult, describe_error

if TYPE_CHECKING:
    from scoring.compiler.tasks.task import CompiledTask


class ServedRow(Struct, frozen=True):
    """An answer to score, as a request gives it.

    Args:
        record: The record; without `parts`, the response and the reference are read from it by the spec's paths.
        parts: The arguments of `score_parts` in addition to the record.
        json_reference: Whether the reference is given as JSON text.
        reads_reference: Whether the spec's path says where in the record the reference is, although there are parts.
        is_rewarded: Whether the reward is asked for, too.
        lost: Why the row can't be scored, if the request lacks what is needed.
    """

    record: Mapping[str, Any] | None
    parts: Mapping[str, Any] | None = None
    json_reference: bool = False
    reads_reference: bool = False
    is_rewarded: bool = False
    lost: str | None = None


class ServedAnswer(Struct, frozen=True):
    """The result of a row.

    Args:
        text: The result as JSON, as a run folder has it.
        status: The status of the result; ``refused`` if the task can't take such a row, with the reason.
        score: The score that counts, also one that the spec gives to what can't be parsed or scored; None if there is
            none, or it is the mark of what is not applicable.
        reason: Why the result is not scored, or a remark on the score.
        reward: The reward, if it was asked for; None if there is none.
        least: The least reward, for hosts that can skip no answer.
        share: The reward, or the least one, on a scale from 0 to 1.
        components: The scores of the fields as rewards.
    """

    text: str
    status: str
    score: float | None = None
    reason: str | None = None
    reward: float | None = None
    least: float = 0.0
    share: float = 0.0
    components: Mapping[str, float] = field(default_factory=dict)


def answering_rows(bundles: Mapping[str, bytes]) -> Callable[[bytes], ServedAnswer]:
    """Return the function that the child calls for each row: it scores it by the bundled task that the row names."""
    tasks = {name: task_from_bytes(bundle) for name, bundle in bundles.items()}
    # The clock does not run yet; what has another name than its distribution comes later.
    for library in {one for task in tasks.values() for one in task.parts.recipe.libraries()}:
        with contextlib.suppress(ImportError):
            importlib.import_module(library.replace("-", "_"))

    def answer(packed: bytes) -> ServedAnswer:
        name, row = pickle.loads(packed)
        task = tasks[name]
        try:
            return lost_answer(task, row, row.lost) if row.lost else served_answer(task, row, _scored(task, row))
        except InputError as error:
            return _refused(error)
        except Exception as error:  # a defect of the task; the process goes on
            return lost_answer(task, row, describe_error(error))

    return answer


def _scored(task: CompiledTask, row: ServedRow) -> RecordResult:
    if row.parts is None and not row.json_reference:
        return task.score(row.record or {})
    record = host_record(row.record or {})
    reader, parts = task.parts.reader, row.parts
    if parts is None or row.reads_reference:
        parts = {"response": reader.response(record), **(parts or {}), "reference": reader.given_reference(record)}
    if row.json_reference:
        (reference,) = read_references(task, [parts.get("reference", MISSING)], "json")
        parts = {**parts, "reference": reference}
    return task.score_parts(**parts, record=record)


def served_answer(task: CompiledTask, row: ServedRow, result: RecordResult) -> ServedAnswer:
    """Return the result of a row as an answer; refused if a reward is asked for, and no scale holds the scores."""
    outcome = result.outcome
    score = None if outcome.value is None or outcome.status == "not_applicable" else float(outcome.value)
    found = ServedAnswer(dumps(result.to_json()), outcome.status, score, outcome.reason)
    if not row.is_rewarded:
        return found
    try:
        rule = RewardRule(task)
    except InputError as error:
        return _refused(error)
    reward = rule.reward_of(result)
    share = rule.scale.share(rule.least if reward is None else reward)
    return replace(found, reward=reward, least=rule.least, share=share, components=rule.components(result))


def lost_answer(task: CompiledTask, row: ServedRow, why: str) -> ServedAnswer:
    """Return the answer for a row that could not be scored, such as by the process or in the time that it had."""
    record, key = row.record or {}, (row.parts or {}).get("id")
    try:
        return served_answer(task, row, unscored(task, task.record_id(record) if key is None else key, record, why))
    except Exception as error:  # the policies of the task fail, too: the row has what needs none of them
        why = f"{why}; then {describe_error(error)}"
        rules = task.spec.sections.get("reward") or RewardRules()
        return ServedAnswer(
            dumps(RecordResult(key, Outcome(None, "unscored", why)).to_json()),
            "unscored",
            None,
            why,
            least=float(rules.range[0]),
        )


def _refused(error: InputError) -> ServedAnswer:
    return ServedAnswer(dumps(str(error)), "refused", reason=str(error))
