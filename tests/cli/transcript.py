"""Transcripts: `$ scoring …`, the output that must follow, and the exit code when it is not 0."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path

from scoring.cli.main import main

_PROMPT = "$ "
_EXIT = re.compile(r"\[exit (\d+)\]")


def commands(transcript: str) -> list[str]:
    """The commands of a transcript, in order; `cat FILE`, `replace FILE OLD NEW` and `write FILE TEXT` are ours."""
    return [line.removeprefix(_PROMPT) for line in transcript.splitlines() if line.startswith(_PROMPT)]


def replay(transcript: str, folder: Path) -> str:
    """The transcript as it comes out now, run in a folder."""
    with contextlib.chdir(folder):
        return "\n".join(_run(command, folder) for command in commands(transcript))


def _run(command: str, folder: Path) -> str:
    program, *arguments = shlex.split(command)
    shown = io.StringIO()
    code = 0
    if program == "cat":
        shown.write(Path(arguments[0]).read_text("utf-8"))
    elif program == "replace":
        name, old, new = arguments
        Path(name).write_text(Path(name).read_text("utf-8").replace(old, new), "utf-8")
    elif program == "write":  # bytes, with the escapes of Python
        name, text = arguments
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(text.encode("latin-1", "backslashreplace").decode("unicode_escape").encode("latin-1"))
    else:
        assert program == "scoring", command
        with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(shown):
            code = main(arguments)
    output = _stable(shown.getvalue(), folder)
    tail = f"[exit {code}]\n" if code else ""
    return f"{_PROMPT}{command}\n{output}{tail}"


def _stable(text: str, folder: Path) -> str:
    """The output without what differs from machine to machine."""
    text = text.replace(str(folder), "FOLDER")
    text = re.sub(r"file://\S*/schemas/", "SCHEMAS/", text)
    text = re.sub(r'"created": "[^"]*"', '"created": "NOW"', text)
    text = re.sub(r"\bscoring-dsl@[\d.]+", "scoring-dsl@VERSION", text)
    # What a row of two meanings is there for is that they are not the same.
    text = re.sub(r"(?m)^meaning  .*$", lambda found: re.sub(r"[0-9a-f]{16}", "0123456789abcdef", found[0]), text)
    return without_versions(text)


def without_versions(text: str) -> str:
    """A text without the versions of libraries in its signatures, which differ from machine to machine."""
    return re.sub(r"\benv[:\"]* *\"?scoring [^\"\n]*", lambda found: re.sub(r"\d+(\.\d+)+", "VERSION", found[0]), text)


def files(folder: Path) -> list[Path]:
    """The transcripts of a folder."""
    return sorted(folder.glob("*.txt"))
