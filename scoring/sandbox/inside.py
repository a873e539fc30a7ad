"""The runner inside the sandbox: reads jobs as JSON lines, runs each case in a forked child, answers with JSON lines.

It is started as a script and imports nothing of this package. Where it may, it gives every child a user of its own;
the child has no way to the runner but to end. What was expected of a program never comes in here.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import resource
import select
import signal
import sys
import time
import traceback
from typing import Any

_READ = 65536


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


def _child(job: dict[str, Any], case: dict[str, Any], pipes: tuple[int, int, int], user: int | None) -> None:
    """Never returns."""
    code = 1
    try:
        for target, descriptor in enumerate(pipes):
            os.dup2(descriptor, target)
        os.closerange(3, 1024)
        os.setsid()
        os.chdir("/tmp")
        _become(user)
        _set_limits(job["limits"])
        sys.setrecursionlimit(1000)
        if job["dialect"] == "released":
            code = _run_as_released(job["source"], case["lines"])
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


def _sweep(child: int, own_processes: bool) -> None:
    """End whatever a case has left running."""
    with contextlib.suppress(OSError):
        os.killpg(child, signal.SIGKILL)
    if own_processes and os.getpid() < 10 and os.getppid() <= 1:  # only ever inside a process namespace of our own
        with contextlib.suppress(OSError):
            os.kill(-1, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


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


def _run_case(job: dict[str, Any], case: dict[str, Any], user: int | None) -> dict[str, Any]:
    source_of_input = _in_memory(case["stdin"].encode("utf-8", "surrogatepass"))
    out, out_end = os.pipe()
    err, err_end = os.pipe()
    try:
        child = os.fork()
        if child == 0:
            _child(job, case, (source_of_input, out_end, err_end), user)
        for descriptor in (source_of_input, out_end, err_end):
            os.close(descriptor)
        outputs = {out: bytearray(), err: bytearray()}
        ended = _watch(child, outputs, job["limits"])
        with contextlib.suppress(OSError):
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        _sweep(child, job["own_processes"])
    finally:
        os.close(out)
        os.close(err)
    verdict, detail = _verdict(ended, status, job["dialect"])
    most = job["limits"]["output_bytes"]
    return {
        "status": verdict,
        "detail": detail,
        "stdout": outputs[out][:most].decode("utf-8", "replace"),
        "stderr": outputs[err][:4000].decode("utf-8", "replace"),
    }


def _clean(user: int | None) -> None:
    """Remove what a program has left in /tmp, as the program's own user."""
    if not os.listdir("/tmp"):
        return
    cleaner = os.fork()
    if cleaner == 0:
        with contextlib.suppress(BaseException):
            _become(user)
            for folder, folders, files in os.walk("/tmp", topdown=False, followlinks=False):
                for name in files:
                    with contextlib.suppress(OSError):
                        os.unlink(os.path.join(folder, name))
                for name in folders:
                    path = os.path.join(folder, name)
                    with contextlib.suppress(OSError):
                        os.unlink(path) if os.path.islink(path) else os.rmdir(path)
        os._exit(0)
    deadline = time.monotonic() + 2
    while not os.waitpid(cleaner, os.WNOHANG)[0]:
        if time.monotonic() > deadline:
            os.kill(cleaner, signal.SIGKILL)
            os.waitpid(cleaner, 0)
            break
        time.sleep(0.001)


def main() -> None:
    """Answer jobs until the input ends."""
    jobs, answers = os.dup(0), os.dup(1)
    waiting = b""
    while True:
        while b"\n" not in waiting:
            block = os.read(jobs, 1 << 20)
            if not block:
                return
            waiting += block
        line, _, waiting = waiting.partition(b"\n")
        job = json.loads(line)
        if job["dialect"] == "released":
            importlib.import_module("multiprocessing")  # once here, not again in every child
        for case in job["cases"]:
            try:
                answer = _run_case(job, case, job["user"])
            except OSError as error:
                answer = {"status": "not_run", "detail": str(error), "stdout": "", "stderr": ""}
            data = json.dumps(answer).encode() + b"\n"
            while data:
                data = data[os.write(answers, data) :]
        if job["clean"] and job["own_processes"]:  # only ever in a /tmp of our own
            _clean(job["user"])
        os.write(answers, b'{"done": true}\n')


if __name__ == "__main__":
    main()
