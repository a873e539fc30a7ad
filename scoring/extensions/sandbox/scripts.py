"""Running a program in the process forked for it. Like the runner that loads it, it imports nothing of this package."""

from __future__ import annotations

import builtins
import importlib
import io
import json
import os
import sys
import traceback
from typing import Any


def run_case_program(job: dict[str, Any]) -> int:
    """Run the program of a job on its case, and return its exit status."""
    if job["dialect"] == "released":
        return run_as_released(job["source"], job["lines"])
    for command in job["commands"][:-1]:  # compilation steps
        _, status = os.waitpid(os.posix_spawn(command[0], command, os.environ), 0)
        if status:
            return 1
    for command in job["commands"][-1:]:
        os.execv(command[0], command)
    if job["files"]:
        sys.path.insert(0, os.getcwd())
    return run_as_script(job["source"], job["may_exit"])


def run_as_script(source: str, may_exit: bool) -> int:
    """Run a program as the interpreter runs a file, and return its exit status; with ``may_exit``, `sys.exit` with any
    status counts as success."""
    names = {"__name__": "__main__", "__builtins__": builtins, "__doc__": None, "__file__": "program.py"}
    try:
        exec(compile(source, "program.py", "exec"), names)
        return 0
    except SystemExit as leaving:
        if may_exit:
            return 0
        if leaving.code is None or isinstance(leaving.code, int):
            return (leaving.code or 0) & 0xFF
        sys.stderr.write(f"{leaving.code}\n")
        return 1
    except BaseException:
        traceback.print_exc(limit=-5)
        return 1


def run_as_released(source: str, lines: list[str]) -> int:
    """Run a program as published judges do, and return its exit status: ``input()`` returns the given lines, and
    ``sys.stdout`` is replaced.

    Source:
        MEGA-Bench, its released judge of programs.
    """
    remaining = iter(lines)
    builtins.input = lambda prompt="": next(remaining)
    console, sys.stdout = sys.stdout, io.StringIO()
    try:
        if 'if __name__ == "__main__":' in source:
            exec(source, {"__name__": "__main__"})
        else:
            processes = importlib.import_module("multiprocessing")
            visible = {"io": io, "json": json, "sys": sys, "multiprocessing": processes}
            exec(source, {"__name__": "program_judge", **visible}, {})
        written = sys.stdout.getvalue()
    except Exception as error:
        written = f"ERROR during execution: {error}"
    # An exit() is not an Exception: it propagates from here, and the output is lost.
    sys.stdout = console
    sys.stdout.write(written)
    return 0
