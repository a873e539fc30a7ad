"""The editions of the language, which say what names are taken, so that no later primitive changes a spec's meaning."""

from __future__ import annotations

EDITIONS: tuple[int, ...] = (2027,)
"""All editions, oldest first. A name that came with a later one is free in files of an earlier one."""

OLDEST = EDITIONS[0]
