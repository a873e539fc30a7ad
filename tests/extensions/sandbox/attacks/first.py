"""The first attempts: one of each kind."""

from __future__ import annotations

from tests.extensions.sandbox.attacks.build import Attack, syscall, tries

# Prints what it was expected to print, if it can find it anywhere in the interpreter it runs in.
PEEK = """
import gc, re, sys
wanted = re.compile('the expected[ ]output')
frame, found = sys._getframe(), False
while frame:
    found = found or wanted.search(repr(frame.f_locals)[:1000000])
    frame = frame.f_back
for item in gc.get_objects():
    found = found or (isinstance(item, (dict, list, tuple)) and wanted.search(repr(item)[:100000]))
print(' '.join(['the expected', 'output']) if found else 'nothing')
"""

# The same for the whole heap, with that of the interpreter which it was forked from.
PEEK_INTO_MEMORY = """
import ctypes, os, re
wanted = re.compile(b'the expected[ ]output')
kept = [bytearray(n) for n in range(1, 4000, 7)]
places = sorted({id(item) >> 20 for item in kept} | {id(object()) >> 20})
libc, resident, found = ctypes.CDLL(None), ctypes.create_string_buffer(1), False
out, into = os.pipe()
for page in range((places[0] - 8) << 8, (places[-1] + 9) << 8):
    if libc.mincore(ctypes.c_void_p(page << 12), ctypes.c_size_t(4096), resident) == 0:
        # A page of a file may end before its mapping does: the kernel says so, where reading it would end the process.
        read = libc.write(into, ctypes.c_void_p(page << 12), ctypes.c_size_t(4096))
        found = wanted.search(os.read(out, read) if read > 0 else b'') is not None or found
print(' '.join(['the expected', 'output']) if found else 'nothing')
"""

