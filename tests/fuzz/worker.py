"""A child process as the driver sees it: given jobs, watched, and asked what it was doing when it is gone."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from tests.fuzz.child import MARK, WAYS
from tests.fuzz.target import ROOT
from tests.support.waiting import stopwatch

ASLEEP = 300.0
"""Seconds of wall time in which a process that has a job neither computes nor goes on before it is given up."""
GRACE = 3.0
"""So many times the limit on CPU time a process may take before it is ended from outside: first it gets a signal."""
STARTS = 20.0
"""Seconds of CPU time in which a process has to begin with an input. Libraries are imported before it, and on a busy
machine that took more than an input with a short limit may."""


class Limits(NamedTuple):
    """What one input may take."""

    cpu_seconds: float
    memory_mib: int


class Gone(Exception):
    """The process ended, or was ended; `kind` says why, `way` and `place` what it ran."""

    def __init__(self, kind: str, way: str, place: int, detail: str) -> None:
        super().__init__(detail)
        self.kind, self.way, self.place, self.detail = kind, way, place, detail


class Worker:
    """A process with a PYTHONHASHSEED of its own, started when it is first needed and again when it is gone."""

    def __init__(self, hash_seed: int, limits: Limits) -> None:
        self.hash_seed, self.limits = hash_seed, limits
        self._folder = tempfile.TemporaryDirectory(prefix="fuzz-")
        self._marks = Path(self._folder.name, "marks")
        self._errors = Path(self._folder.name, "errors")
        self._clock = stopwatch()
        self._process: subprocess.Popen[bytes] | None = None
        self._seen = (0, 0.0, 0.0)  # the last mark, and the CPU and wall time when it was first seen

    def begin(self, job: dict[str, Any]) -> None:
        """Give it a job."""
        if self._process is None:
            self._start()
        assert self._process is not None
        assert self._process.stdin is not None
        self._seen = (0, self._cpu(), self._clock())
        with contextlib.suppress(BrokenPipeError):  # whoever waits for the answer is told
            self._process.stdin.write(json.dumps(job).encode() + b"\n")
            self._process.stdin.flush()

    def fileno(self) -> int:
        """Where its answer comes from."""
        assert self._process is not None
        assert self._process.stdout is not None
        return self._process.stdout.fileno()

    def answer(self) -> dict[str, Any]:
        """The answer to the job.

        Raises:
            Gone: when the process ended in place of an answer.
        """
        assert self._process is not None
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line.endswith(b"\n"):
            self._process.wait()
            raise self._gone("crash", _ended(self._process.returncode))
        found: dict[str, Any] = json.loads(line)
        return found

    def watch(self) -> None:
        """Look whether it goes on.

        Raises:
            Gone: when one input took far more CPU time than it may without looking at a signal, or all of it sleeps.
        """
        count, way, _ = self._mark()
        limit = STARTS if way == "idle" else self.limits.cpu_seconds
        cpu, wall = self._cpu(), self._clock()
        last, cpu_then, wall_then = self._seen
        if count != last:
            self._seen = (count, cpu, wall)
        elif cpu - cpu_then > GRACE * limit:
            raise self._ended_as("hang", f"{cpu - cpu_then:.1f} s of CPU time, and no signal was looked at")
        elif wall - wall_then > ASLEEP and cpu - cpu_then < 1.0:
            raise self._ended_as("hang", f"asleep for {wall - wall_then:.0f} s")
        elif cpu - cpu_then > 1.0:  # it computes, so it is not asleep
            self._seen = (last, cpu_then, wall)

    def close(self) -> None:
        """End it, and forget its folder."""
        self.stop()
        self._folder.cleanup()

    def stop(self) -> None:
        """End its process; a further job starts another."""
        if self._process is not None:
            for stream in (self._process.stdin, self._process.stdout):
                assert stream is not None
                stream.close()
            _end(self._process)
            self._process = None

    def _start(self) -> None:
        self._marks.write_bytes(bytes(MARK.size))
        limits = [str(self.limits.cpu_seconds), str(self.limits.memory_mib)]
        known = {"PYTHONHASHSEED": str(self.hash_seed), "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
        known["TMPDIR"] = self._folder.name  # what a killed process leaves behind goes with the folder
        known["MALLOC_ARENA_MAX"] = "1"  # each arena of a thread holds addresses, which are what is limited
        with self._errors.open("wb") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.fuzz.child", str(self._marks), *limits],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=self._folder.name,
                env={**os.environ, **known},
                start_new_session=True,
            )

    def _mark(self) -> tuple[int, str, int]:
        count, way, place = MARK.unpack(self._marks.read_bytes())
        return count, WAYS[way], place

    def _cpu(self) -> float:
        """The CPU time that the process has taken, 0 when it is gone."""
        assert self._process is not None
        try:
            fields = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def _ended_as(self, kind: str, detail: str) -> Gone:
        assert self._process is not None
        _end(self._process)
        return self._gone(kind, detail)

    def _gone(self, kind: str, detail: str) -> Gone:
        _, way, place = self._mark()
        errors = self._errors.read_text(encoding="utf-8", errors="replace")[-3000:]
        self.stop()
        return Gone(kind, way, place, f"{detail}\n{errors}")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and those that it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _ended(code: int) -> str:
    return f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with status {code}"
