"""Control groups, which limit the memory and the processes of a case as a whole, if the machine lets us create one.

Versions 1 and 2 of the kernel's interface are supported. A group is created below the one that this process is in, or
below an ancestor of it if no limit on memory or CPU is between them, so that programs don't escape such a limit.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import secrets
import time
from collections.abc import Iterator
from pathlib import Path

# Memory allowed to a case in addition to its processes and its /tmp: page tables, pipes, kernel handles.
KERNEL_BYTES = 16 << 20
# The kernel counts pages in batches per CPU, so the recorded peak can be slightly below the limit.
_BATCH = 1 << 20
_ending: list[ControlGroup] = []


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii")
    except OSError:
        return ""


def _write(path: Path, value: object) -> None:
    path.write_text(str(value), encoding="ascii")


def _mounted(process: Path) -> Iterator[tuple[frozenset[str], Path, Path]]:
    """Yield, for each control group hierarchy, its controllers (none in version 2), its mount point, and the folder of
    the group that a process is in.

    Args:
        process: The folder of the process in /proc.
    """
    owns = [line.split(":", 2)[1:] for line in _read(process / "cgroup").splitlines() if line.count(":") >= 2]
    for line in _read(process / "mountinfo").splitlines():
        left, _, right = line.partition(" - ")
        root, mount = left.split()[3:5]
        kind, _, options = (*right.split(), "", "")[:3]
        for names, own in owns:
            controllers = frozenset(names.split(",")) - {""}
            matches = (
                kind == "cgroup2" if not controllers else kind == "cgroup" and controllers <= {*options.split(",")}
            )
            if matches and (own == root or own.startswith(root.rstrip("/") + "/")):
                yield controllers, Path(mount), Path(mount, own[len(root.rstrip("/")) :].lstrip("/"))


def _with_memory(mount: Path, own: Path) -> Path | None:
    """Return the nearest version 2 group, from `own` upwards to `mount`, in which a group with a memory limit can be
    created; None if there is none."""
    for place in (own, *own.parents):
        with contextlib.suppress(OSError):  # not writable, or it has processes itself: its parent may be usable
            wanted = {"memory", "pids"} & {*_read(place / "cgroup.controllers").split()}
            passed_on = _read(place / "cgroup.subtree_control").split()
            if "memory" in wanted and "memory" not in passed_on:
                _write(place / "cgroup.subtree_control", " ".join(f"+{name}" for name in sorted(wanted)))
            if "memory" in wanted and os.access(place, os.W_OK) and os.access(place / "cgroup.procs", os.W_OK):
                return place
        if place == mount or _bounds(place):
            return None
    return None


def _bounds(place: Path) -> bool:
    """Return True if the version 2 control group at the folder `place` limits memory or CPU, so that a sibling group
    would escape the limit; limits on the number of processes are ignored.
    """
    found = (_read(place / "memory.max"), _read(place / "memory.high") or "max", _read(place / "cpu.max") or "max")
    return not all(limit.startswith("max") for limit in found)


@functools.cache
def find_parent_groups(process: Path = Path("/proc/self")) -> dict[str, Path]:
    """Return the folders in which control groups can be created, by kind: ``memory2`` for version 2, ``memory`` and
    ``pids`` for version 1; empty if memory can't be limited.

    Args:
        process: The folder in /proc of the process whose groups are looked for.
    """
    found: dict[str, Path] = {}
    for controllers, mount, own in _mounted(process):
        if not controllers:
            place = _with_memory(mount, own)
            if place is not None:
                found.setdefault("memory2", place)
        for name in controllers & {"memory", "pids"}:
            if os.access(own, os.W_OK):
                found.setdefault(name, own)
    if "memory2" in found:
        return {"memory2": found["memory2"]}
    return found if "memory" in found else {}


class ControlGroup:
    """The control groups that the programs of one runner join; raises OSError if none can be created."""

    def __init__(self) -> None:
        if not find_parent_groups():
            raise OSError("there is no control group with memory that this user may divide")
        remove_ended(0)
        name = f"scoring-{os.getpid()}-{secrets.token_hex(4)}"
        self._folders: dict[str, Path] = {}
        self._limits: tuple[int, int] | None = None
        try:
            for controller, place in find_parent_groups().items():
                _forget_killed(place)
                folder = place / name
                folder.mkdir()
                self._folders[controller] = folder
            self._killed = 0, 0
        except OSError:
            self.remove()
            raise

    @contextlib.contextmanager
    def joining(self) -> Iterator[list[int]]:
        """Open one file descriptor for each group and yield them; a process that writes ``0`` to each of them joins the
        groups."""
        opened: list[int] = []
        try:
            for folder in self._folders.values():
                opened.append(os.open(folder / "cgroup.procs", os.O_WRONLY | os.O_CLOEXEC))
            yield opened
        finally:
            for descriptor in opened:
                os.close(descriptor)

    def limit(self, memory_bytes: int, processes: int) -> None:
        """Limit the memory that all programs in the groups use together, and the number of their processes and
        threads."""
        if self._limits == (memory_bytes, processes):
            return
        if "memory2" in self._folders:
            folder = self._folders["memory2"]
            _write(folder / "memory.max", memory_bytes)
            values = {"memory.swap.max": 0, "memory.oom.group": 1, "pids.max": processes}
        else:
            folder = self._folders["memory"]
            together = folder / "memory.memsw.limit_in_bytes"  # memory and swap; never below the memory limit
            if together.exists():
                _write(together, -1)
            _write(folder / "memory.limit_in_bytes", memory_bytes)
            values = {together.name: memory_bytes}
            if "pids" in self._folders:
                _write(self._folders["pids"] / "pids.max", processes)
        for name, value in values.items():
            if (folder / name).exists():
                _write(folder / name, value)
        self._limits = (memory_bytes, processes)

    def _count_killed(self) -> tuple[int, int]:
        """Return how many processes were killed for lack of memory, and how often these groups' limit was reached.

        In version 2, reaching the limit only counts if no memory could be reclaimed, since the file cache often reaches
        it.
        """
        if "memory2" in self._folders:
            folder = self._folders["memory2"]
            return count_of(folder / "memory.events", "oom_kill"), count_of(folder / "memory.events.local", "oom")
        folder = self._folders["memory"]
        met = (
            self._limits is not None
            and int(_read(folder / "memory.max_usage_in_bytes") or 0) >= self._limits[0] - _BATCH
        )
        return count_of(folder / "memory.oom_control", "oom_kill"), self._killed[1] + met

    def overran(self) -> bool:
        """Return True if, since the last call, a process was killed because these groups' limit on memory was reached.

        False if a parent group's limit was reached, or the machine's memory ran out: the programs are not at fault.
        """
        before, self._killed = self._killed, self._count_killed()
        return self._killed[0] > before[0] and self._killed[1] > before[1]

    def remove(self) -> None:
        """Remove the groups, or schedule it for later if processes in them are still ending."""
        if not self._removed():
            _ending.append(self)

    def _removed(self) -> bool:
        for controller, folder in list(self._folders.items()):
            try:
                folder.rmdir()
            except FileNotFoundError:
                pass
            except OSError:
                continue
            del self._folders[controller]
        return not self._folders


@atexit.register
def remove_ended(seconds: float = 1.0) -> None:
    """Remove the control groups whose last processes were still ending when `remove` was called; those not ended after
    `seconds` stay."""
    deadline = time.monotonic() + seconds
    waiting, _ending[:] = _ending[:], []
    while waiting := [group for group in waiting if not group._removed()]:
        if time.monotonic() > deadline:
            _ending.extend(waiting)
            return
        time.sleep(0.005)


def count_of(path: Path, name: str) -> int:
    """Return the number that follows a name in a kernel file; 0 if the name is missing."""
    for line in _read(path).splitlines():
        key, _, value = line.partition(" ")
        if key == name:
            return int(value)
    return 0


@functools.cache
def _forget_killed(place: Path) -> None:
    """Remove the control groups in the folder `place` that earlier processes of this library left when they were
    killed; groups still in use stay."""
    for folder in place.glob("scoring-*-*"):
        number = folder.name.split("-")[1]
        if number.isdigit() and not Path("/proc", number).exists():
            with contextlib.suppress(OSError):
                folder.rmdir()