FIRST = (
    # ---- network
    Attack("connects to a port of the host", tries(
        "import socket\nsocket.create_connection(('127.0.0.1', PORT), timeout=1)\nprint('ESCAPED')")),
    Attack("connects to the internet", tries(
        "import socket\nsocket.create_connection(('1.1.1.1', 53), timeout=1)\nprint('ESCAPED')")),
    Attack("opens a socket", tries("import socket\nsocket.socket()\nprint('ESCAPED')")),
    Attack("connects to a unix socket of the host", tries(
        "import socket\ns = socket.socket(socket.AF_UNIX)\ns.connect('UNIX_SOCKET')\nprint('ESCAPED')")),
    Attack("opens a netlink socket", tries("import socket\nsocket.socket(16, 3, 0)\nprint('ESCAPED')")),
    # ---- reading
    Attack("reads a secret file of the host", tries("print('ESCAPED', open('SECRET').read())")),
    Attack("reads the password file", tries("print('ESCAPED', open('/etc/passwd').read())")),
    Attack("reads the environment of the host",
           "import os\nprint('ESCAPED' if 'SCORING_TEST_SECRET' in os.environ else 'empty')"),
    Attack("reads the environment of another process", tries(
        "import glob\nfor name in glob.glob('/proc/[0-9]*/environ'):\n"
        "    if b'SCORING_TEST_SECRET' in open(name, 'rb').read():\n        print('ESCAPED')")),
    Attack("lists the home folders", tries(
        "import os\nfound = [os.listdir(place) for place in ('/home', '/root') if os.path.isdir(place)]\n"
        "print('ESCAPED' if any(len(set(names) - {'.pyenv'}) for names in found) else 'empty')")),
    # ---- writing
    Attack("writes to the host's folder", tries("open('OUTSIDE/written', 'w').write('x')\nprint('ESCAPED?')")),
    Attack("writes into the system", tries("open('/usr/written', 'w').write('x')\nprint('ESCAPED')")),
    Attack("writes into the interpreter", tries(
        "import os\nopen(os.path.dirname(os.__file__) + '/written.py', 'w').write('x')\nprint('ESCAPED')")),
    Attack("writes into the root", tries("open('/written', 'w').write('x')\nprint('ESCAPED')")),
    Attack("follows a symlink out of tmp", tries(
        "import os\nos.symlink('OUTSIDE', '/tmp/door')\nopen('/tmp/door/written', 'w').write('x')\nprint('ESCAPED?')")),
    Attack("follows a symlink to a secret", tries(
        "import os\nos.symlink('SECRET', '/tmp/window')\nprint('ESCAPED', open('/tmp/window').read())")),
    Attack("changes its runner's script", tries("open('/run/inside.py', 'a').write('x')\nprint('ESCAPED')")),
    Attack("makes a device", tries("import os\nos.mknod('/tmp/disk', 0o60666, os.makedev(8, 0))\nprint('ESCAPED')")),
    # ---- other processes
    Attack("kills its parent", tries("import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\nprint('ESCAPED')")),
    Attack("kills a process of the host", tries(
        "import os, signal\nos.kill(VICTIM, signal.SIGKILL)\nprint('ESCAPED?')")),
    Attack("kills everything", tries("import os, signal\nos.kill(-1, signal.SIGKILL)\nprint('sent')")),
    Attack("kills the first process", tries("import os, signal\nos.kill(1, signal.SIGKILL)\nprint('ESCAPED')")),
    Attack("traces its parent", tries(
        "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "print('ESCAPED' if libc.ptrace(16, os.getppid(), 0, 0) == 0 else 'refused')")),
    Attack("forges an answer of its runner", tries(
        "import os\nfor descriptor in range(3, 64):\n    try:\n"
        "        os.write(descriptor, b'{\"status\": \"ok\", \"stdout\": \"ESCAPED\", '\n"
        "                 b'\"stderr\": \"\", \"detail\": \"\"}\\n')\n"
        "    except OSError:\n        pass\nprint('tried')")),
    # ---- rights
    Attack("becomes root", tries("import os\nos.setuid(0)\nprint('ESCAPED')")),
    Attack("becomes another user", tries("import os\nos.setresuid(1, 1, 1)\nprint('ESCAPED')")),
    Attack("runs a setuid program", tries(
        "import os, subprocess\nout = subprocess.run(['/usr/bin/su', '-c', 'id'], capture_output=True, text=True)\n"
        "print('ESCAPED' if 'uid=0' in out.stdout else 'refused')")),
    Attack("mounts", tries(
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "print('ESCAPED' if libc.mount(b'none', b'/tmp', b'tmpfs', 0, None) == 0 else 'refused')")),
    Attack("makes a user namespace", tries(
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "print('ESCAPED' if libc.unshare(0x10000000) == 0 else 'refused')")),
    Attack("makes a namespace by clone", syscall("CLONE", "0x10000000 | 17", "0", "0", "0", "0")),
    Attack("changes its root", tries("import os\nos.chroot('/tmp')\nprint('ESCAPED')")),
    Attack("joins a namespace", syscall("SETNS", "0", "0")),
    Attack("loads a program into the kernel", syscall("BPF", "0", "0", "0")),
    Attack("sets up io_uring", syscall("IO_URING", "4", "0")),
    Attack("reads the kernel's log", syscall("SYSLOG", "3", "0", "0")),
    Attack("adds a key to the kernel", syscall("ADD_KEY", "b'user'", "b'x'", "b'y'", "1", "-4")),
    Attack("types on the terminal", tries(
        "import fcntl, sys\nfcntl.ioctl(0, 0x5412, b'x')\nprint('ESCAPED')")),
    Attack("raises its own limits", tries(
        "import resource\nresource.setrlimit(resource.RLIMIT_NPROC, (10000, 10000))\nprint('ESCAPED')")),
    # ---- bombs
    Attack("runs for ever", "while True:\n    pass", stopped=True, endless=True),
    Attack("sleeps for ever", "import time\ntime.sleep(1000)", stopped=True, endless=True),
    Attack("ignores signals and runs for ever",
           "import signal\nfor number in range(1, 65):\n    try:\n        signal.signal(number, signal.SIG_IGN)\n"
           "    except (OSError, ValueError):\n        pass\nwhile True:\n    pass", stopped=True, endless=True),
    Attack("writes for ever", "while True:\n    print('x' * 10000)", stopped=True),
    Attack("writes to the error output for ever",
           "import sys\nwhile True:\n    sys.stderr.write('x' * 10000)", stopped=True),
    Attack("takes all memory", "kept = []\nwhile True:\n    kept.append(bytearray(10 ** 7))", stopped=True),
    Attack("asks for a huge piece of memory", "x = bytearray(10 ** 11)\nprint('ESCAPED')", stopped=True),
    Attack("forks for ever", "import os\nwhile True:\n    os.fork()", stopped=True),
    Attack("forks and hides from its group",
           "import os, time\nfor _ in range(8):\n    if os.fork() == 0:\n        os.setsid()\n        while True:\n"
           "            time.sleep(1)\nprint('left them running')"),
    Attack("starts threads for ever",
           "import threading, time\ncount = 0\ntry:\n    while True:\n"
           "        threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()\n        count += 1\n"
           "        if count > 500:\n            print('ESCAPED')\n            break\nexcept RuntimeError:\n"
           "    print('refused')"),
    Attack("writes a huge file", tries(
        "with open('/tmp/huge', 'wb') as file:\n    for _ in range(10000):\n        file.write(b'x' * 10 ** 6)\n"
        "print('ESCAPED')")),
    Attack("fills the private tmp", tries(
        "for number in range(1000):\n    with open(f'/tmp/{number}', 'wb') as file:\n"
        "        file.write(b'x' * 10 ** 6)\n"
        "print('ESCAPED')")),
    Attack("fills the shared memory", tries(
        "with open('/dev/shm/huge', 'wb') as file:\n    for _ in range(2000):\n        file.write(b'x' * 10 ** 6)\n"
        "print('ESCAPED')")),
    Attack("keeps memory in files of memory", tries(
        "import os\nkept = []\nfor _ in range(40):\n    kept.append(os.memfd_create('x'))\n"
        "    for _ in range(16):\n        os.write(kept[-1], b'x' * 10 ** 6)\nprint('ESCAPED')")),
    Attack("keeps memory that outlives it", syscall("SHMGET", "0", str(1 << 20), "0o1777")),
    Attack("makes semaphores", syscall("SEMGET", "0", "1", "0o1777")),
    Attack("makes a queue of messages", syscall("MSGGET", "0", "0o1777")),
    Attack("opens a queue by name", syscall("MQ_OPEN", "b'queue'", "0o102", "0o777", "0")),
    Attack("takes its runner's limits", tries(
        "import os, resource\nresource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (4, 4))\nprint('ESCAPED')")),
    Attack("reads the limits of the first runner", tries(
        "import resource\nresource.prlimit(2, resource.RLIMIT_NOFILE)\nprint('ESCAPED')")),
    Attack("slows its runner down", tries(
        "import os\nos.setpriority(os.PRIO_PROCESS, os.getppid(), 19)\nprint('ESCAPED')")),
    Attack("slows its user down", tries("import os\nos.setpriority(os.PRIO_USER, 0, 19)\nprint('ESCAPED')")),
    Attack("schedules its runner", tries(
        "import os\nos.sched_setscheduler(os.getppid(), os.SCHED_IDLE, os.sched_param(0))\nprint('ESCAPED')")),
    Attack("binds its runner to a processor", tries(
        "import os\nos.sched_setaffinity(os.getppid(), {0})\nprint('ESCAPED')")),
    Attack("stops its runner", tries("import os, signal\nos.kill(os.getppid(), signal.SIGSTOP)\nprint('ESCAPED')")),
    Attack("kills the first runner", tries("import os, signal\nos.kill(2, signal.SIGKILL)\nprint('ESCAPED')")),
    Attack("opens its runner as a handle", tries("import os\nos.pidfd_open(os.getppid())\nprint('ESCAPED')")),
    Attack("opens files for ever", tries(
        "kept = []\nfor _ in range(100000):\n    kept.append(open('/dev/null'))\nprint('ESCAPED')")),
    Attack("recurses for ever", "def f():\n    return f()\nf()", stopped=True),
    Attack("crashes the interpreter", "import ctypes\nctypes.string_at(0)", stopped=True),
    Attack("leaves a background writer",
           "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(30)\n    print('ESCAPED')\n"
           "print('done')"),
)  # fmt: skip
