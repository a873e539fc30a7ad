"""System call filters (classic BPF) that refuse calls a contest program never needs."""

from __future__ import annotations

import platform
import struct
from collections.abc import Sequence

from msgspec import Struct

_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _DONE = 0x7FFF0000, 0x80000000, 0x00050000
_EPERM, _EINVAL, _ENOSYS, _EOPNOTSUPP = (_DONE | error for error in (1, 22, 38, 95))
_NUMBER, _ARCH, _FIRST_ARGUMENT, _SECOND_ARGUMENT, _THIRD_ARGUMENT = 0, 4, 16, 24, 32
# System calls have the same numbers on all machines from 424 on. Those newer than this table are "not implemented".
_FIRST_UNKNOWN = 444
# Flags of clone() that create a namespace, and the terminal requests that simulate the user's typing.
_NEW_NAMESPACES = 0x7E020000
_TYPE_FOR_USER = (0x5412, 0x541C)
# Requests on an open file that send signals to an arbitrary process, watch a folder, enlarge a pipe, or leave a hint
# with the file for whoever opens it next; and those that lock a file: in the private /tmp nobody needs locks, and on a
# system file others would notice them.
_FCNTL_REFUSED, _FCNTL_LOCKS = (8, 10, 15, 1024, 1026, 1031, 1036, 1038), (6, 7, 37, 38)
_IOCTL_SIGNALS = (0x5452, 0x8901, 0x8902)
_UNNAMED_FILE = 0x400000  # O_TMPFILE without O_DIRECTORY: it uses up an inode that no folder shows
_OTHERS_CLOCK = 0x80000000  # a negative clock is that of another process
_SHARE_CORE = 62  # the request of prctl() that ties a process to another
# The placeholder in a program's filter for the PID of its parent, which is known when that process forks.
PARENT = b"\xee\xee\xee\xee"


# `refused`: tracing and reading other processes, sockets, mounts, namespaces, keys, BPF, io_uring, modules, clocks, the
# kernel. `shared`, for programs only: memory that no limit counts and that may outlive its process (memfd, System V,
# POSIX queues, asynchronous I/O), pages that a pipe keeps after they were freed (splice, sendfile), calls that affect
# processes of the same user (priorities, schedulers, pages, signals by handle), and calls that reveal others' activity
# or make them wait (inotify, sysinfo, sync).
class _Machine(Struct, frozen=True):
    arch: int
    clone: int
    clone3: int
    ioctl: int
    refused: tuple[int, ...]
    shared: tuple[int, ...]
    prlimit: int
    signals: tuple[int, ...]
    fcntl: int
    flock: int
    prctl: int
    openat: int
    openat2: int
    open: int | None
    clocks: tuple[int, ...]
    times: tuple[int, ...]


_X86_64 = _Machine(
    arch=0xC000003E, clone=56, clone3=435, ioctl=16,
    refused=(
        101, 310, 311, 312, 438, 440, 41, 42, 43, 49, 50, 288, 165, 166, 155, 161, 272, 308, 428, 429, 430, 431, 432,
        433, 442, 250, 248, 249, 321, 298, 323, 425, 426, 427, 246, 320, 175, 313, 176, 169, 167, 168, 170, 171, 164,
        227, 159, 305, 163, 179, 443, 103, 304, 303, 135, 172, 173, 300, 212, 153, 154, 134, 180, 133, 259,
    ),
    shared=(
        319, 29, 30, 31, 67, 64, 65, 66, 220, 68, 69, 70, 71, 240, 241, 242, 243, 244, 245,
        141, 142, 144, 203, 314, 251, 256, 279, 129, 297, 424, 434,
        206, 275, 276, 278, 40, 253, 294, 254, 99, 162, 306, 274,
    ),
    prlimit=302, signals=(62, 200, 234),
    fcntl=72, flock=73, prctl=157, openat=257, openat2=437, open=2, clocks=(222, 228, 229, 230),
    times=(132, 235, 261, 280),
)  # fmt: skip
_AARCH64 = _Machine(
    arch=0xC00000B7, clone=220, clone3=435, ioctl=29,
    refused=(
        117, 270, 271, 272, 438, 440, 198, 203, 202, 200, 201, 242, 40, 39, 41, 51, 97, 268, 428, 429, 430, 431, 432,
        433, 442, 219, 217, 218, 280, 241, 282, 425, 426, 427, 104, 294, 105, 273, 106, 142, 224, 225, 161, 162, 170,
        112, 171, 266, 89, 60, 443, 116, 265, 264, 92, 262, 18, 58, 33,
    ),
    shared=(
        279, 194, 196, 195, 197, 190, 193, 191, 192, 186, 189, 188, 187, 180, 181, 182, 183, 184, 185,
        140, 118, 119, 122, 274, 30, 238, 239, 138, 240, 424, 434,
        0, 76, 77, 75, 71, 26, 27, 179, 81, 267, 100,
    ),
    prlimit=261, signals=(129, 130, 131),
    fcntl=25, flock=32, prctl=167, openat=56, openat2=437, open=None, clocks=(107, 113, 114, 115),
    times=(88,),
)  # fmt: skip
_MACHINES = {"x86_64": _X86_64, "aarch64": _AARCH64}


