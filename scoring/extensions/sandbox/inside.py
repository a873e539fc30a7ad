"""The runner inside the sandbox: reads cases as JSON lines, runs each in a forked child, answers with JSON lines.

It is started as a script and imports nothing of this package. Three processes share the work. The first forks another
for each line and reads nothing itself, so that nothing of one program, neither its source nor its input or output, is
in the memory that the next one is forked from. The second reads the line, forks the program and watches it. The program
gets a separate user ID (if permitted), a system call filter and its runner's memory group; it can't affect the other
processes except by ending. The expected output of a program never enters the sandbox.
"""

from __future__ import annotations

import builtins
import contextlib
import fcntl
import functools
import gc
import importlib
import importlib.util
import json
import os
import resource
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from typing import Any

_READ = 65536
# Seals on a memory file: no more seals, no shrinking, no growing, no writing.
_SEALED = 15


@functools.cache
def _sibling_module(name: str) -> Any:
    """Return a module whose file is next to this one, loaded on first use (the package can't be imported here)."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), f"{name}.py")
    found = importlib.util.spec_from_file_location(f"scoring.extensions.sandbox.{name}", path)
    assert found is not None
    assert found.loader is not None
    module = sys.modules[found.name] = importlib.util.module_from_spec(found)
    if name in ("crossing", "served"):  # separate builtins, which the program can't replace
        vars(module)["__builtins__"] = dict(vars(builtins))
    found.loader.exec_module(module)
    return module


def _set_limits(limits: dict[str, Any], reserve: int) -> None:
    cpu = max(1, int(limits["cpu_seconds"]))
    for name, soft, hard in (
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_CPU, cpu, cpu + 1),
        (resource.RLIMIT_FSIZE, limits["file_bytes"], limits["file_bytes"]),
        (resource.RLIMIT_NOFILE, 64, 64),
        (resource.RLIMIT_AS, limits["memory_bytes"] + reserve, limits["memory_bytes"] + reserve),
        (resource.RLIMIT_NPROC, limits["processes"], limits["processes"]),
        (resource.RLIMIT_MEMLOCK, 65536, 65536),
        (resource.RLIMIT_SIGPENDING, 1024, 1024),
        (resource.RLIMIT_MSGQUEUE, 0, 0),
    ):
        most = resource.getrlimit(name)[1]  # a lower limit set by the host is kept
        if most != resource.RLIM_INFINITY:
            soft, hard = min(soft, most), min(hard, most)
        resource.setrlimit(name, (soft, hard))


class Settings:
    """The settings with which the host started this runner, read from the JSON data of its command line."""

    def __init__(self, values: dict[str, Any]) -> None:
        # Whether this process and its children have a separate process namespace and a private /tmp.
        self.alone: bool = values["alone"]
        self.kernel = _sibling_module("kernel")  # direct system calls
        self.rules = bytes.fromhex(values["rules"])  # the system call filter for programs; empty if there is none
        self.groups: list[int] = values["groups"]  # descriptors for joining the programs' control groups
        self.last_process: int = values["last_process"]  # descriptor for setting the last PID; -1 if it can't be set
        self.modules: list[str] = values["modules"]  # the modules next to this one that its programs need


def _in_memory(data: bytes) -> int:
    descriptor = os.memfd_create("input", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    while data:
        data = data[os.write(descriptor, data) :]
    os.lseek(descriptor, 0, os.SEEK_SET)
    fcntl.fcntl(descriptor, 1033, _SEALED)  # otherwise the program could use it as extra memory
    return descriptor


def _prepare(job: dict[str, Any], pipes: tuple[int, int, int], settings: Settings, parent: int) -> None:
    """Prepare this process for running a program: join its control groups, redirect standard input, output and error,
    change the user, install the filter and the limits, and write the program's files.

    Args:
        job: The data of the job, as the host sends them.
        pipes: The descriptors to become standard input, output and error.
        settings: The settings of the runner.
        parent: The PID of the process that forked this one.
    """
    for group in settings.groups:
        os.write(group, b"0")
    for target, descriptor in enumerate(pipes):
        os.dup2(descriptor, target)
    os.setsid()
    os.chdir(job["folder"])
    os.umask(0o022)
    sys.setrecursionlimit(1000)
    if job["user"] is not None:
        os.setgroups([])
        os.setresgid(*[job["user"]] * 3)
        os.setresuid(*[job["user"]] * 3)
    settings.kernel.end_with(parent)
    if settings.rules:
        settings.kernel.put_on(settings.rules, parent)
    _set_limits(job["limits"], job["reserve"])
    for path, text in job["files"]:  # the host has checked the paths, and the folder is private
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "x", encoding="utf-8", errors="surrogatepass", newline="") as file:
            file.write(text)


def _keep_only(descriptors: tuple[int, ...]) -> None:
    """Renumber the given file descriptors to 3, 4, … in their order, and close all others from 3 on."""
    moved = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, 32) for descriptor in descriptors]
    for place, descriptor in enumerate(moved, 3):
        os.dup2(descriptor, place)
    os.closerange(3 + len(moved), 1024)


def _begun(
    job: dict[str, Any],
    pipes: tuple[int, int, int],
    failure: int,
    settings: Settings,
    run: Callable[[], int],
    kept: tuple[int, ...] = (),
) -> int:
    """Fork a process that runs a program, and return its PID.

    Args:
        job: The data of the job.
        pipes: The descriptors of the program's standard input, output and error.
        failure: The pipe to which an error before the program's start is written.
        settings: The settings of the runner.
        run: Runs the program and returns its exit status.
        kept: Descriptors that stay open for `run`, which finds them renumbered to 3, 4, ….
    """
    parent = os.getpid()
    child = os.fork()
    if child:
        return child
    try:
        if job["dialect"] == "query":  # opened before the user changes, who may not be allowed to read the file
            run = _sibling_module("queries").prepare_query(job)
        _prepare(job, pipes, settings, parent)
        if job["dialect"] != "query":  # a query needs its open database, and runs only SQLite
            _keep_only(kept)
    except BaseException as error:
        os.write(failure, f"{type(error).__name__}: {error}".encode("utf-8", "replace")[:500])
        os._exit(1)
    code = 1
    try:
        code = run()
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


def _files() -> int:
    """Return the number of files in /tmp, including folders, links and attributes.

    They are counted and not listed, so that no file name of a program enters this process's memory.
    """
    found = os.statvfs("/tmp")
    return found.f_files - found.f_ffree


def _trace() -> tuple[int, ...]:
    """Return the number of files in /tmp and the folder's mode, owner, size and times, to be compared before and after
    a program in order to detect any change in /tmp."""
    of = os.stat("/tmp")
    return _files(), of.st_mode, of.st_uid, of.st_size, of.st_atime_ns, of.st_mtime_ns, of.st_ctime_ns


def _watch(child: int, outputs: dict[int, bytearray], limits: dict[str, Any], alone: bool) -> str:
    """Collect the output of the process `child` until it ends or exceeds a limit; return the status for the exceeded
    limit, such as ``too_slow``, or "" if the process ended.

    Args:
        child: The PID of the process.
        outputs: For the descriptor of each pipe, the buffer to which its output is appended.
        limits: The limits of the job.
        alone: Whether the process has a private /tmp, so that its files can be counted.
    """
    deadline, most = time.monotonic() + limits["wall_seconds"], limits["output_bytes"]
    open_pipes, has_ended = set(outputs), False
    while open_pipes:
        left = 0.0 if has_ended else deadline - time.monotonic()
        if left <= 0 and not has_ended:
            return "too_slow"
        if alone and _files() > limits["files"]:
            return "too_many_files"
        ready, _, _ = select.select([0, *open_pipes], [], [], min(left, 0.05))
        if 0 in ready:  # the host writes nothing before the answer, so its end of the pipe has closed
            return "too_slow"
        for descriptor in ready:
            block = os.read(descriptor, _READ)
            if not block:
                open_pipes.discard(descriptor)
            outputs[descriptor] += block
        if sum(len(output) for output in outputs.values()) > most:
            return "too_much_output"
        # A grandchild may keep the pipes open for ever, so the case ends with its main process, and with the output
        # written by then; on a busy machine that can arrive between checking the pipes and checking the process.
        if not ready and has_ended:
            return ""
        has_ended = not ready and os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    while os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if time.monotonic() > deadline:
            return "too_slow"
        if alone and _files() > limits["files"]:
            return "too_many_files"
        if select.select([0], [], [], 0.0003)[0]:
            return "too_slow"
    return ""


def _verdict(ended: str, status: int, dialect: str) -> tuple[str, str]:
    if ended == "too_many_files":
        return "killed", "it made too many files"
    if ended:
        return ended, ""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        name = signal.Signals(number).name if number in signal.valid_signals() else str(number)
        return "too_slow" if number == signal.SIGXCPU else "killed", f"ended by {name}"
    code = os.waitstatus_to_exitcode(status)
    if code and dialect == "released":
        return "failed", "it left with exit()" if code == 250 else f"exit code {code}"
    return ("ok", "") if code == 0 else ("failed", f"exit code {code}")


def _run_case(job: dict[str, Any], settings: Settings) -> dict[str, Any]:
    source_of_input = _in_memory(job["stdin"].encode("utf-8", "surrogatepass"))
    out, out_end = os.pipe()
    err, err_end = os.pipe()
    failure, failure_end = os.pipe()
    pipes = source_of_input, out_end, err_end
    child = _begun(job, pipes, failure_end, settings, lambda: _sibling_module("scripts").run_case_program(job))
    for descriptor in (source_of_input, out_end, err_end, failure_end):
        os.close(descriptor)
    outputs = {out: bytearray(), err: bytearray()}
    ended = _watch(child, outputs, job["limits"], settings.alone)
    status = _end(child)
    said = os.read(failure, 1000)
    if said:
        raise OSError(f"no program could be started: {said.decode('utf-8', 'replace')}")
    verdict, detail = _verdict(ended, status, job["dialect"])
    most = job["limits"]["output_bytes"]
    return {
        "status": verdict,
        "detail": detail,
        "stdout": outputs[out][:most].decode("utf-8", "replace"),
        "stderr": outputs[err][:4000].decode("utf-8", "replace"),
    }


def _run_apart(job: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """Run a program in one process and its tests in another, and return the result as plain data.

    The tests are read from standard input only after the program's process was forked, whose memory never has them."""
    empty, nowhere = _in_memory(b""), os.open("/dev/null", os.O_RDWR)
    question, ask = os.pipe()
    reply, answer = os.pipe()
    verdict, conclude = os.pipe()
    failure, failure_end = os.pipe()
    program = _begun(
        job,
        (empty, nowhere, nowhere),
        failure_end,
        settings,
        lambda: _sibling_module("served").serve_tests(job["source"], bool(job["files"])),
        (question, answer),
    )
    _write(b'{"begun": true}\n')
    request = _line()
    if request is None:
        raise OSError("the caller is gone")
    own = {**job, "user": job["other_user"], "files": [], "reserve": 0}
    # In no group: memory used by the tests doesn't count as the program's.
    settings.groups = []
    kept = (reply, ask, conclude)
    pipes = empty, nowhere, nowhere
    tests = _begun(own, pipes, failure_end, settings, lambda: _sibling_module("examining").examine(request), kept)
    for descriptor in (empty, nowhere, question, ask, reply, answer, conclude, failure_end):
        os.close(descriptor)
    outputs = {verdict: bytearray()}
    ended = _watch(
        tests, outputs, {**job["limits"], "output_bytes": _sibling_module("crossing").MOST_VERDICT}, settings.alone
    )
    gone = outputs[verdict].startswith(b'{"gone"')
    if gone:  # a process's pipes close slightly before it ends
        select.select([0], [], [], 0.05)
    how = {child: _end(child) for child in (program, tests)}
    if said := os.read(failure, 1000):
        raise OSError(f"no program could be started: {said.decode('utf-8', 'replace')}")
    status, detail = _verdict(ended, how[program if gone else tests], job["dialect"])
    return {"status": status, "detail": detail, "stdout": outputs[verdict].decode("utf-8", "replace"), "stderr": ""}


