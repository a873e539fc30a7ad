"""Where drawn values begin: our seed corpus of expressions and responses."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from tests.fuzz import codec

FOLDER = Path(__file__).parent / "seeds"


@functools.cache
def read(name: str) -> tuple[Any, ...]:
    """The values of one file of the corpus: a value in each line, as `codec` writes it."""
    lines = (FOLDER / f"{name}.jsonl").read_text(encoding="ascii").splitlines()
    return tuple(codec.read(line) for line in lines if line)