def _step(code: int, value: int | bytes, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("=HBB4s", code, yes, no, value if isinstance(value, bytes) else struct.pack("=I", value))


def seccomp_filter(machine: str | None = None) -> bytes | None:
    """Return the system call filter for this machine as bytes; None if the machine's call numbers are not known here.

    Examples:
        >>> len(seccomp_filter("x86_64") or b"") % 8, seccomp_filter("pdp11")
        (0, None)
    """
    table = _MACHINES.get(machine or platform.machine())
    if table is None:
        return None
    steps = [
        *_checked_head(table),
        *_refuse(table.refused),
        _step(_JUMP_AT_LEAST, _FIRST_UNKNOWN, no=1),
        _step(_RETURN, _ENOSYS),
        *_answer(table.clone3, _ENOSYS),  # a filter can't read its flags in memory; the C library falls back to clone()
        *_judged(table.clone, _FIRST_ARGUMENT, {_EPERM: (_NEW_NAMESPACES,)}, _JUMP_ANY_BIT),
        *_judged(table.ioctl, _SECOND_ARGUMENT, {_EPERM: _TYPE_FOR_USER}),
        _step(_RETURN, _ALLOW),
    ]
    return b"".join(steps)


def program_filter(machine: str | None = None) -> bytes | None:
    """Return a further system call filter as bytes, for a program but not its runner; None if there is none for the
    machine.

    It contains PARENT, a placeholder for the PID of the runner.

    Examples:
        >>> (program_filter("aarch64") or b"").count(PARENT)
        1
    """
    table = _MACHINES.get(machine or platform.machine())
    if table is None:
        return None
    protected = [struct.pack("=i", number) for number in (1, 2, -1, -2)]
    steps = [
        *_checked_head(table),
        *_refuse(table.shared),
        *_answer(table.openat2, _ENOSYS),  # a filter can't read its flags, either
        *_answer(table.flock, _DONE),
        # Devices are the host's: a program that may write to one could set its times, which the next could read.
        *[step for number in table.times for step in _answer(number, _DONE)],
        *_judged(table.fcntl, _SECOND_ARGUMENT, {_EPERM: _FCNTL_REFUSED, _DONE: _FCNTL_LOCKS}),
        *_judged(table.ioctl, _SECOND_ARGUMENT, {_EPERM: _IOCTL_SIGNALS}),
        *_judged(table.prctl, _FIRST_ARGUMENT, {_EPERM: (_SHARE_CORE,)}),
        *_judged(table.openat, _THIRD_ARGUMENT, {_EOPNOTSUPP: (_UNNAMED_FILE,)}, _JUMP_ANY_BIT),
        *_judged(table.open, _SECOND_ARGUMENT, {_EOPNOTSUPP: (_UNNAMED_FILE,)}, _JUMP_ANY_BIT),
        *[
            step
            for clock in table.clocks
            for step in _judged(clock, _FIRST_ARGUMENT, {_EINVAL: (_OTHERS_CLOCK,)}, _JUMP_ANY_BIT)
        ],
        _step(_JUMP_EQUAL, table.prlimit, no=3),
        _step(_LOAD, _FIRST_ARGUMENT),
        _step(_JUMP_EQUAL, 0, yes=len(table.signals) + 1),  # the process's own limits
        _step(_RETURN, _EPERM),
        *_jump_over(table.signals),
        _step(_RETURN, _ALLOW),
        _step(_LOAD, _FIRST_ARGUMENT),
        *_jump_over([*protected, PARENT]),
        _step(_RETURN, _ALLOW),
        _step(_RETURN, _EPERM),
    ]
    return b"".join(steps)


def _jump_over(values: Sequence[int | bytes]) -> list[bytes]:
    """Return BPF instructions that skip the next instruction if the value loaded before is one of the given ones."""
    return [_step(_JUMP_EQUAL, value, yes=len(values) - place) for place, value in enumerate(values)]


def _checked_head(table: _Machine) -> list[bytes]:
    return [
        _step(_LOAD, _ARCH),
        _step(_JUMP_EQUAL, table.arch, yes=1),
        _step(_RETURN, _KILL),
        _step(_LOAD, _NUMBER),
        _step(_JUMP_AT_LEAST, 0x40000000, no=1),  # numbers of the x32 ABI are not in the lists
        _step(_RETURN, _EPERM),
    ]


def _refuse(numbers: tuple[int, ...]) -> list[bytes]:
    return [step for number in numbers for step in _answer(number, _EPERM)]


def _answer(number: int, what: int) -> list[bytes]:
    return [_step(_JUMP_EQUAL, number, no=1), _step(_RETURN, what)]


def _judged(
    number: int | None, argument: int, answers: dict[int, tuple[int, ...]], test: int = _JUMP_EQUAL
) -> list[bytes]:
    """Return the BPF instructions that answer the system call `number` according to one of its arguments; [] if
    `number` is None.

    Args:
        number: The number of the system call.
        argument: The offset of the argument in the filter's input.
        answers: For each answer, a return code of the filter, the argument's values that get it; with any other value
            the call is allowed.
        test: The instruction that compares the argument with a value.
    """
    if number is None:
        return []
    steps = [_step(_LOAD, argument)]
    steps += [
        step
        for what, values in answers.items()
        for value in values
        for step in (_step(test, value, no=1), _step(_RETURN, what))
    ]
    steps.append(_step(_RETURN, _ALLOW))
    return [_step(_JUMP_EQUAL, number, no=len(steps)), *steps]
