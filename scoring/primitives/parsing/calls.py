"""The parser of function calls: what tool-using models write, in the syntax of Python or as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, Literal, TypeAlias

from scoring.depth import in_full_depth, nests_too_deep
from scoring.primitives.parsing.call_syntax import NoCalls, read_calls
from scoring.primitives.parsing.json_scan import MAX_RESPONSE, closed_values, read_value
from scoring.primitives.text.wrapping import unfence
from scoring.registry import primitive
from scoring.result import Unparsed
from scoring.values import show_type

Calls: TypeAlias = list[dict[str, Any]]

MAX_TAGS = 1_000
_TAGS = ("tool_call", "TOOLCALL", "tool_calls", "function_calls")
_ARGUMENTS = ("arguments", "parameters", "input", "args")


@primitive(topics=("tools", "extraction"), aka=("tool calls", "function calling", "parse calls", "call syntax"))
def function_calls(
    response: Any,
    /,
    *,
    notation: Literal["any", "python", "json"] = "any",
    prose: Literal["skipped", "refused"] = "skipped",
    positional: Literal["kept", "dropped"] = "kept",
    signs: Literal["python", "minus"] = "python",
) -> list[dict[str, Any]]:
    """The function calls of a response, in order, each as `{"name": …, "arguments": {…}}`.

    Python: one call, or a list of calls. Of the arguments, literals are read, `1 + 2` and `"a" + "b"` are computed, and
    what would need running is a text: a name, `x[0]`, a call without named arguments. A call with some is a mapping
    from its name to them. Nothing is ever run.

    JSON: the tool calls of an OpenAI message (`function`, with `arguments` as a JSON text), the `tool_use` blocks of an
    Anthropic message, `{"name": …, "arguments" | "parameters" | "input" | "args": {…}}`,
    `{"function": "f", "parameters": {…}}`, `{"f": {…}}`, one or a list. A response that is no text has been read
    already. A list without any call is an answer: no call.

    Args:
        notation: What is looked for; "any" takes JSON where there is some.
        prose: What stands around the calls (tags such as `<tool_call>`, a fence, sentences before a list) is skipped,
            or the response is refused; spaces, line ends, backticks and missing brackets at its ends are allowed.
        positional: Whether Python's arguments without a name are kept, under `positional`, or dropped.
        signs: Whether a sign before a constant means what it means in Python, or is always a minus.

    Raises:
        Unparsed: when there is no such call, with what stands in its way.

    Examples:
        >>> function_calls('[weather.now(city="Suva", days=2 + 1)]')
        [{'name': 'weather.now', 'arguments': {'city': 'Suva', 'days': 3}}]
        >>> function_calls('<tool_call>{"name": "now", "arguments": {"city": "Suva"}}</tool_call>')
        [{'name': 'now', 'arguments': {'city': 'Suva'}}]
        >>> function_calls({"tool_calls": [{"function": {"name": "now", "arguments": '{"days": 2}'}}]})
        [{'name': 'now', 'arguments': {'days': 2}}]

    Source:
        Berkeley Function-Calling Leaderboard, `ast_parse`: with `notation="python", prose="refused",
        positional="dropped", signs="minus"`, but for names of that program itself, which it would look up.
    """
    if not isinstance(response, str):
        calls = in_full_depth(_calls_of, response)
        if calls is None:
            raise Unparsed(f"no function call in {show_type(response)}")
        return calls
    if len(response) > MAX_RESPONSE:
        raise Unparsed(f"a response of more than {MAX_RESPONSE} characters")
    reader = _TextReader(notation, positional == "kept", signs == "minus")
    found = _in_prose(response, reader, notation) if prose == "skipped" else reader(response)
    if found is None:
        raise Unparsed(f"no function call in the response: {reader.reason or 'no JSON that is one'}")
    return found


class _TextReader:
    """Reads whole texts that hold calls and nothing else, and keeps the first reason why one does not."""

    def __init__(self, notation: str, positional: bool, sign_is_minus: bool) -> None:
        self._notation = notation
        self._positional = positional
        self._sign_is_minus = sign_is_minus
        self.reason = ""

    def __call__(self, text: str) -> Calls | None:
        found = in_full_depth(_calls_of, _value(text)) if self._notation != "python" else None
        if found is not None or self._notation == "json":
            return found
        try:
            return read_calls(_in_brackets(text), positional=self._positional, sign_is_minus=self._sign_is_minus)
        except NoCalls as error:
            self.reason = self.reason or str(error)
            return None


def _in_prose(response: str, read: Callable[[str], Calls | None], notation: str) -> Calls | None:
    """The calls of the first place that has some: the whole text, tags, a fence, JSON between sentences, a list."""
    if not response.strip():
        return None
    whole = read(response)
    if whole is not None:
        return whole
    several = [*map(read, _tagged(response))] or [read(unfence(response))]
    if notation != "python" and not any(several):
        several = [in_full_depth(_calls_of, value, False) for value in closed_values(response)]
    if notation != "json" and not any(several):
        end = response.rfind("]") + 1
        several = [read(response[start:end]) for start in (response.rfind("\n[") + 1, response.find("[")) if start > 0][
            :1
        ]
    found = [calls for calls in several if calls]
    return [call for calls in found for call in calls] if found else None


def _tagged(text: str) -> Iterator[str]:
    """What stands within the tags of calls."""
    tries = 0
    for tag in _TAGS:
        for part in text.split(f"<{tag}>")[1:]:
            inner, closed, _ = part.partition(f"</{tag}>")
            if closed:
                yield inner
                tries += 1
            if tries > MAX_TAGS:
                raise Unparsed(f"more than {MAX_TAGS} tags of calls")


def _in_brackets(text: str) -> str:
    text = text.strip("`\n ")
    text = text if text.startswith("[") else "[" + text
    return text if text.endswith("]") else text + "]"


def _value(text: str) -> Any:
    text = text.strip("`\n ")
    return read_value(text) if text[:1] in ("{", "[") else None


def _calls_of(value: Any, keyed: bool = True) -> Calls | None:
    """The calls of a value that was JSON; None where it is, or a list holds, anything else.

    Args:
        value: What was read.
        keyed: Whether a mapping of one key is a call of that name, too.
    """
    if isinstance(value, list | tuple):
        found = [_calls_of(one, keyed) for one in value if not _is_text_block(one)]
        return None if None in found else [call for calls in found for call in calls or ()]
    if not isinstance(value, dict):
        return None
    for key in ("tool_calls", "content"):
        if isinstance(value.get(key), list):
            return _calls_of(value[key])
    for key in ("function", "functionCall", "function_call"):
        if isinstance(value.get(key), dict):
            return _calls_of(value[key])
    for key in ("name", "function", "tool_name"):
        if isinstance(value.get(key), str):
            return _call(value[key], next((value[name] for name in _ARGUMENTS if name in value), None))
    return _call(*next(iter(value.items()))) if keyed and len(value) == 1 else None


def _is_text_block(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") in ("text", "thinking") and "name" not in value


def _call(name: Any, arguments: Any) -> Calls | None:
    if isinstance(arguments, str):
        arguments = _of_text(arguments)
    if not isinstance(name, str) or not isinstance(arguments, dict):
        return None
    return [{"name": name, "arguments": arguments}]


def _of_text(text: str) -> Any:
    if not text.strip():
        return {}
    try:
        return None if nests_too_deep(text) else in_full_depth(json.loads, text)
    except (ValueError, RecursionError):
        return None
