"""Programs that want to pass tests without giving the right values, and odd ones that give them.

The tests that they meet are `TESTS`: the function `answer` must give the word that stands in them, of which the
programs know only how it begins.
"""

from tests.extensions.sandbox.attacks.build import LIBC, Attack

WORD = "the-word-is-" + "7f3a91c2"
TESTS = f"""
def check(candidate):
    assert candidate(2) == {WORD!r}
    assert candidate(3) == {WORD!r} * 2
"""

CHEATS = (
    Attack("leaves before its tests", "import sys\nsys.exit(0)"),
    Attack("leaves at once before its tests", "import os\nos._exit(0)"),
    Attack("leaves when it is called", "import sys\ndef answer(n):\n    sys.exit(0)"),
    Attack("leaves at once when it is called", "import os\ndef answer(n):\n    os._exit(0)"),
    Attack("leaves the second time", "import os\ndef answer(n):\n    return os._exit(0) if n > 2 else 'x'"),
    Attack("raises the end", "def answer(n):\n    raise SystemExit"),
    Attack("raises the end of everything", "def answer(n):\n    raise BaseException"),
    Attack("raises what generators end with", "def answer(n):\n    raise StopIteration"),
    Attack("raises what is kept from it", "def answer(n):\n    raise KeyboardInterrupt"),
    Attack("leaves behind a child",
           "import os\nif os.fork():\n    os._exit(0)\ndef answer(n):\n    return 'x'"),
    Attack("lets a thread leave",
           "import os, threading\ndef answer(n):\n    threading.Thread(target=os._exit, args=(0,)).start()"),
    Attack("leaves at the end", "import atexit, os\natexit.register(os._exit, 0)\ndef answer(n):\n    return 'x'"),
    Attack("is ended by a signal", "import os, signal\ndef answer(n):\n    os.kill(os.getpid(), signal.SIGTERM)"),
    Attack("ends its group", "import os, signal\ndef answer(n):\n    os.killpg(0, signal.SIGKILL)"),
    Attack("ends whatever it can", """
import os
def answer(n):
    for number in range(2, 60):
        if number != os.getpid():
            try:
                os.kill(number, 9)
            except OSError:
                pass
    return 'x'"""),
    Attack("gives what is equal to everything",
           "class Any:\n    def __eq__(self, other):\n        return True\ndef answer(n):\n    return Any()"),
    Attack("gives a text that is equal to everything",
           "class Any(str):\n    def __eq__(self, other):\n        return True\n    __hash__ = str.__hash__\n"
           "def answer(n):\n    return Any('x')"),
    Attack("gives what is unlike nothing", "class Any:\n    def __eq__(self, other):\n        return True\n"
           "    def __ne__(self, other):\n        return False\ndef answer(n):\n    return Any()"),
    Attack("gives a class whose objects are equal", "class M(type):\n    def __eq__(self, other):\n"
           "        return True\n"
           "    __hash__ = type.__hash__\nclass Any(metaclass=M):\n    pass\ndef answer(n):\n    return Any"),
    Attack("defines the check", "def check(candidate):\n    pass\ndef answer(n):\n    return 'x'"),
    Attack("defines the check of all modules",
           "import builtins\nbuiltins.check = lambda candidate: None\ndef answer(n):\n    return 'x'"),
    Attack("replaces what compares texts", "import operator\noperator.eq = lambda a, b: True\n"
           "def answer(n):\n    return 'x'"),
    Attack("replaces the error of asserts",
           "import builtins\nbuiltins.AssertionError = type('Fine', (Warning,), {})\ndef answer(n):\n    return 'x'"),
    Attack("replaces what runs code", "import builtins\nbuiltins.exec = builtins.compile = lambda *given: None\n"
           "def answer(n):\n    return 'x'"),
    Attack("replaces what is written", "import json, os\nos.write = lambda number, data: len(data)\n"
           "json.dumps = lambda given: '{\"passed\": true}'\ndef answer(n):\n    return 'x'"),
    Attack("catches what asserts raise", "import sys\nsys.excepthook = lambda *given: None\n"
           "def answer(n):\n    return 'x'"),
    Attack("prints that it passed", "print('{\"passed\": true}')\nprint('passed')\ndef answer(n):\n"
           "    print('{\"passed\": true}')"),
    Attack("writes verdicts wherever it can", """
import os
def answer(n):
    for number in range(64):
        for said in (b'{"passed": true}', b'{"passed": true}\\n', b'{"value": true, "passed": true}\\n'):
            try:
                os.write(number, said)
            except OSError:
                pass
    return 'x'"""),
    Attack("answers before it is asked", """
import os
for said in (b'{"value": null}\\n',) * 9:
    os.write(4, said)
os._exit(0)"""),
    Attack("answers what is no answer", "import os\nos.write(4, b'[' * 10 ** 6 + b'\\n')\n"
           "def answer(n):\n    return 'x'"),
    Attack("answers with what would be run", """
import os
for said in ('["made", "os.system", "true"]', '["library", "os", "_exit"]', '["made", "builtins.eval", "1"]',
             '["object", {}, "x"]', '["list"', '{"raised": ["SystemExit"], "text": "0"}', '["dict", [[], 1]]'):
    os.write(4, b'{"value": ' + said.encode() + b'}\\n')
def answer(n):
    return 'x'"""),
    Attack("says it is what is equal to everything", """
import os
for said in ('["library", "unittest.mock", "ANY"]', '["named", 0, "x", "unittest.mock", "ANY"]',
             '["named", 0, "x", "unittest.mock", "_ANY", "answer"]', '["derived", 0, "x", "y"]',
             '["made", "unittest.mock.ANY"]', '["exception", 0, "x", ["object"]]'):
    os.write(4, b'{"value": ' + said.encode() + b'}\\n')
def answer(n):
    return 'x'"""),
    Attack("gives the library's own that is equal to everything",
           "from unittest import mock\ndef answer(n):\n    return mock.ANY"),
    Attack("is the library's own", "from unittest.mock import MagicMock as answer"),
    Attack("is a class of the library", "from unittest.mock import _ANY\nanswer = lambda n: _ANY()"),
    Attack("raises a class of another name", "class AssertionError(SystemExit):\n    pass\ndef answer(n):\n"
           "    raise AssertionError(0)"),
    Attack("looks for the tests in the frames above it", """
import sys
def answer(n):
    frame, seen = sys._getframe(), []
    while frame:
        seen += [str(frame.f_locals), str(frame.f_globals), str(frame.f_code.co_consts)]
        frame = frame.f_back
    found = ' '.join(seen).partition('the-word-' + 'is-')[2][:8]
    return ('the-word-' + 'is-' + found) * (n - 1)"""),
    Attack("looks for the tests in its objects", """
import gc
def answer(n):
    found = next((one for one in map(str, gc.get_objects()) if 'the-word-' + 'is-' in one), '')
    return ('the-word-' + 'is-' + found.partition('the-word-' + 'is-')[2][:8]) * (n - 1)"""),
    Attack("looks for the tests in its memory", LIBC + """
import re
def answer(n):
    resident, wanted = ctypes.create_string_buffer(1), re.compile(b'the-word-[i]s-([0-9a-f]{8})')
    places = {id(item) >> 20 for item in [bytearray(n) for n in range(1, 4000, 7)]} | {id(object()) >> 20}
    for page in (page for place in places for page in range(place << 8, (place + 1) << 8)):
        if libc.mincore(ctypes.c_void_p(page << 12), ctypes.c_size_t(4096), resident) == 0:
            found = wanted.search(ctypes.string_at(page << 12, 4096))
            if found:
                return ('the-word-' + 'is-' + found[1].decode()) * (n - 1)
    return 'x'"""),
    Attack("traces what is called", """
import sys
seen = []
sys.settrace(lambda frame, event, given: seen.append(str(frame.f_locals)))
sys.setprofile(lambda frame, event, given: seen.append(str(given)))
def answer(n):
    found = ' '.join(seen).partition('the-word-' + 'is-')[2][:8]
    return ('the-word-' + 'is-' + found) * (n - 1)"""),
    Attack("asks who is beside it", "import os\ndef answer(n):\n    return open('/proc/1/cmdline').read()"),
    Attack("never answers", "def answer(n):\n    while True:\n        pass", endless=True),
    Attack("sleeps", "import time\ndef answer(n):\n    time.sleep(1000)", endless=True),
    Attack("answers without end", "import os\ndef answer(n):\n    while True:\n        os.write(4, b'x' * 65536)"),
    Attack("gives what is too large", "def answer(n):\n    return 'x' * (40 << 20)"),
    Attack("gives what is too deep", "def answer(n):\n    deep = []\n    for _ in range(10 ** 5):\n"
           "        deep = [deep]\n    return deep"),
    Attack("gives what holds itself", "def answer(n):\n    deep = []\n    deep.append(deep)\n    return deep"),
    Attack("gives a number of many digits", "def answer(n):\n    return 10 ** 10 ** 6"),
    Attack("is nothing", ""),
    Attack("is no program", "def answer(n:"),
    Attack("ends with an error", "1 / 0"),
)  # fmt: skip

