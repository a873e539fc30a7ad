"""The result of a task as plain feedback, which each platform's adapter passes on in the types of that platform."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, TypedDict

from msgspec import Struct

from scoring.api.opening import SpecSource
from scoring.api.tasks import ReferencesAs, Task
from scoring.compiler.tasks.task import CompiledTask
from scoring.errors import InputError
from scoring.extensions.hosts.given import given_task
from scoring.result import MISSING, Outcome, RecordResult, Status

_ROLES = {"human": "user", "ai": "assistant", "AIMessageChunk": "assistant"} | {
    role: role for role in ("system", "developer", "user", "assistant", "tool", "function")
}
"""The roles of chat messages by what objects of other libraries call them."""


class Feedback(TypedDict):
    """What a platform is told of one answer.

    ``value`` is the number that counts in the task's figures, None if none does. An answer whose ``status`` is not
    ``scored`` has one only if the spec says so, as `on_unparsed: zero` does. ``reason`` is why the answer could not be
    scored or parsed. ``fields`` has the same number of each field. ``meaning`` is that of the task's signature.
    """

    name: str
    value: float | None
    status: Status
    reason: str | None
    passed: bool | None
    fields: dict[str, float | None]
    meaning: str


def to_feedback(result: RecordResult, task: CompiledTask, name: str | None = None) -> Feedback:
    """Return the result of a record as a plain mapping, as evaluation platforms keep it beside an answer.

    Args:
        result: The result of one record.
        task: The task that gave it.
        name: The name of the score; by default the last part of the task's name.

    Examples:
        >>> import scoring
        >>> task = scoring.load({"kind": "task", "name": "demo/towns", "score": "lower | equal"})
        >>> found = to_feedback(task.score_parts("Paris"), task)
        >>> found["name"], found["value"], found["status"], found["reason"]
        ('towns', None, 'unscored', 'the record has no reference')
    """
    return _feedback(result, name or short_name(task), task.signature.meaning)


def short_name(task: CompiledTask) -> str:
    """Return the last part of a task's name, since many platforms give a slash a meaning of their own."""
    return task.name.rpartition("/")[2]


def _feedback(result: RecordResult, name: str, meaning: str) -> Feedback:
    outcome = result.outcome
    return {
        "name": name,
        "value": _value(outcome),
        "status": outcome.status,
        "reason": outcome.reason or result.unparsed_reason,
        "passed": result.passed,
        "fields": {field: _value(part.outcome) for field, part in result.fields.items()},
        "meaning": meaning,
    }


def _value(outcome: Outcome) -> float | None:
    # What is not applicable may carry a mark of a benchmark's code, such as -1, which counts nowhere.
    return None if outcome.value is None or outcome.status == "not_applicable" else float(outcome.value)


class FeedbackScorer(Struct, frozen=True, dict=True):
    """A task that scores the parts a platform has of a record, and returns feedback.

    Args:
        task: The task.
        name: The name of the score.
        references_as: ``json`` if the platform has the references as JSON texts.
    """

    task: Task
    name: str
    references_as: ReferencesAs

    @classmethod
    def of(
        cls, spec: SpecSource | Task, name: str | None, references_as: ReferencesAs, shares_of: str = ""
    ) -> FeedbackScorer:
        """Return the scorer of a task, or of the path or content of its spec.

        Args:
            spec: The task or its spec.
            name: The name of the score; by default the last part of the task's name.
            references_as: As in `Task.score_parts`.
            shares_of: The platform that refuses scores outside of 0 to 1; "" for any other.

        Raises:
            InputError: when the task's scores may lie outside of what the platform takes.
        """
        task = given_task(spec)
        if shares_of and not (task.range.low >= 0 and task.range.high <= 1):
            raise InputError(
                f"{shares_of} takes scores from 0 to 1, and those of {task.name} lie in {task.range}: "
                "bring them there in the spec, as in `aggregate: mean / 5`"
            )
        return cls(task, name or short_name(task), references_as)

    @cached_property
    def meaning(self) -> str:
        """The task's meaning, with the judge that is configured when it is first asked for."""
        return self.task.signature.meaning

    def feedback(self, response: Any, reference: Any, record: Any = None) -> Feedback:
        """Score one answer and return its feedback.

        Args:
            response: The response: a text, parsed data, or chat messages in any of the forms of `plain_messages`.
            reference: The reference; None or `MISSING` if there is none.
            record: What else the platform has of the record, if it is a mapping: for paths such as ``record.kind``.
        """
        return self.told(self.task.score_parts(plain_messages(response), **self._rest(reference, record)))

    async def feedback_later(self, response: Any, reference: Any, record: Any = None) -> Feedback:
        """Score one answer as `feedback` does, without blocking the event loop while a judge is asked."""
        return self.told(await self.task.ascore_parts(plain_messages(response), **self._rest(reference, record)))

    def _rest(self, reference: Any, record: Any) -> dict[str, Any]:
        form: ReferencesAs = "values" if isinstance(reference, Outcome) else self.references_as
        known = record if isinstance(record, Mapping) else None
        return {"reference": reference, "record": known, "references_as": form}

    def told(self, result: RecordResult) -> Feedback:
        """Return the feedback of a result of the task."""
        return _feedback(result, self.name, self.meaning)


def keyed_part(values: Any, key: str | None, what: str) -> Any:
    """Return the part of a platform's mapping under a key, or all of what is no mapping, or where the key is None.

    Where a mapping has other keys only, the result is an unscored `Outcome` that names them; `MISSING` for an empty
    one.

    Examples:
        >>> keyed_part({"answer": "Paris"}, "answer", "outputs"), keyed_part({}, "answer", "outputs")
        ('Paris', MISSING)
        >>> keyed_part({"town": "Paris"}, "answer", "outputs").reason
        "the outputs have no 'answer', but 'town'"
    """
    if key is None or not isinstance(values, Mapping):
        return MISSING if values is None else values
    if key in values or not values:
        return values.get(key, MISSING)
    others = ", ".join(repr(other)[:40] for other in list(values)[:5])
    return Outcome.unscored(f"the {what} have no {key!r:.60}, but {others}")


def keyed_response(values: Any, key: str | None, what: str) -> Any:
    """Return the response in a platform's mapping, see `keyed_part`; None if there is none."""
    found = keyed_part(values, key, what)
    return None if found is MISSING else found


def plain_messages(response: Any) -> Any:
    """Return chat messages as a list of mappings with ``role`` and ``content``, as a task reads them.

    Messages may also be objects, or name their author in ``type``, as those of LangChain do; a single object is a list
    of one. Any other response is returned unchanged.

    Examples:
        >>> plain_messages([{"type": "human", "content": "Capital?"}, {"type": "ai", "content": "Paris"}])
        [{'role': 'user', 'content': 'Capital?'}, {'role': 'assistant', 'content': 'Paris'}]
        >>> plain_messages("Paris"), plain_messages([{"town": "Paris"}])
        ('Paris', [{'town': 'Paris'}])
    """
    if isinstance(response, str | bytes | Mapping):
        return response
    found = list(map(_message, response if isinstance(response, list | tuple) else [response]))
    return response if not found or None in found else found


def _message(value: Any) -> Mapping[str, Any] | None:
    """Return a chat message as a mapping; None for any other value."""
    if isinstance(value, Mapping):
        if "role" in value:
            return value
        author, content = value.get("type"), value.get("content", MISSING)
    else:
        author = getattr(value, "role", None) or getattr(value, "type", None)
        content = getattr(value, "content", MISSING)
    if content is MISSING or not isinstance(author, str) or author not in _ROLES:
        return None
    return {"role": _ROLES[author], "content": content}
