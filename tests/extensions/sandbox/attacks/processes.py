"""What reaches for the runner, for other processes, and for the processor."""

from tests.extensions.sandbox.attacks.build import LIBC, Attack, syscall, tries

_SIGNALS = """
import fcntl, os, time
read, write = os.pipe()
fcntl.fcntl(read, REQUEST, GIVEN)
fcntl.fcntl(read, 10, 9)
fcntl.fcntl(read, fcntl.F_SETFL, os.O_ASYNC)
os.write(write, b'x')
time.sleep(0.2)
print('ESCAPED')
"""


def _signals(request: str, given: str) -> str:
    return tries(_SIGNALS.replace("REQUEST", request).replace("GIVEN", given))


PROCESSES = (
    Attack("has a pipe send signals to its runner", _signals("fcntl.F_SETOWN", "os.getppid()")),
    Attack("has a pipe send signals to the first runner", _signals("fcntl.F_SETOWN", "2")),
    Attack("has a pipe send signals to a group", _signals("fcntl.F_SETOWN", "-1")),
    Attack("has a pipe send signals by the newer request", _signals(
        "15", "__import__('struct').pack('ii', 1, os.getppid())")),
    Attack("has a socket send signals to its runner", tries("""
import fcntl, os, socket, struct, time
one, other = socket.socketpair()
fcntl.ioctl(one, 0x8901, struct.pack('i', os.getppid()))
fcntl.fcntl(one, fcntl.F_SETFL, os.O_ASYNC)
other.send(b'x')
time.sleep(0.2)
print('ESCAPED')""")),
    Attack("has a socket send signals by the other request", tries("""
import fcntl, os, socket, struct
one, other = socket.socketpair()
fcntl.ioctl(one, 0x8902, struct.pack('i', os.getppid()))
print('ESCAPED')""")),
    Attack("leases a file", tries(
        "import fcntl\nopened = open('/tmp/x', 'w')\nfcntl.fcntl(opened, 1024, 1)\nprint('ESCAPED')")),
    Attack("asks for notice of a folder", tries(
        "import fcntl, os\nfcntl.fcntl(os.open('/usr', 0), 1026, 0x8000001F)\nprint('ESCAPED')")),
    Attack("kills every group", """
import os, signal
for number in range(1, 200):
    if number != os.getpgrp():
        try:
            os.killpg(number, signal.SIGKILL)
            print('ESCAPED')
        except OSError:
            pass
print('tried')"""),
    Attack("kills every number", """
import os, signal
for number in range(1, 200):
    if number != os.getpid():
        try:
            os.kill(number, signal.SIGKILL)
            print('ESCAPED')
        except OSError:
            pass
print('tried')"""),
    Attack("ends its runner by a signal to a thread", syscall("TGKILL", "os.getppid()", "os.getppid()", "9")),
    Attack("ends its runner by the older call", syscall("TKILL", "os.getppid()", "9")),
    Attack("queues a signal for its runner", syscall("SIGQUEUE", "os.getppid()", "9", "bytes(128)")),
    Attack("queues a signal for a thread of its runner", syscall(
        "TGSIGQUEUE", "os.getppid()", "os.getppid()", "9", "bytes(128)")),
    Attack("signals by a handle", syscall("PIDFD_SEND_SIGNAL", "0", "9", "None", "0")),
    Attack("takes a descriptor of its runner", syscall("PIDFD_GETFD", "0", "0", "0")),
    Attack("reads the memory of its runner", syscall("READV_OF", "os.getppid()", "None", "0", "None", "0", "0")),
    Attack("writes the memory of its runner", syscall("WRITEV_OF", "os.getppid()", "None", "0", "None", "0", "0")),
    Attack("advises on the memory of its runner", syscall("PROCESS_MADVISE", "0", "None", "0", "21", "0")),
    Attack("gives back the memory of its runner", syscall("PROCESS_MRELEASE", "0", "0")),
    Attack("moves the pages of its runner", syscall("MOVE_PAGES", "os.getppid()", "0", "None", "None", "None", "0")),
    Attack("moves its runner to another node", syscall("MIGRATE_PAGES", "os.getppid()", "0", "None", "None")),
    Attack("asks where its runner keeps its locks", syscall(
        "ROBUST_LIST", "os.getppid()", "ctypes.byref(ctypes.c_void_p())", "ctypes.byref(ctypes.c_size_t())")),
    Attack("compares itself to its runner", syscall("KCMP", "os.getpid()", "os.getppid()", "0", "0", "0")),
    Attack("lets itself be traced", syscall("PTRACE", "0", "0", "0", "0")),
    Attack("reads its runner's limits by the call", syscall(
        "PRLIMIT", "os.getppid()", "7", "None", "(ctypes.c_uint64 * 2)()")),
    Attack("schedules its runner by the newer call", syscall(
        "SCHED_SETATTR", "os.getppid()", "bytes([48] + [0] * 47)", "0")),
    Attack("makes its runner's input idle", syscall("IOPRIO", "1", "os.getppid()", "0x6000")),
    Attack("takes the core of its runner", LIBC + tries(
        "print('ESCAPED' if libc.prctl(62, 2, os.getppid(), 0, 0) == 0 else 'refused')")),
    Attack("takes a priority of real time", tries(
        "import os\nos.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))\nprint('ESCAPED')")),
    Attack("joins its runner's group", """
import os
for number in (1, 2, os.getpgid(os.getppid())):
    try:
        os.setpgid(0, number)
        print('ESCAPED')
    except OSError:
        print('refused')"""),
    Attack("reads the clock of other processes", """
import time
for number in range(1, 4):
    try:
        print('ESCAPED', time.clock_gettime((~number << 3) | 2))
    except OSError:
        print('refused')"""),
    Attack("sets a timer by the clock of another process", LIBC + tries(
        "call(TIMER_CREATE, (~2 << 3) | 2, None, ctypes.byref(ctypes.c_int(0)))\nprint('ESCAPED')")),
    Attack("makes a brother", LIBC + """
import time
if call(CLONE, 0x8000 | 17, 0, 0, 0, 0) == 0:
    time.sleep(30)
    os._exit(0)
print('made')""", prints="made\n"),
    Attack("stops itself", "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)", stopped=True, endless=True),
    Attack("stops its group and leaves a child to run",
           "import os, signal\nif os.fork() == 0:\n    os.setsid()\n    while True:\n        pass\n"
           "os.kill(0, signal.SIGSTOP)", stopped=True, endless=True),
    Attack("waits for ever for a child that sleeps",
           "import os, time\nif os.fork() == 0:\n    time.sleep(1000)\nos.wait()", stopped=True, endless=True),
    Attack("reads for ever from a pipe of its own", "import os\nos.read(os.pipe()[0], 1)", stopped=True, endless=True),
    Attack("runs in all its threads",
           "import threading\ndef run():\n    while True:\n        pass\nfor _ in range(8):\n"
           "    threading.Thread(target=run).start()", stopped=True, endless=True),
    Attack("hides in daemons of daemons", """
import os, time
def hide(depth):
    if os.fork() == 0:
        os.setsid()
        if depth:
            hide(depth - 1)
        time.sleep(60)
        os._exit(0)
hide(6)
print('hidden')""", prints="hidden\n"),
    Attack("adopts its orphans", LIBC + """
import time
libc.prctl(36, 1, 0, 0, 0)
for _ in range(4):
    if os.fork() == 0:
        if os.fork() == 0:
            time.sleep(60)
        os._exit(0)
print('adopted')""", prints="adopted\n"),
    Attack("forks and dies for ever", """
import os
while True:
    if os.fork():
        os._exit(0)""", endless=True),
    Attack("forks while it is swept", """
import os
for _ in range(6):
    if os.fork() == 0:
        os.setsid()
        while True:
            try:
                if os.fork():
                    os._exit(0)
            except OSError:
                pass
print('done')"""),
    Attack("ends by the signal of the limit on time",
           "import os, signal\nos.kill(os.getpid(), signal.SIGXCPU)", stopped=True),
    Attack("catches the limit on time and goes on",
           "import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True:\n    pass",
           stopped=True, endless=True),
    Attack("aborts", "import os\nos.abort()", stopped=True),
    Attack("ends by a signal of arithmetic", "import os, signal\nos.kill(os.getpid(), signal.SIGFPE)", stopped=True),
    Attack("has descriptors of its runner", """
import os
for descriptor in range(3, 1024):
    try:
        os.fstat(descriptor)
        print('ESCAPED', descriptor)
    except OSError:
        pass
print('tried')""", prints="tried\n"),
    Attack("closes what it has and opens it anew", """
import os
for descriptor in range(3):
    os.close(descriptor)
print('nothing')"""),
    Attack("opens a terminal", tries("import os\nos.openpty()\nprint('ESCAPED')")),
    Attack("hangs up the terminal", syscall("VHANGUP")),
    Attack("takes rights back", syscall("CAPSET", "b'\\x22\\x05\\x08\\x20' + bytes(4)", "b'\\xff' * 24")),
    Attack("gives itself ambient rights", LIBC + tries(
        "print('ESCAPED' if libc.prctl(47, 2, 40, 0, 0) == 0 else 'refused')")),
    Attack("chooses the numbers of processes", tries(
        "open('/proc/sys/kernel/ns_last_pid', 'w').write('100')\nprint('ESCAPED')")),
    Attack("leaves its control group", tries(
        "import glob\nfor name in glob.glob('/sys/fs/cgroup/**/cgroup.procs', recursive=True) or ['/sys/fs/cgroup']:\n"
        "    open(name, 'w').write('0')\nprint('ESCAPED')")),
)  # fmt: skip
