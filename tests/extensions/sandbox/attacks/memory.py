"""Memory that no limit on a process counts."""

from tests.extensions.sandbox.attacks.build import LIBC, Attack, syscall, tries

_KEEP = "kept = 0\nopened = []\n"

MEMORY = (
    Attack("gives large pages to pipes", LIBC + _KEEP + tries("""
class Part(ctypes.Structure):
    _fields_ = [('place', ctypes.c_void_p), ('length', ctypes.c_size_t)]
while kept < 600 << 20:
    opened.append(os.pipe())
    for _ in range(16):
        place = libc.mmap(None, 4 << 20, 3, 0x22, -1, 0)
        large = (place + (2 << 20) - 1) & ~((2 << 20) - 1)
        libc.madvise(ctypes.c_void_p(large), ctypes.c_size_t(2 << 20), 14)
        ctypes.memset(large, 1, 2 << 20)
        call(VMSPLICE, opened[-1][1], ctypes.byref(Part(large, 4096)), 1, 0)
        libc.munmap(ctypes.c_void_p(place), ctypes.c_size_t(4 << 20))
        kept += 2 << 20
print('ESCAPED')""")),
    Attack("makes a file of secret memory", syscall("MEMFD_SECRET", "0")),
    Attack("makes a file of large memory", syscall("MEMFD", "b'x'", "4")),
    Attack("writes into a file without a name", tries(
        "import os\nos.write(os.open('/tmp', os.O_TMPFILE | os.O_RDWR), b'x')\nprint('ESCAPED')")),
    Attack("opens a file without a name by the newer call", syscall(
        "OPENAT2", "-100", "b'/tmp'", "(ctypes.c_uint64 * 3)(0o20200002, 0o600, 0)", "24")),
    Attack("keeps files that are removed", _KEEP + tries("""
import os
for number in range(60):
    opened.append(os.open(f'/tmp/{number}', os.O_RDWR | os.O_CREAT))
    os.unlink(f'/tmp/{number}')
    kept += os.write(opened[-1], bytes(10 ** 6))
print('ESCAPED')""")),
    Attack("reserves more than there is", tries(
        "import os\nopened = os.open('/tmp/x', os.O_RDWR | os.O_CREAT)\nos.posix_fallocate(opened, 0, 1 << 30)\n"
        "print('ESCAPED')")),
    Attack("makes a hole of a terabyte", tries(
        "opened = open('/tmp/x', 'wb')\nopened.truncate(1 << 40)\nprint('ESCAPED')")),
    Attack("maps a file larger than the limit", tries("""
import mmap, os
opened = os.open('/tmp/x', os.O_RDWR | os.O_CREAT)
os.ftruncate(opened, 15 << 20)
mmap.mmap(opened, 100 << 20)
print('ESCAPED')""")),
    Attack("shares more memory than it may have", "kept = []\n" + tries("""
import mmap
while len(kept) < 40:
    kept.append(mmap.mmap(-1, 16 << 20))
    kept[-1].write(bytes(16 << 20))
print('ESCAPED')""")),
    Attack("keeps memory in all its processes", """
import mmap, os, signal
signal.signal(signal.SIGCHLD, lambda *given: os._exit(1))
read, write = os.pipe()
for _ in range(8):
    if os.fork() == 0:
        kept = mmap.mmap(-1, 120 << 20)
        for _ in range(120):
            kept.write(bytes(1 << 20))
        os.write(write, b'x')
        signal.pause()
for _ in range(8):
    os.read(read, 1)
print('ESCAPED')""", stopped=True, grouped=True),
    Attack("keeps what its ancestors have shared", """
import mmap, os, signal
def keep(depth):
    signal.signal(signal.SIGCHLD, lambda *given: os._exit(1))
    kept = mmap.mmap(-1, 60 << 20)
    for _ in range(60):
        kept.write(bytes(1 << 20))
    if depth == 0:
        print('ESCAPED', flush=True)
    elif os.fork() == 0:
        kept.close()
        keep(depth - 1)
    signal.pause()
keep(9)""", stopped=True, grouped=True),
    Attack("takes memory in tables of pages", LIBC + """
for number in range(40000):
    place = libc.mmap(0x100000000000 + (number << 30), 4096, 3, 0x100022, -1, 0)
    ctypes.memset(place, 1, 1)
print('ESCAPED')""", stopped=True, grouped=True),
    Attack("makes empty files for ever",
           "import os\nnumber = 0\nwhile number < 10 ** 6:\n    os.close(os.open(f'/tmp/{number}', os.O_CREAT))\n"
           "    number += 1\nprint('ESCAPED')", stopped=True),
    Attack("makes links for ever",
           "import os\nopen('/tmp/x', 'w').close()\nfor number in range(10 ** 6):\n"
           "    os.link('/tmp/x', f'/tmp/{number}')\nprint('ESCAPED')", stopped=True),
    Attack("makes symbolic links for ever",
           "import os\nfor number in range(10 ** 6):\n    os.symlink('x' * 100, f'/tmp/{number}')\nprint('ESCAPED')",
           stopped=True),
    Attack("makes pipes with names for ever",
           "import os\nfor number in range(10 ** 6):\n    os.mkfifo(f'/tmp/{number}')\nprint('ESCAPED')", stopped=True),
    Attack("writes attributes of files for ever", tries("""
import os
for number in range(10 ** 5):
    open(f'/tmp/{number}', 'w').close()
    for part in range(100):
        os.setxattr(f'/tmp/{number}', f'user.{part}', bytes(60000))
print('ESCAPED')""")),
    Attack("makes a pipe larger", tries(
        "import fcntl, os\nfcntl.fcntl(os.pipe()[1], 1031, 1 << 20)\nprint('ESCAPED')")),
    Attack("fills pipes that are under way", _KEEP + tries("""
import os, socket
for _ in range(20):
    one, other = socket.socketpair()
    opened.append((one, other))
    for _ in range(40):
        read, write = os.pipe()
        os.set_blocking(write, False)
        try:
            while True:
                kept += os.write(write, bytes(65536))
        except BlockingIOError:
            pass
        socket.send_fds(one, [b'x'], [read])
        os.close(read), os.close(write)
        if kept > 80 << 20:
            print('ESCAPED')""")),
    Attack("fills pairs of sockets", _KEEP + tries("""
import socket
while True:
    opened.append(socket.socketpair())
    opened[-1][0].setblocking(False)
    try:
        while True:
            kept += opened[-1][0].send(bytes(1 << 20))
    except BlockingIOError:
        pass
    if kept > 80 << 20:
        print('ESCAPED')
        break""")),
    Attack("keeps locks in the kernel", tries("""
import fcntl, os, struct, sys
opened = os.open('/tmp/x', os.O_RDWR | os.O_CREAT)
fcntl.fcntl(opened, fcntl.F_SETLK, struct.pack('hhqqi', 1, 0, 0, 1, 0))
if os.fork() == 0:
    found = fcntl.fcntl(opened, fcntl.F_GETLK, struct.pack('hhqqi', 1, 0, 0, 1, 0))
    print('ESCAPED' if struct.unpack('hhqqi', found)[4] else 'none is kept', flush=True)
    os._exit(0)
os.wait()""")),
    Attack("sets up asynchronous input", syscall("IO_SETUP", "1000", "ctypes.byref(ctypes.c_ulong(0))")),
    Attack("starts timers for ever", LIBC + tries("""
for number in range(20000):
    call(TIMER_CREATE, 0, 0, ctypes.byref(ctypes.c_int(0)))
print('ESCAPED')""")),
    Attack("opens handles of events for ever", tries("""
import os
kept = [os.eventfd(0) for _ in range(1000)] if hasattr(os, 'eventfd') else []
print('ESCAPED' if kept else 'none')""")),
    Attack("keeps memory in its input", tries(
        "import os\nos.lseek(0, 0, 0)\nos.write(0, bytes(10 ** 6))\nprint('ESCAPED')")),
    Attack("makes its input longer", tries("import os\nos.ftruncate(0, 10 ** 6)\nprint('ESCAPED')")),
    Attack("locks memory", LIBC + tries("""
place = libc.mmap(None, 16 << 20, 3, 0x22, -1, 0)
print('ESCAPED' if libc.mlock(ctypes.c_void_p(place), ctypes.c_size_t(16 << 20)) == 0 else 'refused')""")),
    Attack("locks all memory to come", LIBC + tries("print('ESCAPED' if libc.mlockall(3) == 0 else 'refused')")),
    Attack("takes large pages of the machine", LIBC + tries("""
place = libc.mmap(None, 1 << 30, 3, 0x40022, -1, 0)
print('ESCAPED' if place and place < 2 ** 63 else 'refused')""")),
    Attack("takes back its limit on memory", tries(
        "import resource\nresource.setrlimit(resource.RLIMIT_AS, (-1, -1))\nprint('ESCAPED')")),
    Attack("faults for itself", syscall("USERFAULTFD", "0")),
    Attack("watches a folder of the system", LIBC + tries("call(INOTIFY, 0)\nprint('ESCAPED')")),
)  # fmt: skip
