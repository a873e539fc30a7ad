"""Read a text that is a Python literal or JSON as a whole."""

from __future__ import annotations

import json
from typing import Any

from scoring.primitives.parsing.literal import MAX_LENGTH, read_literal
from scoring.primitives.parsing.literal_fast import MAX_BRACKETS


def read_notation(text: str) -> Any:
    """The value of a whole text.

    Raises what ``read_literal`` raises where the text is neither.
    """
    try:
        return read_literal(text)
    except (SyntaxError, ValueError):
        if len(text) > MAX_LENGTH or text[:1] not in ("[", "{") or text.count("[") + text.count("{") > MAX_BRACKETS:
            raise
    return json.loads(text)
