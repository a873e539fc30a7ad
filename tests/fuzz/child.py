"""The process that runs what is under test: it may crash, hang or fill its memory, and the driver says which input did.

Jobs come as JSON lines on standard input; answers go to the file descriptor that standard output was, and whatever the
code under test prints goes nowhere. What is run next stands in a small shared file before it is run.
"""

from __future__ import annotations

import faulthandler
import json
import mmap
import os
import resource
import struct
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tests.fuzz import codec
from tests.fuzz.examine import Found, Report, drawn, examine
from tests.fuzz.target import Subject
from tests.fuzz.targets import target_of

WAYS = ("idle", "draw", "open", "alone", "again", "batch", "shuffled")
MARK = struct.Struct("<QII")
"""A count of marks, the way, and the place of the input."""
KEPT = 400
"""So many opened setups are kept; a pipeline is compiled in milliseconds, and runs in microseconds."""
MIB = 1 << 20


class Marks:
    """What is run next, where the driver can read it when this process is gone."""

    def __init__(self, path: Path) -> None:
        with path.open("r+b") as file:
            self._memory = mmap.mmap(file.fileno(), MARK.size)
        self._count = 0

    def put(self, way: str, place: int) -> None:
        """Say what is run next."""
        self._count += 1
        MARK.pack_into(self._memory, 0, self._count, WAYS.index(way), place)


def main(marks_path: str, seconds: str, memory_mib: str) -> None:
    """Serve jobs until there are no more."""
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    faulthandler.enable()
    marks = Marks(Path(marks_path))
    subjects: dict[str, Subject] = {}
    _limit_memory(int(memory_mib))
    for line in sys.stdin:
        answers.write(json.dumps(_answer(json.loads(line), float(seconds), marks, subjects)) + "\n")
        answers.flush()
        marks.put("idle", 0)
        if len(subjects) > KEPT:
            subjects.clear()


def _limit_memory(mib: int) -> None:
    """Let this process grow by so much beyond what it has once the libraries are there; 0 for no limit."""
    import numpy.linalg
    import scipy.optimize

    assert numpy.linalg
    assert scipy.optimize
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    if mib:
        most = pages * resource.getpagesize() + mib * MIB
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _answer(job: dict[str, Any], seconds: float, marks: Marks, subjects: dict[str, Subject]) -> dict[str, Any]:
    began, target = time.process_time(), target_of(job["target"])
    if "case" in job:
        setup, inputs = codec.read(job["case"])
        subjects = {}
    else:
        marks.put("draw", 0)
        setup, inputs = drawn(target, job["seed"], job["count"])
        inputs = [given for place, given in enumerate(inputs) if place not in job["without"]]
    key = f"{target.name} {codec.write(setup)}"
    report = examine(target, setup, inputs, seconds, marks.put, job["brief"], subjects, key)
    return {
        "brief": job["brief"],
        "digest": report.digest,
        "inputs": len(inputs),
        "refused": report.told is None,
        "slowest": report.slowest,
        "found": [_found(found, target.member(setup), setup, inputs) for found in report.found[: job["most"]]],
        "counts": _counts(report),
        "cpu": time.process_time() - began,
        **({"told": report.told} if job.get("told") else {}),
    }


def _found(found: Found, member: str, setup: Any, inputs: list[Any]) -> dict[str, Any]:
    case = codec.write([setup, [inputs[place] for place in found.places]])
    return {**found.fault._asdict(), "way": found.way, "member": member, "case": case}


def _counts(report: Report) -> dict[str, int]:
    """How many inputs have a fault of each kind; what was found while it was opened counts once."""
    return Counter(kind for kind, _ in {(found.fault.kind, found.places[:1]) for found in report.found})


if __name__ == "__main__":
    main(*sys.argv[1:])
