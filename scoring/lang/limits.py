"""Limits of the size of an expression: generous for people, small enough that no input can do harm."""

from __future__ import annotations

from typing import Final

LENGTH: Final = 20_000
"""Characters in one expression."""

DEPTH: Final = 50
"""Brackets inside brackets."""

STEPS: Final = 200
"""Steps in one pipeline, operators in one formula."""

DIGITS: Final = 40
"""Characters in one number."""