def _end(child: int) -> int:
    """Kill the process with the PID `child` and its process group, and return its wait status: that of its own end if
    it had ended before, else that of SIGKILL."""
    with contextlib.suppress(OSError):
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    with contextlib.suppress(OSError):
        os.killpg(child, signal.SIGKILL)
    return status


def _line() -> dict[str, Any] | None:
    """Return the data of the next line of standard input, which is JSON; None at the end of the input.

    The host sends no further line until this one is answered.
    """
    line = bytearray()
    while not line.endswith(b"\n"):
        block = os.read(0, 1 << 20)
        if not block:
            return None
        line += block
    data: dict[str, Any] = json.loads(line)
    return data


@contextlib.contextmanager
def _folder(job: dict[str, Any], settings: Settings) -> Iterator[str]:
    """Yield the folder to run a job in: the private /tmp, or a temporary one if /tmp is shared and the job has
    files.
    """
    if settings.alone or not job["files"]:
        yield "/tmp"
        return
    folder = importlib.import_module("tempfile").mkdtemp(prefix="scoring-")
    try:
        if job["user"] is not None:
            os.chown(folder, job["user"], job["user"])
        yield folder
    finally:
        importlib.import_module("shutil").rmtree(folder, ignore_errors=True)


def _answer(settings: Settings) -> int:
    """Read the next job from standard input, run it, and write its result as a line; return 0, or 1 at the end of the
    input."""
    job = _line()
    if job is None:
        return 1
    if not settings.alone:
        settings.kernel.adopt()
    try:
        with _folder(job, settings) as job["folder"]:
            try:
                answer = _run_apart(job, settings) if job["dialect"] == "apart" else _run_case(job, settings)
            finally:
                if not settings.alone:
                    settings.kernel.end_children()
    except (OSError, MemoryError) as error:
        answer = {"status": "not_run", "detail": str(error), "stdout": "", "stderr": ""}
    _write(json.dumps(answer).encode() + b"\n")
    return 0


