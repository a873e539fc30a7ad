"""Detection of complete replies of a model API that were stored as the response, and of the path to the text
in them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_KEYS = ("content", "text", "generated_text", "output_text", "answer", "output", "completion", "prediction", "response")
_AROUND = ("message", "messages", "choices", "candidates", "parts", "generations", "outputs", "data", "result")
_DEEPEST = 8


def place_of_text(value: Any) -> str:
    """Return the JMESPath of the text within a model API's reply, or "" if none of its keys is known to lead to text.

    Examples:
        >>> place_of_text({"choices": [{"message": {"role": "assistant", "content": "Paris"}}]})
        'choices[0].message.content'
        >>> place_of_text({"text": "Paris", "logprob": -1}), place_of_text(["Paris"]), place_of_text({"vendor": "A"})
        ('text', '[0]', '')
    """
    path = ""
    for _ in range(_DEEPEST):
        if isinstance(value, str):
            return path
        if isinstance(value, list | tuple) and len(value) == 1:
            value, path = value[0], f"{path}[0]"
            continue
        keys = (*_KEYS, *_AROUND) if isinstance(value, Mapping) else ()
        key = next((one for one in keys if isinstance(value.get(one), str | list | tuple | Mapping)), None)
        if key is None:
            return ""
        value, path = value[key], f"{path}.{key}" if path else key
    return ""


def way_to_text(value: Any, part: str) -> str:
    """Return help with a path to the text in a reply (``value``) that is the "response" or "reference" of a record; ""
    if there is none.

    Examples:
        >>> way_to_text({"text": "Paris"}, "response")
        'its text is read by `record: {response: response.text}`'
        >>> way_to_text(["Paris"], "reference")
        'its text is read by `record: {reference: "reference[0]"}`'
    """
    place = place_of_text(value)
    if not place:
        return ""
    path = f"{part}{'' if place.startswith('[') else '.'}{place}"
    written = f'"{path}"' if "[" in path else path
    return f"its text is read by `record: {{{part}: {written}}}`"
