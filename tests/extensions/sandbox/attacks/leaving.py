"""Ways to leave something for the next program, and a program that looks for everything it could find of others."""

from tests.extensions.sandbox.attacks.build import LIBC, Attack, tries

_WORD = "the expected output"

LEFT = (
    Attack("leaves a file", f"open('/tmp/left', 'w').write('{_WORD}')"),
    Attack("leaves a file and removes it", "import os\nopen('/tmp/left', 'w').close()\nos.unlink('/tmp/left')"),
    Attack("leaves a folder and removes it", "import os\nos.mkdir('/tmp/left')\nos.rmdir('/tmp/left')"),
    Attack("looks into the folder", "import os\nos.listdir('/tmp')"),
    Attack("closes the folder", tries("import os\nos.chmod('/tmp', 0)")),
    Attack("takes the sticky bit from the folder", tries("import os\nos.chmod('/tmp', 0o777)")),
    Attack("sets the times of the folder", tries("import os\nos.utime('/tmp', (1, 1))")),
    Attack("sets the times of the folder back", tries(
        "import os\nof = os.stat('/tmp')\nopen('/tmp/left', 'w').close()\nos.unlink('/tmp/left')\n"
        "os.utime('/tmp', ns=(of.st_atime_ns, of.st_mtime_ns))")),
    Attack("gives the folder an attribute", tries(f"import os\nos.setxattr('/tmp', 'user.left', b'{_WORD}')")),
    Attack("gives the folder a list of rights", tries(
        "import os, struct\nos.setxattr('/tmp', 'system.posix_acl_access', struct.pack('<I', 2) + b''.join(\n"
        "    struct.pack('<HHI', *entry) for entry in ((1, 7, -1 % 2**32), (2, 0, 12345), (4, 0, -1 % 2**32),\n"
        "    (16, 7, -1 % 2**32), (32, 0, -1 % 2**32))))")),
    Attack("locks the folder", "import fcntl, os\nfcntl.flock(os.open('/tmp', 0), fcntl.LOCK_EX)"),
    Attack("locks the interpreter", "import fcntl, os\nfcntl.flock(open(os.__file__), fcntl.LOCK_EX)"),
    Attack("leaves a time on a device", tries(
        "import os\nbefore = os.stat('/dev/null')\nos.utime('/dev/null')\nos.utime(os.open('/dev/null', os.O_WRONLY))\n"
        "print('ESCAPED' if os.stat('/dev/null') != before else 'as it was')"), prints="as it was\n"),
    Attack("leaves a hint on the interpreter", tries(
        "import fcntl, os\nfcntl.fcntl(open(os.__file__), 1036, (2).to_bytes(8, 'little'))\nprint('ESCAPED')")),
    Attack("leaves a hint on a device", tries(
        "import fcntl\nfcntl.fcntl(open('/dev/null'), 1038, (2).to_bytes(8, 'little'))\nprint('ESCAPED')")),
    Attack("leaves a socket in the folder", tries(
        "import socket\nleft = socket.socketpair()[0]\nleft.bind('/tmp/left')")),
    Attack("leaves a pipe in the folder", "import os\nos.mkfifo('/tmp/left')"),
    Attack("leaves a file without rights", "import os\nos.close(os.open('/tmp/left', os.O_CREAT, 0))"),
    Attack("leaves a file that a process holds", """
import os, time
opened = os.open('/tmp/left', os.O_CREAT)
os.unlink('/tmp/left')
if os.fork() == 0:
    os.setsid()
    time.sleep(60)"""),
    Attack("uses up numbers of files", tries(
        "import os\nfor _ in range(100):\n    os.close(os.open('/tmp', os.O_TMPFILE | os.O_RDWR))")),
    Attack("uses up numbers of processes",
           "import os\nfor _ in range(30):\n    if os.fork() == 0:\n        os._exit(0)\n    os.wait()"),
    Attack("leaves a process under a far number", """
import os, time
for _ in range(40):
    if os.fork() == 0:
        time.sleep(0 if _ < 39 else 60)
        os._exit(0)
    if _ < 39:
        os.wait()"""),
    Attack("leaves a writer that waits for the next", """
import os, time
if os.fork() == 0:
    os.setsid()
    for _ in range(6000):
        try:
            open('/tmp/left', 'w').close()
        except OSError:
            pass
        time.sleep(0.01)"""),
    Attack("uses up the processor", "sum(range(10 ** 7))"),
    Attack("uses up the processor in a child",
           "import os\nif os.fork() == 0:\n    sum(range(10 ** 7))\n    os._exit(0)\nos.wait()"),
    Attack("changes the mask of new files", "import os\nos.umask(0o777)"),
    Attack("changes its folder", "import os\nos.chdir('/usr')"),
    Attack("blocks signals", "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))"),
    Attack("ignores signals",
           "import signal\nfor number in signal.valid_signals() - {9, 19}:\n    signal.signal(number, signal.SIG_IGN)"),
    Attack("sets an alarm", "import signal\nsignal.setitimer(signal.ITIMER_REAL, 0.2)"),
    Attack("lowers its limits", "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (5, 5))"),
    Attack("lowers its priority", tries("import os\nos.nice(19)")),
    Attack("sets variables", f"import os\nos.environ['LEFT'] = '{_WORD}'\nos.putenv('LEFT', '{_WORD}')"),
    Attack("changes modules",
           f"import builtins, json, os, sys\nbuiltins.left = json.left = os.left = sys.left = '{_WORD}'"),
    Attack("imports much", "import asyncio, ctypes, decimal, email, sqlite3, unittest, xml.dom.minidom"),
    Attack("fills the heap", f"kept = [('{_WORD}' + str(n)) for n in range(100000)]"),
    Attack("leaves a segment of memory", LIBC + tries("call(SHMGET, 0x1234, 1 << 20, 0o1777)")),
    Attack("leaves semaphores", LIBC + tries("call(SEMGET, 0x1234, 1, 0o1777)")),
    Attack("leaves a queue", LIBC + tries("call(MSGGET, 0x1234, 0o1777)")),
    Attack("leaves a key", LIBC + tries("call(ADD_KEY, b'user', b'left', b'x', 1, -4)")),
    Attack("leaves a limit of the kernel", tries("open('/proc/sys/kernel/pid_max', 'w').write('400')")),
    Attack("names itself", LIBC + "libc.prctl(15, b'left', 0, 0, 0)"),
    Attack("fills its output", f"print('{_WORD}' * 5000)"),
    Attack("fills its error output", f"import sys\nprint('{_WORD}' * 200, file=sys.stderr)"),
)  # fmt: skip

