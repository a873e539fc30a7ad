"""Run a command again whenever a file that it reads changes: ``--watch``.

Each run is a process of its own, so a changed pack or plug-in is read anew; it tells what it read. Changes are found by
looking at sizes and times twice a second, which also works where no events come: network drives, containers.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TypeAlias

from scoring import children
from scoring.cli.console import Console, UsageError
from scoring.extensions.terminal.watched import MOST

_EVERY = 0.5
_SHOWN = 3
_PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from scoring.extensions.terminal.watched import run_watched; sys.exit(run_watched(*sys.argv[2:]))"
)
FileStates: TypeAlias = Mapping[str, tuple[int, int, int] | None]
"""Time, size and number of each file or folder; None for what is not there."""


def run_again(words: Sequence[str], options: argparse.Namespace, console: Console) -> int:
    """Run a command, and again whenever a file that it reads changes, until the process is interrupted.

    Args:
        words: The command and its arguments, without ``--watch``.
        options: The parsed arguments.
        console: Where changes are told.

    Raises:
        UsageError: when the command reads standard input.
        KeyboardInterrupt: at Ctrl-C, or when the process is ended by SIGTERM.
    """
    given = [one for value in vars(options).values() for one in (value if isinstance(value, list) else [value])]
    if "-" in given:
        raise UsageError("--watch runs again when a file changes; standard input can't be read twice, name a file")
    paths = [os.path.abspath(one) for one in given if isinstance(one, str) and os.path.exists(one)]
    outputs = (getattr(options, name, None) for name in ("output", "write_back"))
    written = [os.path.abspath(one) for one in outputs if isinstance(one, str)]
    known: FileStates = {}
    while True:
        before = state_of([*paths, *known])
        read = _run_once(words)
        now = state_of(_watched([*paths, *read], written))
        # What changed during the run is read again at once, but for folders: the run itself writes there.
        known = {path: state if os.path.isdir(path) else before.get(path, state) for path, state in now.items()}
        most = " (no more are watched)" if len(known) >= MOST else ""
        console.remark(f"watching {len(known)} files and folders{most}; Ctrl-C ends it")
        changed = _wait(known)
        names = [os.path.relpath(path) for path in changed]
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        console.note("")
        console.remark(f"changed: {', '.join(names[:_SHOWN])}{more}")


def state_of(paths: Collection[str]) -> FileStates:
    """Return the state of each path.

    Examples:
        >>> state_of(["/nothing/of/this/name"])
        {'/nothing/of/this/name': None}
    """
    return {path: _state(path) for path in paths}


def _state(path: str) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return (found.st_mtime_ns, found.st_size, found.st_ino)


def _watched(paths: Sequence[str], written: Sequence[str]) -> list[str]:
    """Return the paths that are watched, without those below what the command itself has `written`."""
    below = tuple(os.path.join(one, "") for one in written)
    kept = (one for one in dict.fromkeys(paths) if one not in written and not one.startswith(below))
    return list(islice(kept, MOST))


def _wait(known: FileStates) -> list[str]:
    """Wait until some path has another state that lasts until the next look, and return what changed."""
    last = known
    while True:
        time.sleep(_EVERY)
        now = state_of(known)
        if now == last and now != known:
            return [path for path in known if now[path] != known[path]]
        last = now


def _run_once(words: Sequence[str]) -> list[str]:
    """Run the command in a process of its own, and return the paths that it read."""
    with tempfile.TemporaryDirectory(prefix="scoring-watch-") as folder:
        told = Path(folder, "read")
        child = children.start(children.python("-c", _PROGRAM, json.dumps(sys.path), str(told), *words))
        try:
            child.wait()
        except BaseException:
            child.terminate()
            child.wait()
            raise
        paths = told.read_bytes().split(b"\0") if told.exists() else ()
        return [os.fsdecode(path) for path in paths if path]
