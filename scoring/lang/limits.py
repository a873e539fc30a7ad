"""Limits on the size of expressions: generous for people, small enough that no input can do harm."""

from __future__ import annotations

from typing import Final

LENGTH: Final = 20_000
"""The most characters in one expression."""

DEPTH: Final = 50
"""The most levels of nested brackets."""

STEPS: Final = 200
"""The most steps in one pipeline, and operators in one formula."""

DIGITS: Final = 40
"""The most characters in one number."""