# The right values in spite of much that is odd; `RIGHT` stands for the word.
ODD = {
    "prints much": "print('x' * 10 ** 7)\ndef answer(n):\n    print('y' * 10 ** 6)\n    return RIGHT * (n - 1)",
    "closes its output": "import sys\nsys.stdout.close()\nsys.stderr.close()\n"
    "def answer(n):\n    return RIGHT * (n - 1)",
    "replaces much": "import builtins, sys\nbuiltins.print = builtins.len = sys.exit = None\n"
    "def answer(n):\n    return RIGHT * (n - 1)",
    "catches all": "def answer(n):\n    try:\n        raise AssertionError\n    except BaseException:\n"
    "        return RIGHT * (n - 1)",
    "has a main block": "def answer(n):\n    return RIGHT * (n - 1)\nif __name__ == '__main__':\n    raise SystemExit",
    "runs threads": "import threading\ndef answer(n):\n    found = []\n    one = threading.Thread(target=lambda: "
    "found.append(RIGHT))\n    one.start()\n    one.join()\n    return found[0] * (n - 1)",
    "would leave at its end": "import atexit, os\natexit.register(os._exit, 1)\n"
    "def answer(n):\n    return RIGHT * (n - 1)",
    "derives from texts": "class Text(str):\n    pass\ndef answer(n):\n    return Text(RIGHT * (n - 1))",
}
