"""Commands run one after the other in terminals of the system (pty), all in one process."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

_RUN = r"""
import fcntl, json, struct, sys, termios
from scoring.cli.main import main
for columns, words in json.loads(sys.argv[1]):
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    status = main(words)
    sys.stdout.flush(), sys.stderr.flush()
    print(f"\n=={status}==", flush=True)
"""
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def in_terminals(calls: Sequence[tuple[int, Sequence[str]]], folder: Path, **env: str) -> list[tuple[int, str]]:
    """Return the exit code and what is seen of each call, given the width of its terminal and the words behind
    `scoring`; colours are kept."""
    ours, theirs = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
    child = subprocess.Popen(
        [sys.executable, "-c", _RUN, json.dumps(calls)],
        cwd=folder,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**environment, "TERM": "xterm", **env},
    )
    os.close(theirs)
    seen = bytearray()
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other side is closed
            break
        if not part:
            break
        seen += part
    os.close(ours)
    assert child.wait() == 0, seen.decode()
    parts = re.split(r"\n==(\d+)==\n", seen.decode().replace("\r\n", "\n"))
    return [(int(code), text) for text, code in zip(parts[0::2], parts[1::2], strict=False)]


def uncoloured(text: str) -> str:
    """Return a text without colours."""
    return _COLOUR.sub("", text)