def _write(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]


def _sweep() -> bool:
    """Kill all processes that a case left running; return True if none is left."""
    deadline = time.monotonic() + 2
    while time.monotonic() < deadline:
        try:
            os.kill(-1, signal.SIGKILL)
        except ProcessLookupError:
            return True
        time.sleep(0.0002)
    return False


def serve_cases(settings: Settings) -> None:
    """Fork a process for each job, a line of standard input, until the input ends; after each job, write a line that
    says whether the program left nothing behind, so that this runner can run another one."""
    importlib.import_module("multiprocessing")  # once here, instead of in every program run as released
    for name in settings.modules:
        _sibling_module(name)
    untouched = _trace()
    if not settings.alone:  # otherwise a program's children would survive if its watcher were killed
        settings.kernel.adopt()
    gc.freeze()  # existing objects are never touched again, so their pages are not copied
    while select.select([0], [], [])[0]:
        if settings.last_process >= 0:  # so that a program's PID doesn't reveal how many ran before it
            os.pwrite(settings.last_process, b"%d" % os.getpid(), 0)
        watcher = os.fork()
        if watcher == 0:
            code = 1
            try:
                code = _answer(settings)
            finally:
                os._exit(code)
        _, status = os.waitpid(watcher, 0)
        if not settings.alone:
            settings.kernel.end_children()
        if status:
            return
        clean = settings.alone and _sweep() and _trace() == untouched
        _write(b'{"clean": true}\n' if clean else b'{"clean": false}\n')


if __name__ == "__main__":
    _settings = json.loads(sys.argv[1])
    sys.argv[1:] = []
    serve_cases(Settings(_settings))
    os._exit(0)  # no cleanup is needed
