"""Pages of the documentation that can be followed: their files are written, their commands print what they show."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

from tests.cli.transcript import replay, without_versions

_BLOCK = re.compile(r"^```(\w+) ?([\w./-]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def follow(
    page: Path,
    folder: Path,
    *,
    is_same: Callable[[str, str], bool] = str.__eq__,
    python: Callable[[str], None] | None = None,
) -> int:
    """Write the files of a page into a folder, run its commands there, and hold what they print to what it shows.

    `UPDATE_TRANSCRIPTS=1` writes the outputs anew; read the diff. Returns the number of commands.

    Args:
        page: The page, whose blocks of code have the name of a file, or are of ``console`` or ``python``.
        folder: An empty one.
        is_same: Whether what is shown (first) and what was printed say the same, where they differ.
        python: Holds a block of Python.
    """
    commands = 0

    def followed(block: re.Match[str]) -> str:
        nonlocal commands
        kind, name, text = block.groups()
        if name:
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        elif kind == "console":
            found = replay(text, folder)
            commands += found.count("$ ")
            if without_versions(text) != found and not is_same(text, found):
                return f"```console\n{found}```"
        elif kind == "python" and python is not None:
            python(text)
        return block[0]

    shown = page.read_text(encoding="utf-8")
    real = _BLOCK.sub(followed, shown)
    if os.environ.get("UPDATE_TRANSCRIPTS"):
        page.write_text(real.replace("scoring VERSION, python VERSION", "scoring 0.1.0, python 3.11"), encoding="utf-8")
    else:
        assert shown == real
    return commands
