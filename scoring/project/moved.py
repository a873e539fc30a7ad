"""What moved between two states of a pack, worded by whoever knows what definitions mean: far above this room."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

MovedWords: TypeAlias = Callable[[Any, Any, Any, Any], Sequence[str]]
"""Of a pack as it was, its loader, as it is, and its loader: a short line for each change that moves a score, or
breaks who imports it; none where comments, documentation and spelling alone are others."""


def _plainly(old: Any, old_loader: Any, new: Any, new_loader: Any) -> Sequence[str]:
    return () if old.digest == new.digest else ("it says something else",)


_words: list[MovedWords] = [_plainly]


def word_changes(words: MovedWords) -> None:
    """Say how a pack that was changed without a new version is told from one that was not."""
    _words[:] = [words]


def moved_words(old: Any, old_loader: Any, new: Any, new_loader: Any) -> Sequence[str]:
    """What moved between two states of a pack, as it was last said how to tell."""
    return _words[0](old, old_loader, new, new_loader)
