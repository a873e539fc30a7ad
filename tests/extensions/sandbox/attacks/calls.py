"""System calls that no contest program needs."""

from tests.extensions.sandbox.attacks.build import LIBC, Attack, syscall, tries

_NAMESPACES = {
    "mounts": 0x20000, "groups": 0x2000000, "names of the host": 0x4000000, "queues": 0x8000000, "users": 0x10000000,
    "processes": 0x20000000, "networks": 0x40000000,
}  # fmt: skip

CALLS = (
    *(Attack(f"leaves its namespace of {name}", syscall("UNSHARE", str(flag))) for name, flag in _NAMESPACES.items()),
    *(
        Attack(f"starts a process with new {name}", syscall("CLONE", str(flag | 17), "0", "0", "0", "0"))
        for name, flag in _NAMESPACES.items()
    ),
    Attack("starts a process by the newer call", syscall("CLONE3", "(ctypes.c_uint64 * 11)(0x10000000)", "88")),
    Attack("opens a tree of mounts", syscall("OPEN_TREE", "-100", "b'/usr'", "1")),
    Attack("moves a mount", syscall("MOVE_MOUNT", "-100", "b'/usr'", "-100", "b'/tmp'", "0")),
    Attack("opens a file system", syscall("FSOPEN", "b'tmpfs'", "0")),
    Attack("changes a mount", syscall("MOUNT_SETATTR", "-100", "b'/usr'", "0", "bytes(32)", "32")),
    Attack("unmounts", syscall("UMOUNT", "b'/usr'", "2")),
    Attack("turns its root", syscall("PIVOT_ROOT", "b'/tmp'", "b'/tmp'")),
    Attack("lists mounts", syscall("LISTMOUNT", "bytes(32)", "bytes(64)", "8", "0")),
    Attack("counts events of the processor", syscall(
        "PERF", "bytes([1, 0, 0, 0, 112] + [0] * 107)", "0", "-1", "-1", "0")),
    Attack("loads a kernel", syscall("KEXEC", "0", "0", "None", "0")),
    Attack("loads a module", syscall("INIT_MODULE", "b''", "0", "b''")),
    Attack("loads a module from a file", syscall("FINIT_MODULE", "0", "b''", "0")),
    Attack("restarts the machine", syscall("REBOOT", "0xfee1dead", "672274793", "0", "None")),
    Attack("swaps to a file", syscall("SWAPON", "b'/tmp/x'", "0")),
    Attack("sets the clock", syscall("CLOCK_SETTIME", "0", "bytes(16)")),
    Attack("sets the time of day", syscall("SETTIMEOFDAY", "bytes(16)", "None")),
    Attack("tunes the clock", syscall("ADJTIMEX", "bytes(256)")),
    Attack("names the host", syscall("SETHOSTNAME", "b'x'", "1")),
    Attack("keeps accounts", syscall("ACCT", "None")),
    Attack("sets quotas", syscall("QUOTACTL", "0", "None", "0", "None")),
    Attack("changes its personality", syscall("PERSONALITY", "0x0040000")),
    Attack("finds a file by a handle", syscall("NAME_TO_HANDLE", "-100", "b'/usr'", "bytes(64)", "bytes(8)", "0")),
    Attack("watches the file system", syscall("FANOTIFY", "0", "0")),
    Attack("asks for a key", syscall("REQUEST_KEY", "b'user'", "b'x'", "None", "0")),
    Attack("joins a ring of keys", syscall("KEYCTL", "1", "None")),
    Attack("asks what is in the cache", syscall("CACHESTAT", "0", "bytes(16)", "bytes(40)", "0")),
    Attack("asks how the machine is", syscall("SYSINFO", "ctypes.create_string_buffer(256)")),
    Attack("makes the machine write out its files", syscall("SYNC")),
    Attack("moves pages between pipes", syscall("TEE", "1", "1", "1", "0")),
    Attack("moves pages from a file to a pipe", syscall("SPLICE", "0", "None", "1", "None", "1", "0")),
    Attack("asks for a call that nobody knows", syscall("900", "0")),
    Attack("makes its calls as another kind of program", LIBC + tries(
        "call(0x40000000 + 39)\nprint('ESCAPED')")),
    Attack("makes its calls as a program of 32 bits", """
import ctypes, mmap, platform
code = mmap.mmap(-1, 4096, prot=7)
code.write(bytes.fromhex('b814000000cd80c3') if platform.machine() == 'x86_64' else bytes(4))
place = ctypes.addressof(ctypes.c_char.from_buffer(code))
print('ESCAPED', ctypes.CFUNCTYPE(ctypes.c_int)(place)())""", stopped=True),
)  # fmt: skip
