"""A filter of system calls for the kernel (classic BPF): what a contest program never needs is refused."""

from __future__ import annotations

import platform
import struct
from collections.abc import Sequence
from dataclasses import dataclass

_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL = 0x7FFF0000, 0x80000000
_EPERM, _ENOSYS = 0x00050000 | 1, 0x00050000 | 38
_NUMBER, _ARCH, _FIRST_ARGUMENT, _SECOND_ARGUMENT = 0, 4, 16, 24
# Flags of clone() that make a namespace, and the terminal requests that type for the user.
_NEW_NAMESPACES = 0x7E020000
_TYPE_FOR_USER = (0x5412, 0x541C)
# Where a program's filter has the number of the process above it, which is known when that process forks.
PARENT = b"\xee\xee\xee\xee"


# `refused`: tracing and reading other processes, sockets, mounts, namespaces, keys, BPF, io_uring, modules, clocks, the
# kernel. `shared`, for programs alone: memory that no limit counts and that may outlive its process (memfd, System V,
# POSIX queues), and what reaches into processes of the same user (priorities, schedulers, pages, signals by handle).
@dataclass(frozen=True, slots=True)
class _Machine:
    arch: int
    clone: int
    clone3: int
    ioctl: int
    refused: tuple[int, ...]
    shared: tuple[int, ...]
    prlimit: int
    signals: tuple[int, ...]


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
    ),
    prlimit=302, signals=(62, 200, 234),
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
    ),
    prlimit=261, signals=(129, 130, 131),
)  # fmt: skip
_MACHINES = {"x86_64": _X86_64, "aarch64": _AARCH64}


def _step(code: int, value: int | bytes, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("=HBB4s", code, yes, no, value if isinstance(value, bytes) else struct.pack("=I", value))


def seccomp_filter(machine: str | None = None) -> bytes | None:
    """The filter as bytes for this machine; None where its numbers of system calls are not known here.

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
        _step(_JUMP_EQUAL, table.clone3, no=1),  # its flags lie in memory; without it the C library uses clone()
        _step(_RETURN, _ENOSYS),
        _step(_JUMP_EQUAL, table.clone, no=3),
        _step(_LOAD, _FIRST_ARGUMENT),
        _step(_JUMP_ANY_BIT, _NEW_NAMESPACES, no=6),
        _step(_RETURN, _EPERM),
        _step(_JUMP_EQUAL, table.ioctl, no=4),
        _step(_LOAD, _SECOND_ARGUMENT),
        _step(_JUMP_EQUAL, _TYPE_FOR_USER[0], yes=1),
        _step(_JUMP_EQUAL, _TYPE_FOR_USER[1], no=1),
        _step(_RETURN, _EPERM),
        _step(_RETURN, _ALLOW),
    ]
    return b"".join(steps)


def program_filter(machine: str | None = None) -> bytes | None:
    """A further filter, which a program alone is under and not its runner; PARENT stands for the runner's number.

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
        _step(_JUMP_EQUAL, table.prlimit, no=3),
        _step(_LOAD, _FIRST_ARGUMENT),
        _step(_JUMP_EQUAL, 0, yes=len(table.signals) + 1),  # its own limits
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
    """Over the rest of these steps and the one that follows them, where one of the values is loaded."""
    return [_step(_JUMP_EQUAL, value, yes=len(values) - place) for place, value in enumerate(values)]


def _checked_head(table: _Machine) -> list[bytes]:
    return [
        _step(_LOAD, _ARCH),
        _step(_JUMP_EQUAL, table.arch, yes=1),
        _step(_RETURN, _KILL),
        _step(_LOAD, _NUMBER),
        _step(_JUMP_AT_LEAST, 0x40000000, no=1),  # the x32 numbers would pass the lists
        _step(_RETURN, _EPERM),
    ]


def _refuse(numbers: tuple[int, ...]) -> list[bytes]:
    return [step for number in numbers for step in (_step(_JUMP_EQUAL, number, no=1), _step(_RETURN, _EPERM))]
