"""Vectors of primitives made anew: the makers of `tests/parity/*_vectors.py`, each beside the file that is held.

A module may have `MAKERS`: functions by the name of a file in `tests/parity/data`, or such a table under `data`. A
maker that takes an argument is given the folder of checkouts.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

HELD = Path(__file__).resolve().parents[2] / "tests" / "parity" / "data"
Maker = Callable[..., Iterable[Any]]


def makers() -> dict[str, Maker]:
    """Return the makers of all modules by the name of their file."""
    found: dict[str, Maker] = {}
    for path in sorted(HELD.parent.glob("*_vectors.py")):
        table: Mapping[str, Any] = getattr(import_module(f"tests.parity.{path.stem}"), "MAKERS", {})
        found |= table.get("data", table)
    return found


def made_anew(name: str, folder: Path) -> tuple[int, int]:
    """Run a maker; return how many lines are held, and how many of them differ from what it makes now."""
    maker = makers()[name]
    rows = maker(folder) if inspect.signature(maker).parameters else maker()
    made = [json.loads(json.dumps(row)) for row in rows]
    text = (HELD / f"{name}.jsonl").read_text(encoding="utf-8")
    held = [json.loads(line) for line in text.rstrip("\n").split("\n")]
    parted = sum(one != other for one, other in zip(held, made, strict=False))
    return len(held), parted + abs(len(held) - len(made))
