"""A Python like that of Windows, as far as it can be had on Linux: what is missing there is taken away here.

`environment(folder)` is that of a process that lacks it, and of all that it starts: Python imports the
`sitecustomize` that stands in the folder before anything else.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.support.golden import REPOSITORY

SPEC = "kind: task\nname: t\nversion: 1.0.0\nscore: equal\nexamples: [{response: a, reference: a, expect: 1}]\n"

LACKING = """
import os, select, signal, subprocess, sys, types

for name in ("fcntl", "resource", "pwd", "grp", "termios"):
    sys.modules[name] = None  # to import it is an ImportError

# What the standard library itself needs here has been imported already, and goes on with what it has.
import multiprocessing.util, shutil, socket, tempfile, threading

for name in (
    "fork", "forkpty", "register_at_fork", "killpg", "setsid", "getuid", "geteuid", "getgid", "getegid", "fchmod",
    "chown", "fchown", "mkfifo", "nice", "set_blocking", "get_blocking", "O_NOFOLLOW", "O_DIRECTORY", "O_CLOEXEC",
    "O_NONBLOCK", "memfd_create", "WIFSIGNALED",
):
    if hasattr(os, name):
        delattr(os, name)
os.supports_dir_fd = set()
for name in ("setitimer", "getitimer", "SIGPROF", "SIGVTALRM", "SIGALRM", "SIGXCPU", "ITIMER_PROF", "ITIMER_VIRTUAL"):
    delattr(signal, name)
chosen = select.select


def of_sockets_alone(*lists):
    if any(not isinstance(one, socket.socket) for each in lists[:3] for one in each):
        raise OSError("an operation was attempted on something that is not a socket")
    return chosen(*lists)


import selectors  # which keeps what it found

del select.poll
select.select = of_sockets_alone
locked = types.ModuleType("msvcrt")
locked.LK_NBLCK = 2
locked.locking = lambda file, how, count: None


class Popen(subprocess.Popen):
    def __init__(self, *arguments, pass_fds=(), preexec_fn=None, **named):
        if pass_fds or preexec_fn:
            raise ValueError("pass_fds and preexec_fn are not supported on Windows platforms")
        super().__init__(*arguments, **named)


subprocess.Popen = Popen
sys.modules["msvcrt"] = locked
before_kill = os.kill


def kill(process, number):
    if number == 0:
        raise AssertionError("on Windows that sends Ctrl-C")
    before_kill(process, number)


os.kill = kill

# Only ours is told which system this is: the standard library has to go on with the one that is there.
import pathlib

sys.platform, os.name = "win32", "nt"
import scoring.processes
import scoring.system

sys.platform, os.name = "linux", "posix"
"""


def environment(folder: Path) -> dict[str, str]:
    """The environment of a process that lacks what Windows lacks; what takes it away is written into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sitecustomize.py").write_text(LACKING, "utf-8")
    held = {name: value for name, value in os.environ.items() if not name.startswith(("COV_", "PYTEST_"))}
    return {**held, "PYTHONPATH": os.pathsep.join([str(folder), str(REPOSITORY)])}


def write_task(folder: Path) -> Path:
    """Write a spec and some records into a folder, and return it."""
    (folder / "t.yaml").write_text(SPEC)
    rows = [{"id": n, "response": "a", "reference": "ab"[n % 2]} for n in range(20)]
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def ran(folder: Path, *words: str) -> tuple[int, str]:
    """Run Python with these words, and return the exit status and all that is said."""
    done = subprocess.run(
        [sys.executable, "-W", "error", *words],
        cwd=folder,
        env=environment(folder / "site"),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def printed(folder: Path, program: str) -> str:
    """Run a program over the package, and return what it prints."""
    status, said = ran(folder, "-c", f"import scoring\n{program}")
    assert status == 0, said
    return said.strip()
