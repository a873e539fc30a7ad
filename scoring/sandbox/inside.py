"""The runner inside the sandbox: reads cases as JSON lines, runs each in a forked child, answers with JSON lines.

It is started as a script and imports nothing of this package. Three processes share the work. The first forks another
for each line and reads nothing itself, so that nothing of one program, neither its text nor its input or output, is in
the memory that the next one is forked from. The second reads the line, forks the program and watches it. The program
gets a user of its own, where that may be, and a filter of system calls; it has no way to the others but to end. What
was expected of a program never comes in here.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import json
import os
import resource
import select
import signal
import struct
import sys
import time
import traceback
from typing import Any

_READ = 65536
_PARENT = b"\xee\xee\xee\xee"


def _set_limits(limits: dict[str, Any]) -> None:
    cpu = max(1, int(limits["cpu_seconds"]))
    for name, soft, hard in (
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_CPU, cpu, cpu + 1),
        (resource.RLIMIT_FSIZE, limits["file_bytes"], limits["file_bytes"]),
        (resource.RLIMIT_NOFILE, 64, 64),
        (resource.RLIMIT_AS, limits["memory_bytes"], limits["memory_bytes"]),
        (resource.RLIMIT_NPROC, limits["processes"], limits["processes"]),
    ):
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(name, (soft, hard))


def _become(user: int | None) -> None:
    if user is not None:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)


class Filter:
    """A filter of system calls for programs, ready to be put on."""

    def __init__(self, rules: bytes) -> None:
        self.rules = rules
        self.ctypes = importlib.import_module("ctypes")
        self.control = self.ctypes.CDLL(None, use_errno=True).prctl

    def put_on(self) -> None:
        """Put this process under it, with the number of the one above it filled in."""
        steps = self.ctypes.create_string_buffer(self.rules.replace(_PARENT, struct.pack("=i", os.getppid())))
        program = struct.pack("@HP", len(self.rules) // 8, self.ctypes.addressof(steps))
        if self.control(38, 1, 0, 0, 0) or self.control(22, 2, program, 0, 0):  # no new privileges; the filter
            raise OSError(self.ctypes.get_errno(), "the filter of system calls is refused")


def _in_memory(data: bytes) -> int:
    descriptor = os.memfd_create("input")
    os.write(descriptor, data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _run_as_script(source: str) -> int:
    names = {"__name__": "__main__", "__builtins__": __builtins__, "__doc__": None, "__file__": "program.py"}
    try:
        exec(compile(source, "program.py", "exec"), names)
        return 0
    except SystemExit as leaving:
        if leaving.code is None or isinstance(leaving.code, int):
            return (leaving.code or 0) & 0xFF
        sys.stderr.write(f"{leaving.code}\n")
        return 1
    except BaseException:
        traceback.print_exc(limit=-5)
        return 1


def _run_as_released(source: str, lines: list[str]) -> int:
    """As published judges run one: ``input()`` and ``sys.stdout`` replaced, names kept apart.

    Source:
        MEGA-Bench, its released judge of programs.
    """
    import builtins

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
    # An exit() is no Exception: it comes to here as it is, and the output is lost.
    sys.stdout = console
    sys.stdout.write(written)
    return 0


def _child(job: dict[str, Any], pipes: tuple[int, int, int], confined: Filter | None) -> None:
    """Never returns."""
    code = 1
    try:
        for target, descriptor in enumerate(pipes):
            os.dup2(descriptor, target)
        os.closerange(3, 1024)
        os.setsid()
        os.chdir("/tmp")
        _become(job["user"])
        _set_limits(job["limits"])
        if confined is not None:
            confined.put_on()
        sys.setrecursionlimit(1000)
        if job["dialect"] == "released":
            code = _run_as_released(job["source"], job["lines"])
        else:
            code = _run_as_script(job["source"])
        if "threading" in sys.modules:
            sys.modules["threading"]._shutdown()
    except SystemExit:
        code = 250
    except BaseException:
        with contextlib.suppress(BaseException):
            traceback.print_exc(limit=-3)
    finally:
        with contextlib.suppress(BaseException):
            sys.stdout.flush()
        with contextlib.suppress(BaseException):
            sys.stderr.flush()
        os._exit(code)


def _watch(child: int, outputs: dict[int, bytearray], limits: dict[str, Any]) -> str:
    """Collect output until the pipes close, the child ends, the time is up or there is too much of it."""
    deadline, most = time.monotonic() + limits["wall_seconds"], limits["output_bytes"]
    open_pipes = set(outputs)
    while open_pipes:
        left = deadline - time.monotonic()
        if left <= 0:
            return "too_slow"
        ready, _, _ = select.select(list(open_pipes), [], [], min(left, 0.05))
        for descriptor in ready:
            block = os.read(descriptor, _READ)
            if not block:
                open_pipes.discard(descriptor)
            outputs[descriptor] += block
        if sum(len(output) for output in outputs.values()) > most:
            return "too_much_output"
        # A grandchild may hold the pipes open for ever: the case ends with its main process.
        if not ready and os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
            return ""
    while os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if time.monotonic() > deadline:
            return "too_slow"
        time.sleep(0.0003)
    return ""


def _verdict(ended: str, status: int, dialect: str) -> tuple[str, str]:
    if ended:
        return ended, ""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        name = signal.Signals(number).name if number in signal.valid_signals() else str(number)
        if number in (signal.SIGXCPU, signal.SIGKILL):
            return "too_slow" if number == signal.SIGXCPU else "killed", f"ended by {name}"
        return "killed", f"ended by {name}"
    code = os.waitstatus_to_exitcode(status)
    if code and dialect == "released":
        return "failed", "it left with exit()" if code == 250 else f"exit code {code}"
    return ("ok", "") if code == 0 else ("failed", f"exit code {code}")


def _run_case(job: dict[str, Any], confined: Filter | None) -> dict[str, Any]:
    source_of_input = _in_memory(job["stdin"].encode("utf-8", "surrogatepass"))
    out, out_end = os.pipe()
    err, err_end = os.pipe()
    child = os.fork()
    if child == 0:
        _child(job, (source_of_input, out_end, err_end), confined)
    for descriptor in (source_of_input, out_end, err_end):
        os.close(descriptor)
    outputs = {out: bytearray(), err: bytearray()}
    ended = _watch(child, outputs, job["limits"])
    with contextlib.suppress(OSError):
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    with contextlib.suppress(OSError):
        os.killpg(child, signal.SIGKILL)
    verdict, detail = _verdict(ended, status, job["dialect"])
    most = job["limits"]["output_bytes"]
    return {
        "status": verdict,
        "detail": detail,
        "stdout": outputs[out][:most].decode("utf-8", "replace"),
        "stderr": outputs[err][:4000].decode("utf-8", "replace"),
    }


def _answer(confined: Filter | None) -> int:
    """Read one line and answer it; nobody writes the next one before that. 1 at the end of the input."""
    line = bytearray()
    while not line.endswith(b"\n"):
        block = os.read(0, 1 << 20)
        if not block:
            return 1
        line += block
    job = json.loads(line)
    del line
    try:
        answer = _run_case(job, confined)
    except OSError as error:
        answer = {"status": "not_run", "detail": str(error), "stdout": "", "stderr": ""}
    _write(json.dumps(answer).encode() + b"\n")
    return 0


def _write(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]


def _sweep() -> bool:
    """End whatever a case has left running; whether nothing is left of it, no process and no file."""
    deadline = time.monotonic() + 2
    while time.monotonic() < deadline:
        try:
            os.kill(-1, signal.SIGKILL)
        except ProcessLookupError:
            # Counted and not listed, so that no name of a file comes into this memory.
            files = os.statvfs("/tmp")
            return files.f_files - files.f_ffree == 1
        time.sleep(0.0002)
    return False


def main(alone: bool, rules: bytes) -> None:
    """Fork for every line until the input ends, and say after each case whether another program may follow.

    Args:
        alone: Whether this process and what it starts have a namespace and a /tmp to themselves.
        rules: The filter of system calls for programs.
    """
    importlib.import_module("multiprocessing")  # once here, not again in every program that is run as released
    confined = Filter(rules) if rules else None
    gc.freeze()  # what stands now is never touched again, and so not copied
    while select.select([0], [], [])[0]:
        watcher = os.fork()
        if watcher == 0:
            code = 1
            try:
                code = _answer(confined)
            finally:
                os._exit(code)
        _, status = os.waitpid(watcher, 0)
        if status:
            return
        _write(b'{"clean": true}\n' if alone and _sweep() else b'{"clean": false}\n')


if __name__ == "__main__":
    _, kind, written = sys.argv
    sys.argv[1:] = []
    main(kind == "alone", bytes.fromhex(written))
