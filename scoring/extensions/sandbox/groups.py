"""Control groups, which bound the memory and processes of a case as a whole, if the machine allows creating one.

Version 2 and version 1 of the kernel's interface are known. A group is made beneath the one that this process is in, or
beneath one above it if no limit on memory or on the processor lies between, so that nobody gets out of one by it.
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

# What a case may take beside the memory of its processes and its /tmp: tables of pages, pipes, handles in the kernel.
KERNEL_BYTES = 16 << 20
# The kernel counts pages in batches of each processor, so the most that was used can end a little below the limit.
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
    """Yield for each hierarchy its controllers (none for version 2), its mount point, and the group of this process."""
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
    """Return the group of version 2 beneath which one with a limit on memory can be made; the nearest."""
    for place in (own, *own.parents):
        with contextlib.suppress(OSError):  # not ours, or it has processes itself: then the one above it may do
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
    """Tell whether a group of version 2 sets a limit that a group of ours beside it would not be under.

    That on processes does not count: systemd sets it everywhere, and ours have a lower one.
    """
    found = (_read(place / "memory.max"), _read(place / "memory.high") or "max", _read(place / "cpu.max") or "max")
    return not all(limit.startswith("max") for limit in found)


@functools.cache
def places(process: Path = Path("/proc/self")) -> dict[str, Path]:
    """Beneath which groups ours can be made, by controller: ``memory2`` is version 2, ``memory`` and ``pids`` are 1."""
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
    """The groups that the programs of one runner are in; raises OSError where none can be made."""

    def __init__(self) -> None:
        if not places():
            raise OSError("there is no control group with memory that this user may divide")
        remove_ended(0)
        name = f"scoring-{os.getpid()}-{secrets.token_hex(4)}"
        self._folders: dict[str, Path] = {}
        self._limits: tuple[int, int] | None = None
        try:
            for controller, place in places().items():
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
        """Descriptors, to be inherited: a process that writes ``0`` to each of them is in the groups."""
        opened: list[int] = []
        try:
            for folder in self._folders.values():
                opened.append(os.open(folder / "cgroup.procs", os.O_WRONLY | os.O_CLOEXEC))
            yield opened
        finally:
            for descriptor in opened:
                os.close(descriptor)

    def limit(self, memory_bytes: int, processes: int) -> None:
        """Bound the memory of all programs in it together, and their number with all threads."""
        if self._limits == (memory_bytes, processes):
            return
        if "memory2" in self._folders:
            folder = self._folders["memory2"]
            _write(folder / "memory.max", memory_bytes)
            values = {"memory.swap.max": 0, "memory.oom.group": 1, "pids.max": processes}
        else:
            folder = self._folders["memory"]
            together = folder / "memory.memsw.limit_in_bytes"  # memory and swap; never below that of memory
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
        """Return how many processes were killed for memory, and how often the limit of these groups was reached.

        Of version 2, how often nothing could be dropped then: the cache of files meets the limit as a matter of course.
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
        """Tell whether a process was killed since this was last asked because the limit of the groups was met.

        False where one above them was, or the machine had no more: that is no fault of the programs in it.
        """
        before, self._killed = self._killed, self._count_killed()
        return self._killed[0] > before[0] and self._killed[1] > before[1]

    def remove(self) -> None:
        """Remove the groups, or have it done later where processes in them are still ending."""
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
    """Remove the groups whose last processes were still ending; give up after `seconds`."""
    deadline = time.monotonic() + seconds
    waiting, _ending[:] = _ending[:], []
    while waiting := [group for group in waiting if not group._removed()]:
        if time.monotonic() > deadline:
            _ending.extend(waiting)
            return
        time.sleep(0.005)


def count_of(path: Path, name: str) -> int:
    """Return the number after a name in a file of the kernel; 0 if it is missing."""
    for line in _read(path).splitlines():
        key, _, value = line.partition(" ")
        if key == name:
            return int(value)
    return 0


@functools.cache
def _forget_killed(place: Path) -> None:
    """Remove groups that killed processes left next to ours; a group in use can't be removed."""
    for folder in place.glob("scoring-*-*"):
        number = folder.name.split("-")[1]
        if number.isdigit() and not Path("/proc", number).exists():
            with contextlib.suppress(OSError):
                folder.rmdir()
