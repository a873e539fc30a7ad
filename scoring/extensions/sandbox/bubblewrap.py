"""The default sandbox on Linux: bubblewrap's namespaces, a system call filter, resource limits, a separate user ID."""

from __future__ import annotations

import functools
import os
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scoring import children
from scoring.extensions.sandbox.groups import find_parent_groups
from scoring.extensions.sandbox.protocol import SandboxUnavailable
from scoring.extensions.sandbox.runner import (
    DATABASE,
    FLAGS,
    INSIDE,
    LAST_PROCESS,
    MODULE_FILES,
    PLAIN,
    Confinement,
    Purpose,
    Runner,
    interpreter,
)
from scoring.extensions.sandbox.seccomp import program_filter, seccomp_filter
from scoring.extensions.sandbox.warm import WarmSandbox

_MISSING = (
    "running programs needs bubblewrap (Debian and Ubuntu: apt-get install bubblewrap); a weaker mode without "
    "isolation of files and network must be chosen by name: SCORING_SANDBOX=rlimits"
)


# No terminals: programs need none, and to provide them bubblewrap would nest user namespaces.
_DEVICES = ("full", "null", "random", "urandom", "zero")


def _open_folder(path: str) -> list[str]:
    """Return the bubblewrap options that create an empty folder at `path` with permissions 0755."""
    return ["--perms", "0755", "--dir", path]


def _system_folders() -> list[str]:
    """Return the bubblewrap options for the read-only system folders that Python needs; not /home, /root or /var."""
    words = [*_open_folder("/etc"), *_open_folder("/run")]
    words += ["--ro-bind", "/usr", "/usr", "--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache"]
    for name in ("bin", "sbin", "lib", "lib32", "lib64"):
        path = Path("/", name)
        if path.is_symlink():
            words += ["--symlink", os.readlink(path), str(path)]
        elif path.is_dir():
            words += ["--ro-bind", str(path), str(path)]
    prefix = Path(sys.base_prefix).resolve()
    if prefix != Path("/usr") and Path("/usr") not in prefix.parents:
        for parent in reversed(prefix.parents[:-1]):
            words += _open_folder(str(parent))
        words += ["--ro-bind", str(prefix), str(prefix)]
    return words


def _command(program: str, filter_descriptor: int | None, confinement: Confinement) -> list[str]:
    own_user, numbered, database = confinement.own_user, confinement.numbered, confinement.purpose.database
    words = [program, "--die-with-parent", "--new-session"]
    words += ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    words += ["--hostname", "sandbox", "--cap-drop", "ALL"]
    if own_user:  # the runner inside gives every program a separate user; it has no capability over files
        words += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_KILL"]
    else:
        words += ["--unshare-user"]
    if numbered:  # for the runner alone: programs drop the capability, and their filter refuses user namespaces
        words += ["--cap-add", "CAP_CHECKPOINT_RESTORE"]
    elif not own_user:
        words += ["--disable-userns"]
    words += ["--clearenv", "--setenv", "PATH", "/usr/bin:/bin", "--setenv", "HOME", "/tmp"]
    words += ["--setenv", "LANG", "C.UTF-8"]
    words += _system_folders()
    words += ["--ro-bind", str(INSIDE), "/run/inside.py", *_open_folder("/dev")]
    for path in MODULE_FILES:
        words += ["--ro-bind", str(path), f"/run/{path.name}"]
    if database:
        words += ["--ro-bind", database, DATABASE]
    for name in _DEVICES:
        words += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    words += ["--perms", "1777", "--size", str(confinement.tmp_bytes), "--tmpfs", "/tmp"]
    words += ["--remount-ro", "/", "--chdir", "/tmp"]
    if filter_descriptor is not None:
        words += ["--seccomp", str(filter_descriptor)]
    return [*words, "--", interpreter(), *FLAGS, "/run/inside.py"]


@contextmanager
def _filter_descriptor() -> Iterator[int | None]:
    rules = seccomp_filter()
    if rules is None:
        yield None
        return
    descriptor = os.memfd_create("seccomp")
    try:
        os.write(descriptor, rules)
        os.lseek(descriptor, 0, os.SEEK_SET)
        yield descriptor
    finally:
        os.close(descriptor)


@functools.cache
def _program() -> str:
    if not sysconfig.get_platform().startswith("linux"):
        raise SandboxUnavailable(_MISSING)
    try:
        return children.program("bwrap")
    except FileNotFoundError:
        raise SandboxUnavailable(_MISSING) from None


class Bubblewrap(WarmSandbox):
    """A sandbox that runs each program in bubblewrap: in its own namespaces, with resource limits and a system call
    filter.

    Raises SandboxUnavailable if bubblewrap is missing or may not create namespaces.

    Args:
        warm: Whether runner processes are reused for further programs.
        tmp_bytes: The size of the private /tmp.
        grouped: Whether a control group limits the memory of a case, if the machine allows creating one.
    """

    name = "bubblewrap"

    def __init__(self, *, warm: bool = True, tmp_bytes: int = 32 << 20, grouped: bool = True) -> None:
        super().__init__(warm=warm)
        self._tmp_bytes = tmp_bytes
        self._executable = _program()
        self._own_user = os.geteuid() == 0
        self._grouped = grouped and bool(find_parent_groups())
        self._numbered = program_filter() is not None and LAST_PROCESS.exists()

    @property
    def level(self) -> str:
        """The protections in use: namespaces, limits, the filter (if available), and the kind of memory limit."""
        parts = ["bubblewrap", "namespaces", "rlimits"]
        parts += ["seccomp"] if seccomp_filter() is not None else []
        parts += ["own user"] if self._own_user else ["user namespace"]
        parts += ["memory per case"] if self._grouped else ["memory per process"]
        return "+".join(parts)

    def _weaken(self) -> bool:
        if self._grouped:  # even if a group can be created, a process in a namespace may not be allowed to join it
            self._grouped = False
        elif self._numbered:
            self._numbered = False
        else:
            return False
        return True

    def _start(self, purpose: Purpose = PLAIN) -> Runner:
        confinement = Confinement(
            alone=True,
            own_user=self._own_user,
            rules=program_filter(),
            grouped=self._grouped,
            numbered=self._numbered,
            tmp_bytes=self._tmp_bytes,
            purpose=purpose,
        )
        with _filter_descriptor() as descriptor:
            command = _command(self._executable, descriptor, confinement)
            return Runner(command, confinement, () if descriptor is None else (descriptor,))
