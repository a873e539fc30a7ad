"""Files: what can be read, written, or reached around the private /tmp."""

from tests.extensions.sandbox.attacks.build import Attack, tries

FILES = (
    Attack("reads processes", tries("import os\nos.listdir('/proc')\nprint('ESCAPED')")),
    Attack("reads the kernel's objects", tries("import os\nos.listdir('/sys')\nprint('ESCAPED')")),
    Attack("lists what is configured",
           "import os\nprint('ESCAPED' if set(os.listdir('/etc')) - {'ld.so.cache'} else 'none')"),
    Attack("lists what varies", tries("import os\nprint('ESCAPED', os.listdir('/var'))")),
    Attack("finds folders of the host", """
import os
known = {'bin', 'dev', 'etc', 'lib', 'lib32', 'lib64', 'run', 'sbin', 'tmp', 'usr'}
for name in set(os.listdir('/')) - known:
    for place, folders, files in os.walk('/' + name):
        print('ESCAPED' if files and 'lib/python' not in place + '/lib' and '/bin' not in place else '', end='')
        break
"""),
    Attack("reads the disk", tries("print('ESCAPED', open('/dev/vda', 'rb').read(1))")),
    Attack("reads the machine's memory", tries("print('ESCAPED', open('/dev/mem', 'rb').read(1))")),
    Attack("writes to the kernel's log", tries("open('/dev/kmsg', 'w').write('x')\nprint('ESCAPED')")),
    Attack("opens the terminal", tries("open('/dev/tty', 'w').write('x')\nprint('ESCAPED')")),
    Attack("makes a device of its own", tries(
        "import os\nos.mknod('/tmp/n', 0o20666, os.makedev(1, 1))\nprint('ESCAPED')")),
    Attack("replaces a device", tries("import os\nos.unlink('/dev/null')\nprint('ESCAPED')")),
    # As they are: should it ever be let, the host keeps its devices.
    Attack("changes the rights of a device", tries("import os\nos.chmod('/dev/null', 0o666)\nprint('ESCAPED')")),
    Attack("leaves its group on a device", tries(
        "import os\nos.chown('/dev/full', -1, os.getgid())\nprint('ESCAPED')")),
    Attack("writes beside devices", tries("open('/dev/x', 'w').write('x')\nprint('ESCAPED')")),
    Attack("makes memory that is shared by name", tries("open('/dev/shm/x', 'w').write('x')\nprint('ESCAPED')")),
    Attack("writes beside its runner", tries("open('/run/x', 'w').write('x')\nprint('ESCAPED')")),
    Attack("renames the runner", tries("import os\nos.rename('/run/inside.py', '/tmp/inside.py')\nprint('ESCAPED')")),
    Attack("links the interpreter into tmp", tries(
        "import os\nos.link(os.__file__, '/tmp/os.py')\nprint('ESCAPED')")),
    Attack("touches the interpreter", tries(
        "import os\nbefore = os.stat(os.__file__)\nos.utime(os.__file__)\n"
        "print('ESCAPED' if os.stat(os.__file__).st_mtime_ns != before.st_mtime_ns else 'as it was')")),
    Attack("writes into the cache of the interpreter", tries("""
import os
cache = os.path.join(os.path.dirname(os.__file__), '__pycache__')
open(os.path.join(cache, 'x.pyc'), 'w').write('x')
print('ESCAPED')""")),
    Attack("goes up from tmp", tries(
        "import os\nos.chdir('/tmp')\nopen('../../../../../../..SECRET').read()\nprint('ESCAPED')")),
    Attack("goes up from a folder that it holds", tries(
        "import os\nheld = os.open('/', os.O_RDONLY)\nos.open('home', os.O_RDONLY, dir_fd=held)\n"
        "print('ESCAPED' if os.listdir('/home') else 'empty')")),
    Attack("makes tmp another's", tries(
        "import os\nos.chown('/tmp', 0, 0)\nos.chown('/tmp', 12345, 0)\nprint('ESCAPED')")),
    Attack("makes a file that runs as root", tries("""
import os
open('/tmp/x', 'w').write('#!/bin/sh\\nid\\n')
os.chmod('/tmp/x', 0o6755)
print('ESCAPED' if 'uid=0' in os.popen('/tmp/x').read() and os.getuid() else 'refused')""")),
    Attack("writes a file larger than the limit by holes", tries("""
with open('/tmp/x', 'wb') as opened:
    opened.seek(20 << 20)
    opened.write(b'x')
print('ESCAPED')""")),
    Attack("removes tmp", tries("import os\nos.rmdir('/tmp')\nprint('ESCAPED')")),
    Attack("moves tmp", tries("import os\nos.rename('/tmp', '/tmp2')\nprint('ESCAPED')")),
    Attack("knows the name of the host",
           "import os, platform\nprint('ESCAPED' if 'HOSTNAME' in (os.uname().nodename, platform.node()) else 'none')"),
    Attack("has variables of the host",
           "import os\nprint(sorted(set(os.environ) - {'HOME', 'LANG', 'PATH', 'PWD', 'LC_CTYPE'}))", prints="[]\n"),
    Attack("has arguments of its runner", "import sys\nprint(sys.argv[1:])", prints="[]\n"),
    Attack("has modules of scoring", tries("import scoring\nprint('ESCAPED')")),
)  # fmt: skip
