"""Run the sides of a row by turns, each in a process of its own, and tell what they took.

Every round has input of its own, drawn from another seed, which all sides get. The least CPU time of the rounds
counts: that of the process and of all its children that ended.
"""

from __future__ import annotations

import gc
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.speed.row import Call, Peer, Row

ROOT = Path(__file__).resolve().parents[2]
#: One thread on each side: CPU time counts those that wait in a loop, too.
ONE_THREAD = dict.fromkeys((
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS", "NUMBA_NUM_THREADS",
    "RAYON_NUM_THREADS", "TQDM_DISABLE",
), "1")  # fmt: skip


@dataclass(frozen=True)
class Took:
    """What one side took in one round."""

    cpu: float
    clock: float
    figure: Any


@dataclass(frozen=True)
class Line:
    """One line of the table: our time beside that of a peer."""

    row: str
    work: str
    peer: str
    version: str
    kind: str
    unit: str
    ours: float
    theirs: float | None
    goal: float | None
    note: str

    @property
    def ratio(self) -> float | None:
        """The peer's time divided by ours."""
        return None if self.theirs is None else self.theirs / self.ours

    @property
    def verdict(self) -> str:
        """Whether the goal is met."""
        if self.ratio is None or self.note:
            return self.note
        if self.goal is None:
            return "no goal"
        return "met" if self.ratio >= self.goal else "below"


def lines_of(row: Row, rounds: int, official: Path | None = None, size: int | None = None) -> list[Line]:
    """Measure a row: a line for each of its peers.

    Args:
        row: What to measure.
        rounds: How often each side runs.
        official: The folder with checkouts of released code.
        size: How many records at most, but those on which a row is tried; a row may have fewer.
    """
    row = replace(row, size=min(max(size or row.size, row.few), row.size))
    missing = [missing_of(peer, official) for peer in row.peers]
    sides = [-1, *(place for place, reason in enumerate(missing) if not reason)]
    found: dict[int, list[Took]] = {side: [] for side in sides}
    differing: set[int] = set()
    for seed in range(1, rounds + 1):
        with tempfile.TemporaryDirectory() as name, ExitStack() as around:
            folder = Path(name)
            prepared(row, folder, seed)
            around.enter_context(row.around(folder))
            for turn in range(len(sides)):
                side = sides[(turn + seed) % len(sides)]
                found[side].append(measured(row, side, folder, official))
            ours = found[-1][-1].figure
            differing |= {
                side
                for side in sides[1:]
                if row.peers[side].compares and not equal(ours, found[side][-1].figure, row.tolerance)
            }
    best = {side: min(took.clock if row.by_clock else took.cpu for took in times) for side, times in found.items()}
    return [
        Line(
            row.name, row.work, peer.name, version_of(peer), "floor" if peer.is_floor else "peer",
            "clock" if row.by_clock else "CPU", best[-1], best.get(place), peer.goal,
            reason or ("the figures differ" if place in differing else ""),
        )
        for place, (peer, reason) in enumerate(zip(row.peers, missing, strict=True))
    ]  # fmt: skip


def prepared(row: Row, folder: Path, seed: int) -> None:
    """Write the input of a round, and a little of other input on which calls are tried first."""
    (folder / "few").mkdir()
    row.prepare(folder, row.size, seed)
    row.prepare(folder / "few", min(row.size, row.few), 1_000_000 + seed)


def missing_of(peer: Peer, official: Path | None) -> str:
    """What has to be installed before a peer can run; empty where nothing has."""
    for name in peer.needs:
        try:
            version(name)
        except PackageNotFoundError:
            return f"not installed: pip install {' '.join(peer.needs)}"
    if peer.checkout and not (official and (official / peer.checkout.partition("/")[2]).is_dir()):
        return f"not there: clone github.com/{peer.checkout} into the folder of --official"
    return ""


def version_of(peer: Peer) -> str:
    """The version of a peer's package; empty for what is none."""
    return version(peer.needs[0]) if peer.needs and not missing_of(replace(peer, checkout=""), None) else ""


def environment(official: Path | None) -> dict[str, str]:
    """What both sides have: the checkout that this file is of, one thread, byte code that is kept."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    path = os.pathsep.join(filter(None, (str(ROOT), kept.get("PYTHONPATH"))))
    return {**kept, **ONE_THREAD, "PYTHONPATH": path, "BENCHMARKS_OFFICIAL": str(official or "")}


def measured(row: Row, side: int, folder: Path, official: Path | None) -> Took:
    """One side of a row, -1 for ours, in a process of its own."""
    does = row.ours if side < 0 else row.peers[side].does
    if isinstance(does, Call):
        command = [sys.executable, "-m", "benchmarks", "--side", row.name, str(side), str(folder)]
        return Took(**json.loads(run(command, official, ROOT).printed.splitlines()[-1]))
    ended = run(does.arguments(folder), official, folder)
    return Took(ended.cpu, ended.clock, does.figure(ended.printed))


@dataclass(frozen=True)
class Ended:
    """A process that ended well."""

    cpu: float
    clock: float
    printed: str


def run(command: list[str], official: Path | None, folder: Path) -> Ended:
    """Run a command, and tell its CPU time with that of its children, and what it printed."""
    with tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as errors:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=printed, stderr=errors, env=environment(official), cwd=folder)
        _, status, used = os.wait4(process.pid, 0)
        clock = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        for file in (printed, errors):
            file.seek(0)
        if status:
            raise SystemExit(f"{' '.join(command)} failed:\n{errors.read().decode(errors='replace')}")
        return Ended(used.ru_utime + used.ru_stime, clock, printed.read().decode())


def be_side(row: Row, side: int, folder: Path) -> None:
    """Be one side of a row, and print what it took."""
    does = row.ours if side < 0 else row.peers[side].does
    assert isinstance(does, Call)
    printed, sys.stdout = sys.stdout, sys.stderr  # some peers print
    does.figure(does.ready(folder / "few")())
    work = does.ready(folder)
    gc.collect()
    start, cpu = time.perf_counter(), spent()
    result = work()
    cpu, clock = spent() - cpu, time.perf_counter() - start
    took = Took(cpu, clock if does.took is None else does.took(result), does.figure(result))
    print(json.dumps({"cpu": took.cpu, "clock": took.clock, "figure": took.figure}), file=printed)


def spent() -> float:
    """CPU seconds of this process and of its children that ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def equal(one: Any, other: Any, tolerance: float) -> bool:
    """Whether two figures are one."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(equal(a, b, tolerance) for a, b in zip(one, other, strict=True))
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance)
    return bool(one == other)
