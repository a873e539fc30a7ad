"""Hostile files, as data: how each is made, what reads it, and what must come of it.

``python -m tests.hostile.table [NAME…]`` makes and reads each, in a process of its own that has little memory, and
prints what came: exit status, records with and without a score, the most memory it took. `tests/hostile/test_table.py`
holds all of it to what the table says.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import sys
import tempfile
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.hostile.columns import COLUMNS
from tests.hostile.images import IMAGES
from tests.hostile.rows import ROWS
from tests.hostile.whole import WHOLE

#: What the reading process may take of addresses, and what it may have had in memory at most.
ADDRESSES, MEMORY = 4 << 30, 900 << 20
_ROWS = (
    "kind: task\nname: hostile\nversion: 1.0.0\n"
    "record: {id: id, response: response, reference: reference}\nscore: casefold | equal\n"
)
_IMAGES = {
    "segmentation": "labels: [road, car]\nmetrics: [pixel_report]\n",
    "detection": "imports: {coco: coco@1}\nmetrics: [coco.statistics]\n",
}


@dataclass(frozen=True)
class Hostile:
    """A hostile file, and what must come of it.

    Args:
        name: What it is.
        file: What it is called; its suffix tells the format.
        make: Its bytes, or what writes it (and what lies beside it) at a path.
        says: What is said of it: a part of the line of a refusal, or of the reason of the bad row.
        scored: How many records are scored all the same; None where the file as a whole is refused.
        bad: How many are not.
        limits: `SCORING_LIMITS`.
        kind: What the task's records are.
        arguments: More of the command.
    """

    name: str
    file: str
    make: bytes | Callable[[Path], Any]
    says: str = ""
    scored: int | None = None
    bad: int = 0
    limits: str = ""
    kind: str = "rows"
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """What came of reading a file."""

    code: int
    out: str
    err: str
    peak: int
    counts: dict[str, Any] = field(default_factory=dict)

    @property
    def said(self) -> str:
        """All that was said, on one line."""
        return " ".join((self.out + self.err).split())


TABLE = {made.name: made for made in (Hostile(**row) for row in [*ROWS, *WHOLE, *COLUMNS, *IMAGES])}


def read(hostile: Hostile) -> Outcome:
    """Make a file and score it in a process of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / hostile.file
        if isinstance(hostile.make, bytes):
            path.write_bytes(hostile.make)
        else:
            _elsewhere(hostile.make, path)
        spec = folder / "task.yaml"
        command = ["score", str(spec), str(path), "--json", "--min-coverage", "0", *hostile.arguments]
        if hostile.kind == "rows":
            spec.write_text(_ROWS)
        else:
            spec.write_text(_ROWS.partition("record:")[0] + f"records: {hostile.kind}\n" + _IMAGES[hostile.kind])
            command += ["--references", str(folder / "truth" if hostile.kind == "segmentation" else path)]
            if hostile.kind == "detection":
                command[2] = str(folder / "found.json")
        return _in_process(command, folder, hostile.limits)


def _elsewhere(make: Callable[[Path], Any], path: Path) -> None:
    """Make a file in a process of its own, so that what that took is not counted."""
    child = os.fork()
    if not child:
        code = 1
        try:
            make(path)
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
        raise RuntimeError(f"{path.name} could not be made")


def _in_process(command: list[str], folder: Path, limits: str) -> Outcome:
    out, err = folder / ".out", folder / ".err"
    child = os.fork()
    if not child:
        code = 97
        try:
            os.environ["SCORING_LIMITS"] = limits
            resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
            shown = contextlib.redirect_stdout, contextlib.redirect_stderr
            with out.open("w") as first, err.open("w") as second, shown[0](first), shown[1](second):
                from scoring.cli.main import main

                code = main(command)
        finally:
            os._exit(code)
    _, status, used = os.wait4(child, 0)
    text = out.read_text(errors="replace") if out.exists() else ""
    counts = {}
    with contextlib.suppress(ValueError):
        counts = json.loads(text).get("counts", {})
    said = err.read_text(errors="replace") if err.exists() else ""
    return Outcome(os.waitstatus_to_exitcode(status), text, said, used.ru_maxrss * 1024, counts)


def _printed(hostile: Hostile, outcome: Outcome) -> str:
    counts = outcome.counts
    found = f"{counts.get('scored', '–')} + {counts.get('unscored', '–')}"
    return f"{outcome.code:3}  {found:7}  {outcome.peak >> 20:4} MiB  {hostile.name}: {outcome.err.strip()[-160:]}"


if __name__ == "__main__":
    for one in sys.argv[1:] or TABLE:
        print(_printed(TABLE[one], read(TABLE[one])), flush=True)
