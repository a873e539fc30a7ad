"""What an attack is, and the numbers of system calls."""

from __future__ import annotations

import platform
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Attack:
    """A program, and what must hold when it has run: it never prints ESCAPED, the host is unharmed, and

    Attributes:
        stopped: it does not end well by itself.
        endless: it never ends by itself, so it gets little time.
        grouped: it can be contained only where a control group bounds the memory of a case.
        prints: this is all it prints.
    """

    name: str
    source: str
    stopped: bool = False
    endless: bool = False
    grouped: bool = False
    prints: str | None = None


def tries(body: str) -> str:
    """The body, every exception being a failure of the attack."""
    inner = "\n".join("    " + line for line in body.strip().splitlines())
    return f"try:\n{inner}\nexcept BaseException as error:\n    print('refused', type(error).__name__, error)\n"


LIBC = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
def call(number, *given):
    found = libc.syscall(number, *given)
    if found < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return found
"""


def syscall(name: str, *arguments: str) -> str:
    """A program that makes one system call; that the kernel takes it is the escape."""
    return LIBC + tries(f"call({', '.join((name, *arguments))})\nprint('ESCAPED')")


# Those since 424 have one number everywhere.
_COMMON = {
    "PIDFD_SEND_SIGNAL": 424, "IO_URING": 425, "OPEN_TREE": 428, "MOVE_MOUNT": 429, "FSOPEN": 430, "FSMOUNT": 432,
    "PIDFD_OPEN": 434, "CLONE3": 435, "OPENAT2": 437, "PIDFD_GETFD": 438, "PROCESS_MADVISE": 440, "MOUNT_SETATTR": 442,
    "QUOTACTL_FD": 443, "LANDLOCK": 444, "MEMFD_SECRET": 447, "PROCESS_MRELEASE": 448, "CACHESTAT": 451,
    "STATMOUNT": 457, "LISTMOUNT": 458,
}  # fmt: skip
_OLDER = {  # x86-64, AArch64
    "CLONE": (56, 220), "UNSHARE": (272, 97), "SETNS": (308, 268), "BPF": (321, 280), "SYSLOG": (103, 116),
    "ADD_KEY": (248, 217), "REQUEST_KEY": (249, 218), "KEYCTL": (250, 219), "SHMGET": (29, 194), "SEMGET": (64, 190),
    "MSGGET": (68, 186), "MQ_OPEN": (240, 180), "PTRACE": (101, 117), "PIVOT_ROOT": (155, 41), "UMOUNT": (166, 39),
    "PERF": (298, 241), "KEXEC": (246, 104), "INIT_MODULE": (175, 105), "FINIT_MODULE": (313, 273),
    "REBOOT": (169, 142),
    "SWAPON": (167, 224), "SETTIMEOFDAY": (164, 170), "CLOCK_SETTIME": (227, 112), "ADJTIMEX": (159, 171),
    "SETHOSTNAME": (170, 161), "ACCT": (163, 89), "QUOTACTL": (179, 60), "PERSONALITY": (135, 92),
    "NAME_TO_HANDLE": (303, 264), "FANOTIFY": (300, 262), "USERFAULTFD": (323, 282), "READV_OF": (310, 270),
    "WRITEV_OF": (311, 271), "KCMP": (312, 272), "MEMFD": (319, 279), "VMSPLICE": (278, 75), "SPLICE": (275, 76),
    "TEE": (276, 77), "IO_SETUP": (206, 0), "INOTIFY": (294, 26), "SYSINFO": (99, 179), "SYNC": (162, 81),
    "ROBUST_LIST": (274, 100), "TGKILL": (234, 131), "TKILL": (200, 130), "SIGQUEUE": (129, 138),
    "TGSIGQUEUE": (297, 240),
    "PRLIMIT": (302, 261), "SCHED_SETATTR": (314, 274), "IOPRIO": (251, 30), "MIGRATE_PAGES": (256, 238),
    "MOVE_PAGES": (279, 239), "TIMER_CREATE": (222, 107), "VHANGUP": (153, 58), "CAPSET": (126, 91),
}  # fmt: skip
_PLACE = {"x86_64": 0, "aarch64": 1}.get(platform.machine())
KNOWN = _PLACE is not None
# What stands for the name of a system call in a program; empty on machines without a filter.
NUMBERS: dict[str, int] = {} if _PLACE is None else _COMMON | {name: both[_PLACE] for name, both in _OLDER.items()}
