"""Processes that begin with everything imported: forked from one that has scored a record, not started anew.

They are processes of their own in all else: they have a folder, arguments, an end, and can be killed at any moment. How
an interpreter begins is not tried by them; `tests/unit/cli/test_start.py` does that.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.support.waiting import PATIENCE


class Forked:
    """A process that a nursery has begun.

    Attributes:
        pid: Its number, which stays its own until it was waited for.
    """

    def __init__(self, nursery: Nursery, pid: int, errors: Path) -> None:
        self.nursery, self.pid, self._errors = nursery, pid, errors

    def wait(self) -> int:
        """How it ended: its status, or less than 0 and the signal."""
        status: int = self.nursery.ask({"wait": self.pid})
        return status

    def said(self) -> str:
        """What it has written to standard error."""
        return self._errors.read_text(encoding="utf-8", errors="replace")


class Nursery:
    """A process with everything imported, which forks another for each program."""

    def __init__(self, process: subprocess.Popen[bytes], errors: Path) -> None:
        self._process, self._errors, self._begun = process, errors, 0

    def ask(self, question: dict[str, Any]) -> Any:
        """What it answers."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(question).encode() + b"\n")
        assert select.select([self._process.stdout], [], [], PATIENCE)[0], "it does not end"
        return json.loads(self._process.stdout.readline())

    def begin(self, program: str, arguments: Sequence[str], folder: Path) -> Forked:
        """Run a program in a folder; it finds its arguments in `sys.argv`."""
        self._begun += 1
        errors = self._errors / str(self._begun)
        held = {"program": program, "arguments": list(arguments), "folder": str(folder), "errors": str(errors)}
        return Forked(self, self.ask(held), errors)


@contextlib.contextmanager
def nursery(*places: Path) -> Iterator[Nursery]:
    """Whatever was begun in it ends with the block; packages that lie at these places are installed for it."""
    paths = os.pathsep.join(map(str, (*places, Path(__file__).resolve().parents[2])))
    known = {"PYTHONPATH": paths, "OPENBLAS_NUM_THREADS": "1"}
    with (
        tempfile.TemporaryDirectory() as errors,
        subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **known},
            start_new_session=True,
            bufsize=0,
        ) as process,
    ):
        try:
            yield Nursery(process, Path(errors))
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def _main() -> dict[str, Any] | None:
    """Serve until it is asked no more, or this is what was forked: then what it is to run."""
    _import_everything()
    for line in sys.stdin.buffer:
        asked = json.loads(line)
        if "wait" in asked:
            answer = os.waitstatus_to_exitcode(os.waitpid(asked["wait"], 0)[1])
        else:
            answer = os.fork()
            if answer == 0:
                return dict(asked)
        os.write(1, json.dumps(answer).encode() + b"\n")
    return None


def _import_everything() -> None:
    """Score a record: what that needs is imported by it."""
    from scoring.cli.main import main

    with contextlib.suppress(ImportError):
        importlib.import_module("pyarrow.parquet")
    spec = {"kind": "task", "name": "t", "version": "1.0.0", "score": "levenshtein"}
    with tempfile.TemporaryDirectory() as name, contextlib.redirect_stdout(io.StringIO()):
        Path(name, "task.json").write_text(json.dumps(spec), encoding="utf-8")
        Path(name, "data.jsonl").write_text('{"id": 1, "response": "a", "reference": "b"}\n', encoding="utf-8")
        assert main(["score", f"{name}/task.json", f"{name}/data.jsonl", "-o", f"{name}/run"]) == 0


def _become(asked: dict[str, Any]) -> dict[str, Any]:
    """What a program that is run by `python -c` finds."""
    os.chdir(asked["folder"])
    nowhere = os.open(os.devnull, os.O_RDWR)
    errors = os.open(asked["errors"], os.O_WRONLY | os.O_CREAT)
    for target, descriptor in ((0, nowhere), (1, nowhere), (2, errors)):
        os.dup2(descriptor, target)
    sys.argv[:] = ["-c", *asked["arguments"]]
    return {"__name__": "__main__"}


if __name__ == "__main__":
    _asked = _main()
    if _asked is not None:
        exec(_asked["program"], _become(_asked))
