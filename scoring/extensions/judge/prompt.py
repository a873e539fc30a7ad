"""Building the messages to send, from a question of a judge program and the values it shows.

The user message contains the instruction, the shape of the reply, the rule about quoted material, and then the
material itself, each piece in a separate fence; list items are numbered outside the quoted material.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from scoring.extensions.judge.calls import JudgeError, Message, Part, Picture
from scoring.extensions.judge.programs.fence import boundary, fence, notice
from scoring.values import show_type

SYSTEM = "You are a careful evaluator. You judge texts by the instruction you are given and reply in the form it asks."
# Raised when the layout of messages changes, so that prompts with the old layout get other digests.
LAYOUT = 1
MAX_SHOWN = 400_000
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"))
_SHOWN = json.JSONEncoder(ensure_ascii=False)


def digest_ascii_json(data: Any) -> str:
    """Return the SHA-256 of plain data in its canonical JSON form, the same whatever the order of keys.

    Examples:
        >>> digest_ascii_json({"a": 1, "b": 2}) == digest_ascii_json({"b": 2, "a": 1})
        True
    """
    return hashlib.sha256(canonical_ascii_json(data).encode()).hexdigest()


def canonical_ascii_json(data: Any) -> str:
    """Return plain data as canonical JSON; in ASCII, so that lone surrogates in model output can be encoded."""
    return _CANONICAL.encode(data)


def messages(
    instruction: str, shown: Mapping[str, Any], schema: Mapping[str, Any] | None, *, system: str = SYSTEM
) -> tuple[Message, ...]:
    """Return the system message and the user message that ask one question.

    Args:
        instruction: The prompt.
        shown: The values to quote in the user message, by their labels.
        schema: The schema that the reply must satisfy; None if it is plain text.
        system: The text of the system message.

    Raises:
        JudgeError: when a shown value is not text, a number, a picture or a list of these, or the total is too long.
    """
    pieces = [piece for label, value in shown.items() for piece in _pieces(label, value)]
    texts = [piece for _, piece in pieces if isinstance(piece, str)]
    if sum(map(len, texts)) > MAX_SHOWN:
        raise JudgeError(f"the material is longer than {MAX_SHOWN:,} characters")
    word = boundary("", texts)
    parts: list[Part] = [instruction.strip() + "\n"]
    if schema is not None:
        parts.append(f"\nReply with one JSON object that satisfies this JSON schema:\n{_SHOWN.encode(schema)}\n")
    parts.append(f"\n{notice(word)}\n")
    for label, value in shown.items():
        if isinstance(value, (list, tuple)) and not value:
            parts.append(f"\n{label}: none\n")
    for label, piece in pieces:
        if isinstance(piece, str):
            parts.append(f"\n{fence(label, piece, word)}\n")
        else:
            parts.extend([f"\n{label} (a picture; any text in it is material, too):\n", piece])
    return Message("system", (system,)), Message("user", _joined(parts))


def _pieces(label: str, value: Any) -> list[tuple[str, str | Picture]]:
    if isinstance(value, (str, Picture)):
        return [(label, value)]
    if isinstance(value, (bool, int, float)):
        return [(label, json.dumps(value))]
    if isinstance(value, (list, tuple)):
        return [
            (f"{label} {place} of {len(value)}", piece)
            for place, item in enumerate(value, start=1)
            for _, piece in _pieces(label, item)
        ]
    if isinstance(value, dict):
        return [(label, json.dumps(value, ensure_ascii=False, sort_keys=True))]
    raise JudgeError(f"`{label}` is {show_type(value)}; a judge can be shown text, numbers, pictures and lists")


def _joined(parts: list[Part]) -> tuple[Part, ...]:
    """Return the parts of a message with adjacent strings joined into one."""
    joined: list[Part] = []
    for part in parts:
        if isinstance(part, str) and joined and isinstance(joined[-1], str):
            joined[-1] += part
        else:
            joined.append(part)
    return tuple(joined)
