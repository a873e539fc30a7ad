"""Output, and the protocol of the runner: what a program prints is text, whatever it looks like."""

from tests.extensions.sandbox.attacks.build import Attack, tries

_FORGED = '{"status": "ok", "stdout": "ESC" , "stderr": "", "detail": ""}\\n{"clean": true}\\n'

OUTPUT = (
    Attack("prints what its runner would say", f"import sys\nsys.stdout.write('{_FORGED}' * 3)",
           prints=_FORGED.replace("\\n", "\n") * 3),
    Attack("writes what its runner would say to all it has", f"""
import os
for descriptor in range(3):
    try:
        os.write(descriptor, b'{_FORGED}')
    except OSError:
        pass""", prints=_FORGED.replace("\\n", "\n")),
    Attack("prints bytes of every kind", "import sys\nsys.stdout.buffer.write(bytes(range(256)))",
           prints=bytes(range(256)).decode("utf-8", "replace")),
    Attack("prints ends of lines of every kind",
           "import sys\nsys.stdout.buffer.write('a\\r\\nb\\rc\\u2028d\\x85e\\0f'.encode())",
           prints="a\r\nb\rc\u2028d\x85e\0f"),
    Attack("prints half a letter", "import sys\nsys.stdout.buffer.write('\\u00e9'.encode()[:1])", prints="\ufffd"),
    Attack("prints one line without an end", "print('x' * 150000, end='')", prints="x" * 150000),
    Attack("prints nothing and ends as the runner does", "import os\nos._exit(250)", stopped=True),
    Attack("ends as if all were well", "import os\nprint('half', end='', flush=True)\nos._exit(0)", prints="half"),
    Attack("ends with a number beyond a byte", "import sys\nsys.exit(256)", prints=""),
    Attack("ends with an object", "import sys\nsys.exit(['x' * 10])", stopped=True),
    Attack("raises what it has made itself",
           "class Odd(BaseException):\n    def __str__(self):\n        raise Odd\nraise Odd", stopped=True),
    Attack("raises an error whose text never ends",
           "class Odd(Exception):\n    def __str__(self):\n        while True:\n            pass\nraise Odd",
           stopped=True, endless=True),
    Attack("prints when it is collected", """
class Late:
    def __del__(self):
        print('late')
kept = Late()
print('first')"""),
    Attack("replaces its own output", "import sys\nsys.stdout = None\nprint('x')", prints=""),
    Attack("replaces its output by what fails", """
import sys
class Odd:
    def write(self, text):
        raise SystemExit(0)
    def flush(self):
        raise KeyboardInterrupt
sys.stdout = Odd()
print('x')""", prints=""),
    Attack("closes its output", "import os\nos.close(1)\nos.close(2)\nos._exit(3)", stopped=True),
    Attack("makes its output not wait", tries(
        "import os\nos.set_blocking(1, False)\nfor _ in range(10):\n    os.write(1, b'x' * 1000)"), prints="x" * 10000),
    Attack("prints from a child after its own end", """
import os, time
if os.fork() == 0:
    os.setsid()
    time.sleep(0.5)
    os.write(1, b'ESCAPED')
    os._exit(0)
print('done')"""),
    Attack("breaks the interpreter's own names", """
import builtins, json, os, sys
for module in (json, os, sys):
    for name in list(vars(module)):
        if not name.startswith('__') and name not in ('modules', 'stdout', 'stderr'):
            vars(module)[name] = None
builtins.print = None"""),
    Attack("leaves something for the end", "import atexit\natexit.register(print, 'ESCAPED')\nprint('now')",
           prints="now\n"),
    Attack("traces everything",
           "import sys\nsys.settrace(lambda *given: None)\nsys.setprofile(lambda *given: None)\nprint(1)",
           prints="1\n"),
    Attack("grows numbers for ever", "x = 3\nwhile True:\n    x *= x", stopped=True, endless=True),
    Attack("prints a number of too many digits", "print(10 ** 5000)", stopped=True),
    Attack("nests deeper than the parser", "exec('(' * 5000)", stopped=True),
    Attack("compiles what crashes the compiler", "eval('-' * 200000 + '1')", stopped=True),
    Attack("sets off a pattern that never ends",
           "import re\nre.match('(a+)+$', 'a' * 60 + 'b')", stopped=True, endless=True),
    Attack("unpickles a bomb", "import pickle\npickle.loads(b'\\x80\\x04' + b'(' * 10 ** 7)", stopped=True),
    Attack("inflates a bomb", """
import zlib
packed = zlib.compress(bytes(10 ** 7))
kept = [zlib.decompress(packed) for _ in range(100)]""", stopped=True),
)  # fmt: skip
