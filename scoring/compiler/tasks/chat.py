"""Chat messages as a response: read the last message of the assistant, for tasks that expect text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from scoring.compiler.programs.program import Program
from scoring.compiler.records.record_reader import is_mapping
from scoring.compiler.tasks.compiled_parts import TaskParts
from scoring.result import Outcome
from scoring.values import checker

ChatSide: TypeAlias = Literal["prediction", "reference"]
SIDES: tuple[ChatSide, ...] = ("prediction", "reference")
_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
_TEXTS = frozenset({"text", "output_text"})
_BLOCKS = _TEXTS | {"thinking", "redacted_thinking", "reasoning", "refusal", "tool_use", "tool_call", "tool_result"}
_LISTS = frozenset({list, tuple})


def message_text(response: Any) -> Any:
    """Return the text of the assistant's last message if a response is a list of chat messages or of text blocks.

    Any other response is returned unchanged. If messages have no such text, the result is an unparsed `Outcome`.

    Examples:
        >>> message_text([{"role": "user", "content": "Capital?"}, {"role": "assistant", "content": "Paris"}])
        'Paris'
        >>> blocks = [{"type": "text", "text": "Pa"}, {"type": "text", "text": "ris"}]
        >>> message_text([{"role": "assistant", "content": blocks}])
        'Paris'
        >>> message_text([{"role": "user", "content": "Capital?"}]).reason
        'the response is chat messages, and none of them is of the assistant'
        >>> message_text([{"role": "owner"}]), message_text(["Paris"])
        ([{'role': 'owner'}], ['Paris'])
    """
    if type(response) not in _LISTS or not response or not is_mapping(response[0]):
        return response
    if all(map(_is_message, response)):
        last = next((one for one in reversed(response) if one["role"] == "assistant"), None)
        if last is None:
            return _no_text("the response is chat messages, and none of them is of the assistant")
        content = last.get("content")
        text = content if isinstance(content, str) else _text_of(content or ())
        return _no_text("the last message of the assistant has no text") if text is None else text
    is_answer = all(_is_block(one) and one["type"] in _BLOCKS for one in response)
    text = _text_of(response) if is_answer else None
    return response if text is None else text


def column_of_texts(responses: list[Any]) -> list[Any]:
    """Return `message_text` of each of many responses."""
    return responses if _LISTS.isdisjoint(map(type, responses)) else list(map(message_text, responses))


def _is_message(value: Any) -> bool:
    if not is_mapping(value) or value.get("role") not in _ROLES:
        return False
    content = value.get("content")
    return content is None or isinstance(content, str) or (type(content) in _LISTS and all(map(_is_block, content)))


def _is_block(value: Any) -> bool:
    return is_mapping(value) and isinstance(value.get("type"), str)


def _text_of(blocks: Sequence[Any]) -> str | None:
    texts = [one["text"] for one in blocks if one["type"] in _TEXTS and isinstance(one.get("text"), str)]
    return "".join(texts) if texts else None


def _no_text(reason: str) -> Outcome:
    return Outcome.unparsed(reason)


def reads_text(parts: TaskParts, side: ChatSide) -> bool:
    """Tell whether a task uses only the text of a response, or of a reference: ``side`` is "prediction" or "reference".

    This is so if no path reads inside it and no first step accepts a list. Only then can a list of chat messages be
    replaced by the text of its last message.
    """
    roots = {side, "parsed"} if parts.parse is None else {side}
    if any(path.root in roots and path.segments for path in parts.paths):
        return False
    chain = parts.parse if side == "prediction" else parts.parse_reference
    firsts = [] if chain is None else [(chain.program, 0)]
    for field in parts.fields:
        source = getattr(field, side)
        if source is not None:
            if source.value.head.root == side and source.segments and source.value.program.changes_nothing:
                return False
        elif chain is None:
            if field.places[side]:
                return False
            firsts.append((field.scorer.program, 0 if side == "prediction" else -1))
    firsts += [(value.program, 0) for value in parts.values if value.head.root == side and not value.head.segments]
    return all(_takes_text(program, place) for program, place in firsts)


def _takes_text(program: Program, place: int) -> bool:
    steps = program.reference if place else program.prediction
    first = steps[0] if steps else program.join
    if first is None or not first.primitive.inputs:
        return True
    fits = checker(first.primitive.inputs[place])
    return fits is None or fits("")