# Print everything by which they could know of a program before them. All of it is the same in a sandbox that is new.
# The first leaves /tmp as it is, so that its runner is kept; the second lists it and writes into it.
LOOK = (
    LIBC
    + """
import errno, gc, json, re, resource, signal, sys, threading, time
def told(ask, *given):
    try:
        return str(ask(*given))
    except OSError as error:
        return errno.errorcode.get(error.errno, '?')
of, room = os.stat('/tmp'), os.statvfs('/tmp')
seen = {
    'numbers': (os.getpid(), os.getppid(), os.getpgrp(), os.getsid(0), os.getpgid(os.getppid())),
    'others': [number for number in range(1, 100) if told(os.getsid, number) != 'ESRCH'],
    'folder': (oct(of.st_mode), of.st_nlink, of.st_size, of.st_atime_ns == of.st_mtime_ns, told(os.listxattr, '/tmp')),
    'room': (room.f_files - room.f_ffree, room.f_blocks - room.f_bfree),
    'root': sorted(os.listdir('/')), 'devices': sorted(os.listdir('/dev')), 'run': sorted(os.listdir('/run')),
    'shared': told(os.listdir, '/dev/shm'),
    'variables': sorted(os.environ.items()),
    'place': (os.getcwd(), os.umask(0o22)),
    'descriptors': [number for number in range(64) if told(os.fstat, number) != 'EBADF'],
    'limits': [(name, resource.getrlimit(getattr(resource, name))) for name in dir(resource) if name[:7] == 'RLIMIT_'],
    'blocked': sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())), 'pending': sorted(signal.sigpending()),
    'handled': [(int(number), signal.getsignal(number) in (signal.SIG_DFL, signal.SIG_IGN)) for number in
                signal.valid_signals()],
    'timers': [signal.getitimer(number) for number in range(3)],
    'priority': (os.getpriority(0, 0), os.sched_getscheduler(0), len(os.sched_getaffinity(0))),
    'children': [getattr(resource.getrusage(resource.RUSAGE_CHILDREN), name) for name in ('ru_utime', 'ru_stime',
                 'ru_minflt', 'ru_nvcsw')],
    'little time': time.process_time() < 1,
    'clocks': [told(time.clock_gettime, (~number << 3) | 2) for number in range(1, 6)],
    'host': tuple(os.uname()), 'threads': threading.active_count(), 'modules': len(sys.modules),
    'names left': [module.__name__ for module in (sys, os, json) if hasattr(module, 'left')],
    'memory': told(call, SHMGET, 0x1234, 0, 0), 'semaphores': told(call, SEMGET, 0x1234, 0, 0),
    'queues': told(call, MSGGET, 0x1234, 0), 'keys': told(call, REQUEST_KEY, b'user', b'left', None, 0),
    'how the machine is': told(call, SYSINFO, ctypes.create_string_buffer(256)),
}
wanted, found = re.compile(b'the expected[ ]output'), False
places = sorted({id(item) >> 20 for item in [bytearray(n) for n in range(1, 4000, 7)]} | {id(object()) >> 20})
resident = ctypes.create_string_buffer(1)
for page in (page for place in places for page in range(place << 8, (place + 1) << 8)):
    if libc.mincore(ctypes.c_void_p(page << 12), ctypes.c_size_t(4096), resident) == 0:
        found = found or wanted.search(ctypes.string_at(page << 12, 4096)) is not None
seen['heap'] = found
child = os.fork()
if child == 0:
    os._exit(0)
os.wait()
seen['child'] = child
_THE_FOLDER
print(json.dumps(seen, sort_keys=True))
"""
)
SPY = LOOK.replace(
    "_THE_FOLDER",
    """
seen['names'] = sorted(os.listdir('/tmp'))
with open('/tmp/mine', 'wb') as mine:
    mine.write(bytes(100_000))
    seen['file'] = (os.fstat(mine.fileno()).st_ino, mine.tell())
""",
)
LOOK = LOOK.replace("_THE_FOLDER", "")
