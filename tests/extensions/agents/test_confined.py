"""The fence round the process of the tools, tried from inside: reading elsewhere, writing, networks, programs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.support.golden import REPOSITORY

TRIED = """
import json, os, socket, sqlite3, subprocess, sys
from pathlib import Path
from scoring.extensions.agents.confined import confine
folder, other = Path(sys.argv[1]), Path(sys.argv[2])
(folder / "inside.txt").write_text("in")
confine(folder)
os.chdir(folder)
waysof = {
    "read inside": lambda: (folder / "inside.txt").read_text(),
    "read inside by a relative path": lambda: open("inside.txt").read(),
    "import": lambda: __import__("colorsys"),
    "read outside": lambda: other.read_text(),
    "read outside by a relative path": lambda: open("../other.txt").read(),
    "read by os.open": lambda: os.open(other, os.O_RDONLY),
    "read through a link": lambda: open("link.txt").read(),
    "read bytes of a name": lambda: open(os.fsencode(other)).read(),
    "list": lambda: os.listdir(other.parent),
    "write": lambda: open("new.txt", "w"),
    "append": lambda: open("inside.txt", "a"),
    "read and write": lambda: open("inside.txt", "r+"),
    "remove": lambda: os.remove("inside.txt"),
    "rename": lambda: os.rename("inside.txt", "new.txt"),
    "make a folder": lambda: os.mkdir("new"),
    "link": lambda: os.symlink(other, "new"),
    "sqlite": lambda: sqlite3.connect(other),
    "connect": lambda: socket.create_connection(("127.0.0.1", 9)),
    "look up": lambda: socket.getaddrinfo("localhost", 80),
    "listen": lambda: socket.socket().bind(("127.0.0.1", 0)),
    "program": lambda: subprocess.run(["/bin/true"]),
    "shell": lambda: os.system("true"),
    "fork": lambda: os.fork(),
}
found = {}
for name, way in waysof.items():
    try:
        way()
        found[name] = "done"
    except PermissionError as error:
        found[name] = "refused"
print(json.dumps(found))
"""


def test_only_what_stands_below_the_folder_can_be_read(tmp_path: Path) -> None:
    folder, other = tmp_path / "folder", tmp_path / "other.txt"
    folder.mkdir()
    other.write_text("out")
    (folder / "link.txt").symlink_to(other)
    command = [sys.executable, "-c", TRIED, str(folder), str(other)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=REPOSITORY, check=True)
    found = json.loads(done.stdout)
    allowed = {"read inside", "read inside by a relative path", "import"}
    assert {name for name, how in found.items() if how == "done"} == allowed
    assert len(found) == 23
    assert sorted(path.name for path in folder.iterdir()) == ["inside.txt", "link.txt"]
