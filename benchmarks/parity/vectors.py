"""Vectors of official code made anew: the records that `tests/parity/recipes` holds, and what the code gives for them.

A program is a function in `benchmarks/parity/official`, registered by the name of a recipe. It takes the folder of
checkouts and returns a function of one record, or of a set of records, to the keys that the vectors state: `score`,
`fields`, or the figures of a set. Records are ours; a new probe is a line with a record, for which `--write` adds what
the official code says.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.parity.code import Code

VECTORS = Path(__file__).resolve().parents[2] / "tests" / "parity" / "recipes"
Row = dict[str, Any]
Answer = Callable[[Any], Any]
PROGRAMS: dict[str, Callable[[Code], Answer]] = {}


def official(*recipes: str) -> Callable[[Callable[[Code], Answer]], Callable[[Code], Answer]]:
    """Register the program of recipes."""

    def register(program: Callable[[Code], Answer]) -> Callable[[Code], Answer]:
        PROGRAMS.update(dict.fromkeys(recipes, program))
        return program

    return register


def remade(recipe: str, code: Code) -> Iterator[tuple[Row, Row]]:
    """Yield each held probe with the one that the official code gives now."""
    lines = (VECTORS / f"{recipe}.jsonl").read_text(encoding="utf-8").splitlines()
    answer, header = PROGRAMS[recipe](code), json.loads(lines[0])
    for line in lines[1:]:
        held = json.loads(line)
        if "reason" in held:  # why there is no official score
            made = held
        elif header["per"] == "set":
            given = [{**one, "replies": said} for one, said in _with_replies(held)]
            made = {**held, "figures": answer(given)}
        else:
            made = {**held, **answer({**held["record"], **{key: held[key] for key in ("replies",) if key in held}})}
        yield held, made


def same(held: Any, made: Any, tolerance: float) -> bool:
    """Whether what is held is what was made; only what is held is compared, numbers within the tolerance."""
    if isinstance(held, Mapping):
        return isinstance(made, Mapping) and all(same(held[key], made.get(key), tolerance) for key in held)
    if isinstance(held, bool | int | float) and isinstance(made, bool | int | float):
        return math.isclose(held, made, rel_tol=0, abs_tol=max(tolerance, 1e-15))
    return bool(held == made)


def _with_replies(held: Row) -> Iterator[tuple[Row, Any]]:
    replies = held.get("replies") or [None] * len(held["records"])
    yield from zip(held["records"], replies, strict=True)
