"""Hostile files, as data: how each is made, what reads it, and what must come of it.

``python -m tests.hostile.table [NAME…]`` makes and reads each in a process of its own, which has little memory, and
prints what came: exit status, records with and without a score, the most memory it took. `tests/hostile/test_table.py`
holds all of it to what the table says.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import resource
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
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
_ARROW = (".parquet", ".arrow", ".feather", ".zst")
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
        is_bomb: Whether it is read in a process of its own, whose memory tells what it alone took.
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
    is_bomb: bool = False

    @property
    def family(self) -> str:
        """With which others it is read: those whose name begins alike, and those that take pyarrow."""
        return "columns" if self.file.endswith(_ARROW) else self.name.partition(": ")[0] if ": " in self.name else ""


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


def read(*hostile: Hostile) -> dict[str, Outcome]:
    """Make files and score them, one after the other in a process with little memory: bombs in one of their own.

    What dies with its process is the outcome of the file that it read, and the next ones are read in another.
    """
    with tempfile.TemporaryDirectory() as name:
        folders = {one.name: Path(name) / str(place) for place, one in enumerate(hostile)}
        commands = {one.name: _command(one, folders[one.name]) for one in hostile}
        _made(hostile, folders)
        found: dict[str, Outcome] = {}
        left = [[one] for one in hostile if one.is_bomb] + [[one for one in hostile if not one.is_bomb]]
        for some in filter(None, left):
            while rest := [one for one in some if one.name not in found]:
                status, peak = _in_process(rest, commands, folders)
                for one in rest:
                    answer = folders[one.name] / ".answer"
                    if answer.exists():
                        found[one.name] = Outcome(**json.loads(answer.read_text()))
                    else:
                        found[one.name] = Outcome(status, "", "", peak)
                        break
    return found


@cache
def family(name: str) -> dict[str, Outcome]:
    """What came of each file of such a family."""
    return read(*(one for one in TABLE.values() if one.family == name))


def _command(hostile: Hostile, folder: Path) -> list[str]:
    """How the file of a folder is scored; its task is written."""
    folder.mkdir()
    path, spec = folder / hostile.file, folder / "task.yaml"
    command = ["score", str(spec), str(path), "--json", "--min-coverage", "0", *hostile.arguments]
    if hostile.kind == "rows":
        spec.write_text(_ROWS)
        return command
    spec.write_text(_ROWS.partition("record:")[0] + f"records: {hostile.kind}\n" + _IMAGES[hostile.kind])
    if hostile.kind == "detection":
        command[2] = str(folder / "found.json")
    return [*command, "--references", str(folder / "truth" if hostile.kind == "segmentation" else path)]


def _made(hostile: Sequence[Hostile], folders: dict[str, Path]) -> None:
    """Make files in a process of its own, so that what that took is not counted."""
    child = os.fork()
    if not child:
        code = 1
        try:
            for one in hostile:
                path = folders[one.name] / one.file
                path.write_bytes(one.make) if isinstance(one.make, bytes) else one.make(path)
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
        raise RuntimeError("the files could not be made")


def _in_process(some: Sequence[Hostile], commands: dict[str, list[str]], folders: dict[str, Path]) -> tuple[int, int]:
    """Score files in a process that leaves what came of each in its folder; how that ended, and its memory.

    A process begins with the memory of the one that it is forked from, which may be that of a whole run of tests: what
    comes on top is counted, and bounded.
    """
    before = _memory()
    child = os.fork()
    if not child:
        code = 97
        try:
            most = ADDRESSES + before[0]
            resource.setrlimit(resource.RLIMIT_AS, (most, most))
            for one in some:
                _score(one, commands[one.name], folders[one.name], before[1])
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    _, status, used = os.wait4(child, 0)
    return os.waitstatus_to_exitcode(status), used.ru_maxrss * 1024 - before[1]


def _memory() -> tuple[int, int]:
    """Bytes of this process' addresses, and of its memory."""
    addresses, resident = Path("/proc/self/statm").read_text().split()[:2]
    return int(addresses) * resource.getpagesize(), int(resident) * resource.getpagesize()


def _score(hostile: Hostile, command: list[str], folder: Path, before: int) -> None:
    from scoring.cli.main import main

    os.environ["SCORING_LIMITS"] = hostile.limits
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(command)
    counts = {}
    with contextlib.suppress(ValueError):
        counts = json.loads(out.getvalue()).get("counts", {})
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before
    answer = Outcome(code, out.getvalue(), err.getvalue(), peak, counts)
    (folder / ".partial").write_text(json.dumps(asdict(answer)))
    (folder / ".partial").rename(folder / ".answer")


def _printed(hostile: Hostile, outcome: Outcome) -> str:
    counts = outcome.counts
    found = f"{counts.get('scored', '–')} + {counts.get('unscored', '–')}"
    return f"{outcome.code:3}  {found:7}  {outcome.peak >> 20:4} MiB  {hostile.name}: {outcome.err.strip()[-160:]}"


if __name__ == "__main__":
    for one in sys.argv[1:] or TABLE:
        print(_printed(TABLE[one], read(TABLE[one])[one]), flush=True)
