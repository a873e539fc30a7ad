"""Two files know what a system lacks; the others ask them, and never which system it is."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.architecture.source import PACKAGE, files, hold

HERE = ("system.py", "processes.py")
SANDBOX = ("bubblewrap", "groups", "inside", "kernel", "runner", "scripts", "seccomp", "warm")
LINUX_ALONE = {f"extensions/sandbox/{name}.py" for name in SANDBOX}
"""Parts of the sandbox, which there is on Linux alone, and which nothing imports before it is asked for."""

MODULES = {"fcntl", "resource", "msvcrt", "winreg", "pwd", "grp", "termios", "tty", "pty", "_winapi"}
LACKING = {
    "os": {
        "fork", "forkpty", "register_at_fork", "killpg", "kill", "setsid", "getuid", "geteuid", "getgid", "getegid",
        "fchmod", "chown", "fchown", "mkfifo", "mknod", "nice", "wait", "waitpid", "WIFSIGNALED", "WIFEXITED", "uname",
        "set_blocking", "get_blocking", "sysconf", "statvfs", "pread", "pwrite", "pipe2", "supports_dir_fd", "name",
        "sched_getaffinity", "O_NOFOLLOW", "O_DIRECTORY", "O_CLOEXEC", "O_NONBLOCK", "O_BINARY", "memfd_create",
    },
    "signal": {
        "SIGKILL", "SIGPROF", "SIGVTALRM", "SIGALRM", "SIGHUP", "SIGXCPU", "SIGCHLD", "setitimer", "alarm",
        "pthread_sigmask", "ITIMER_PROF", "ITIMER_VIRTUAL",
    },
    "sys": {"platform", "getwindowsversion"},
    "platform": {"system", "machine", "platform"},
}  # fmt: skip
ASKING = {"os", "select", "signal", "sys"}
ARGUMENTS = {"pass_fds", "preexec_fn"}


def asked(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Where a file looks at the system itself, and how."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, name.name) for name in node.names if name.name in MODULES)
        elif isinstance(node, ast.ImportFrom) and node.module in {*MODULES, *LACKING}:
            names = {name.name for name in node.names}
            if node.module in MODULES or names & LACKING[node.module]:
                yield node.lineno, f"from {node.module}"
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.attr in LACKING.get(node.value.id, ()):
                yield node.lineno, f"{node.value.id}.{node.attr}"
        elif isinstance(node, ast.Call):
            yield from ((node.lineno, name.arg) for name in node.keywords if name.arg in ARGUMENTS)
            if isinstance(node.func, ast.Name) and node.func.id in ("hasattr", "getattr") and node.args:
                of = node.args[0]
                if isinstance(of, ast.Name) and of.id in ASKING:
                    yield node.lineno, f"{node.func.id}({of.id}"


def test_two_files_ask_which_system_this_is() -> None:
    hold(
        "what a system lacks is asked of `scoring.system` and `scoring.processes` alone",
        (
            f"scoring/{file.place}:{line}: {what}"
            for file in files()
            if file.place not in {*HERE, *LINUX_ALONE}
            for line, what in asked(file.tree)
        ),
    )


def test_those_files_ask() -> None:
    assert {"fcntl", "resource", "os.name", "sys.platform"} <= {
        what for place in HERE for _, what in asked(ast.parse((PACKAGE / place).read_text("utf-8")))
    }


@pytest.mark.parametrize(
    "line",
    [
        "import fcntl",
        "from resource import setrlimit",
        "from os import fork",
        "from sys import platform",
        "on = os.name == 'posix'",
        "on = sys.platform",
        "how = getattr(os, 'O_NOFOLLOW', 0)",
        "on = hasattr(select, 'poll')",
        "signal.signal(signal.SIGALRM, f)",
        "Popen(a, pass_fds=(3,))",
    ],
)
def test_a_look_at_the_system_is_seen(line: str) -> None:
    assert list(asked(ast.parse(line)))


def test_what_every_system_has_is_no_look_at_it() -> None:
    plain = "import os, sys, signal\nos.open(p, os.O_RDONLY)\nsys.path\nsignal.SIGINT\ngetattr(value, 'name')"
    assert not list(asked(ast.parse(plain)))
