"""Time several pieces of work in one process: the rounds take turns, and each one's best round counts (CPU time).

Whatever the machine does meanwhile then falls on all of them alike. Every round must do the same work, so nothing may
be kept from one round to the next that a peer would have to make again: give rows that are all different.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any


def alternated(
    works: Mapping[str, Callable[[], Any]], rounds: int = 7, *, before: Callable[[], None] | None = None
) -> dict[str, float]:
    """The CPU seconds of each piece of work: its best round.

    Args:
        works: What is timed, by name.
        rounds: How often each is run.
        before: Run before each, not timed; it empties caches, for instance.
    """
    best = dict.fromkeys(works, float("inf"))
    for _ in range(rounds):
        for name, work in works.items():
            if before is not None:
                before()
            start = time.process_time()
            work()
            best[name] = min(best[name], time.process_time() - start)
    return best


def official(folder: str | None, inside: str, what: str) -> Path | None:
    """The folder of the official code, put in front of the import path; None, said in one line, where there is none.

    Args:
        folder: What `--official` was given.
        inside: Where its modules lie in the repository.
        what: The repository to check out.
    """
    if folder is None or not (Path(folder) / inside).is_dir():
        print(f"no official code beside ours: check out {what} and give its folder with --official DIR")
        return None
    sys.path.insert(0, str(Path(folder) / inside))
    return Path(folder) / inside
