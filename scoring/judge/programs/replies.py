"""Reading a judge's reply: the JSON object in it, the first number in it, or its text.

A judge program names one of the readers: ``json`` (with a schema), ``integer`` (the first signed integer of the
text), ``digit`` (the first character), ``text``. What can't be read is an invalid reply, never a verdict.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from scoring.depth import in_full_depth, nests_too_deep
from scoring.judge.calls import InvalidReply
from scoring.judge.programs.reply_schema import ReplySchema, check_reply, check_schema, concrete, counted, specimen

MAX_REPLY = 1_000_000
_INTEGER = re.compile(r"[+-]?\d+")
_MAX_DIGITS = 18
_READERS = ("json", "integer", "digit", "text")


class ReplyReader:
    """How the replies to one question are read.

    Args:
        declared: One entry: the reader's name, and its schema or its bounds.

    Examples:
        >>> reader = ReplyReader({"integer": {"minimum": 1, "maximum": 5}})
        >>> reader.read("Score: 4 out of 5", {})
        4
    """

    def __init__(self, declared: Mapping[str, Any]) -> None:
        if len(declared) != 1 or next(iter(declared)) not in _READERS:
            raise ValueError(f"`reply` names one of {', '.join(_READERS)}, not {', '.join(map(str, declared))}")
        ((self.kind, self.schema),) = declared.items()
        check_schema(self.schema)
        # Most schemas name no list whose length they want, and are the same for every record.
        self._fixed = None if counted(self.schema) else concrete(self.schema, len)

    def schema_for(self, count: Callable[[str], int]) -> dict[str, Any] | None:
        """The JSON schema to ask for, None where the reply is plain text."""
        return self._fixed or concrete(self.schema, count) if self.kind == "json" else None

    def specimen(self, path: str) -> Any:
        """A value such as a reply has at a path; ANYTHING where that can't be told.

        Raises:
            InvalidReply: when no reply that satisfies the schema has the path.
        """
        whole = specimen(self.schema) if self.kind == "json" else "text" if self.kind == "text" else 1
        return read_path(whole, path)

    def read(self, text: str, schema: ReplySchema | None) -> Any:
        """The value of a reply.

        Raises:
            InvalidReply: when there is none, or it is not what was asked for.
        """
        if len(text) > MAX_REPLY:
            raise InvalidReply("too_long", f"the reply has {len(text):,} characters")
        if self.kind == "json":
            value = json_object(text)
            check_reply(value, schema or {})
            return value
        value = _READ[self.kind](text)
        check_reply(value, self.schema)
        return value


def read_path(value: Any, path: str) -> Any:
    """The value at a path such as ``verdicts[].verdict``; ``@`` is the reply itself.

    Raises:
        InvalidReply: when there is none.
    """
    if path in ("", "@"):
        return value
    head, _, rest = path.partition(".")
    name = head.removesuffix("[]")
    try:
        inner = value[name] if name else value
        return [read_path(item, rest) for item in inner] if head.endswith("[]") else read_path(inner, rest)
    except (KeyError, TypeError, IndexError):
        raise InvalidReply("missing_key", f"the reply has no `{path}`") from None


def json_object(text: str) -> dict[str, Any]:
    """The object between the first opening and the last closing brace, so prose and code fences may stand around it.

    Raises:
        InvalidReply: when there are no braces (no_json_object) or no JSON between them (invalid_json).

    Examples:
        >>> json_object('Sure! {"verdicts": []} Anything else?')
        {'verdicts': []}
    """
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        raise InvalidReply("no_json_object", "the reply has no JSON object")
    try:
        if nests_too_deep(text[start : end + 1]):
            raise ValueError("too deep")
        found: dict[str, Any] = in_full_depth(json.loads, text[start : end + 1])
    except (ValueError, RecursionError):
        raise InvalidReply("invalid_json", "what stands between the braces is no JSON") from None
    return found


def _first_integer(text: str) -> int:
    found = _INTEGER.search(text)
    if found is None:
        raise InvalidReply("no_integer", "the reply has no whole number")
    if len(found[0]) > _MAX_DIGITS:
        raise InvalidReply("out_of_range", f"the number has more than {_MAX_DIGITS} digits")
    return int(found[0])


def _first_digit(text: str) -> int:
    first = text.strip()[:1]
    if not first.isdecimal():
        raise InvalidReply("no_integer", "the reply does not start with a digit")
    return int(first)


_READ: dict[str, Callable[[str], Any]] = {"integer": _first_integer, "digit": _first_digit, "text": str.strip}
