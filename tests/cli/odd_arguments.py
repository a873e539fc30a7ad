"""Odd values for every argument of every command, as data, and what must hold of each call.

``python -m tests.cli.odd_arguments [SEED] [CALLS]`` tries as many as it is told (all of them by default) and prints
those that break the law; a machine that somebody needs is no place for that, since commands are given `/` to write to.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from scoring.cli.main import CommandParser, _command, main
from scoring.registry.plugins import COMMANDS

SECONDS = 20
"""How long a call may take before it counts as a hang; all of them together take a tenth of a second each."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
MOST_SAID = 20_000
"""How many characters a call may say beside its result."""

ODD: dict[str, str] = {
    "empty": "",
    "a space": " ",
    "a dash": "-",
    "two dashes": "--",
    "a point": ".",
    "two points": "..",
    "the root": "/",
    "a folder": "folder",
    "an empty folder": "nothing",
    "a cycle of links": "circle",
    "a broken link": "broken",
    "a link to a file": "link.yaml",
    "standard input": "/dev/stdin",
    "null": "/dev/null",
    "zeros": "/dev/zero",
    "full": "/dev/full",
    "memory": "/proc/self/mem",
    "a pipe": "pipe",
    "a pipe that is a spec": "pipe.yaml",
    "a pipe of rows": "pipe.jsonl",
    "below a file": "task.yaml/x",
    "below a device": "/dev/null/x",
    "below proc": "/proc/x",
    "NUL": "a\0b",
    "NUL in a spec's name": "a\0b.yaml",
    "NUL in a file of rows": "a\0b.jsonl",
    "a line end": "a\nb",
    "a line end in a spec's name": "a\nerror: b.yaml",
    "ESC": "\x1b[31mred\x1b[0m",
    "a bell in a spec's name": "\x07.yaml",
    "bytes that are no UTF-8": os.fsdecode(b"\xff\xfe"),
    "a spec's name that is no UTF-8": os.fsdecode(b"\xff.yaml"),
    "rows whose name is no UTF-8": os.fsdecode(b"\xff.jsonl"),
    "a lone surrogate": "\ud800.yaml",
    "a name of 5,000 characters": "n" * 5000 + ".yaml",
    "a path of 5,000 folders": "d/" * 5000 + "x.jsonl",
    "100,000 characters": "a" * 100_000,
    "100,000 points": "." * 100_000,
    "brackets": "[" * 5000,
    "a pattern": "*",
    "a pattern of everything": "/**/*.none",
    "an open bracket": "[",
    "a user's home": "~",
    "a variable": "$HOME",
    "an address of nothing": "s3://",
    "an address of memory": "memory://",
    "an unknown address": "nowhere://x/y",
    "a chain of addresses": "zip::file:///nothing.zip",
    "an address of a file": "file:///",
    "a port that is none": "http://127.0.0.1:99999/x",
    "an address with a line end": "http://a\nb/",
    "an address of six": "http://[::1",
    "0": "0",
    "minus one": "-1",
    "a fraction": "0.5",
    "a large number": "9" * 400,
    "more digits than Python reads": "9" * 5000,
    "a large part": "1/" + "9" * 30,
    "nan": "nan",
    "infinity": "inf",
    "minus infinity": "-inf",
    "1e999": "1e999",
    "1e308": "1e308",
    "Arabic digits": "٣",
    "superscript": "²",
    "underscores": "1_0",
    "hexadecimal": "0x10",
    "a fraction of none": "1/0",
    "a part": "1/2",
    "a comma": ",",
    "empty items": "a,,b",
    "settings without a value": "csv,delimiter=",
    "a setting there is not": "jsonl,x=y",
    "an encoding there is not": "csv,encoding=nothing",
    "an encoding that is no text": "csv,encoding=hex",
    "a delimiter of two": "csv,delimiter=ab",
    "a delimiter that is a line end": "csv,delimiter=\n",
    "an equals sign": "=",
    "braces": "{}",
    "braces of a template": "{0.__class__}",
    "a percent sign": "%s%(x)s%",
    "a quote": "'\"`",
    "markup": "<script>alert(1)</script>",
    "true": "true",
    "null as a word": "null",
    "a path into records": "record.reference",
    "a path that is none": "a[",
    "a path without an end": "a" + ".a" * 2000,
    "an expression": "equal | equal",
    "a scorer of a pack": "pack.yaml:same",
    "a primitive": "equal",
    "a suite": "megabench-suite",
    "a spec": "task.yaml",
    "a pack": "pack.yaml",
    "rows": "data.jsonl",
    "references": "references.jsonl",
    "a broken gz": "broken.jsonl.gz",
    "a file of another tool": "metrics.json",
    "a run": "run",
    "a bundle": "run.zip",
    "a cache": "cache.sqlite",
    "a picture": "picture.png",
    "half a run": "half",
    "an option": "--force",
    "an id of a finding": "no-such-path",
}

_RUN = ["run"]
GOOD: dict[str, list[str]] = {
    "check": ["task.yaml", "--against", "task.yaml", "--data", "data.jsonl"],
    "score": ["task.yaml", "data.jsonl"],
    "merge": ["parts"],
    "completion": ["bash"],
    "compare": ["run", "other"],
    "diff": ["task.yaml", "task.yaml", "--data", "data.jsonl"],
    "verify": _RUN,
    "bundle": ["run", "-o", "new/run.zip"],
    "cite": ["task.yaml"],
    "sign": ["pack.yaml", "--statement"],
    "test": ["pack.yaml"],
    "audit": ["task.yaml", "data.jsonl"],
    "conformance": ["cases"],
    "release": ["pack.yaml", "--dry-run", "--against", "pack.yaml"],
    "add": ["pack.yaml"],
    "upgrade": ["p"],
    "remove": ["p"],
    "lock": ["pack.yaml"],
    "explain": ["task.yaml", "data.jsonl"],
    "list": ["packs"],
    "site": ["pack.yaml", "-o", "new/site"],
    "fmt": ["pack.yaml"],
    "new": ["task", "new/task.yaml"],
    "convert": ["metrics.json"],
    "export": ["openmetrics", "run", "-o", "new/metrics.prom"],
    "init": ["ci", "-o", "new/ci.yml"],
    "judge calibrate": ["run", "--labels", "label"],
    "judge agreement": ["run", "other"],
    "judge-cache": ["list", "cache.sqlite"],
    "generate": ["--check"],
}
"""Arguments with which each command comes to its end."""
GOES_ON = {"serve", "lsp", "mcp", "studio"}
"""Commands that go on until they are ended; `tests/extensions/serving`, `editors`, `agents` and `studio` try what they
refuse."""

ENDLESS = ("--help", "--watch")
"""Options with which nothing else is read, or that go on; `tests/extensions/terminal` tries what `--watch` refuses."""

# What writes where it reads, and so is not let loose on what is not its own.
_WRITES_IN_PLACE = ("fmt", "lock", "add")
_ELSEWHERE = ("..", "/", "~", "$HOME", "/**/*.none", "file:///")


@dataclass(frozen=True)
class Call:
    """One call of the command line.

    Args:
        name: What is odd about it.
        arguments: The arguments.
    """

    name: str
    arguments: tuple[str, ...]


def calls() -> Iterator[Call]:
    """Every argument of every command with every odd value, beside arguments that are in order."""
    for name, odd in ODD.items():
        for command in GOOD:
            if command in _WRITES_IN_PLACE and odd in _ELSEWHERE:
                continue
            for what, arguments in _with(command, odd):
                yield Call(f"{command}, {what}: {name}", (*command.split(), *arguments))
        yield Call(f"as a command, {name}", (odd,))
        yield Call(f"as an option, {name}", ("score", f"--{odd}", "task.yaml"))


def _with(command: str, odd: str) -> Iterator[tuple[str, list[str]]]:
    """A value in every place of a command's arguments."""
    good = GOOD[command]
    for place, value in enumerate(good):
        if not value.startswith("-"):
            yield f"argument {place + 1}", [*good[:place], odd, *good[place + 1 :]]
    yield "one more", [*good, odd]
    for action in _actions(command):
        option = max(action.option_strings, key=len, default="")
        if option and action.nargs != 0:
            yield option, [*good, option, *[odd] * (action.nargs if isinstance(action.nargs, int) else 1)]
            yield f"{option}=", [*good, f"{option}={odd}"]
        elif option and option not in ENDLESS:
            yield f"{option} and one more", [*good, option, odd]


@cache
def _actions(command: str) -> list[argparse.Action]:
    words = command.split()
    parser = CommandParser(prog="scoring", allow_abbrev=False)
    _command(words[0], COMMANDS[words[0]][0]).configure(parser)
    for word in words[1:]:
        parser = next(one.choices for one in parser._actions if isinstance(one.choices, dict))[word]
    return parser._actions


SPEC = "kind: task\nname: t\nversion: 1.0.0\nscore: casefold | equal\n"


def desk(folder: Path) -> None:
    """A folder in which every good call comes to its end, and the odd things that values name."""
    (folder / "task.yaml").write_text(SPEC)
    (folder / "secret.txt").write_text("somebody's own")
    (folder / "pack.yaml").write_text(
        "kind: pack\nname: p\nversion: 1.0.0\nscorers:\n  same: {score: equal, doc: Same.}\n"
    )
    rows = [{"id": n, "response": "a", "reference": "ab"[n % 2], "label": n % 2} for n in range(6)]
    (folder / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "references.jsonl").write_text("".join(json.dumps({"id": n, "reference": "a"}) + "\n" for n in range(6)))
    (folder / "metrics.json").write_text('{"field_score_function": {"a": "exact_str_match"}}')
    (folder / "broken.jsonl.gz").write_bytes(b"\x1f\x8b\x08\x00 broken")
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (folder / "pyproject.toml").write_text("")
    for name in ("folder", "nothing", "new", "half"):
        (folder / name).mkdir()
    (folder / "folder" / "task.yaml").write_text(SPEC)
    (folder / "cases").mkdir()
    case = {"name": "one", "rules": ["E-1"], "text": SPEC, "expect": {"warned": "no-score"}}
    (folder / "cases" / "some.json").write_text(json.dumps({"section": "some", "cases": [case]}))
    (folder / "half" / "manifest.json").write_text("{}")
    (folder / "project").mkdir()
    (folder / "project" / "scoring.toml").write_text('[packs]\np = {folder = ".."}\n')
    os.symlink("circle", folder / "circle")
    os.symlink("nowhere", folder / "broken")
    os.symlink("task.yaml", folder / "link.yaml")
    for name in ("pipe", "pipe.yaml", "pipe.jsonl"):
        os.mkfifo(folder / name)
    for arguments in (
        ["score", "task.yaml", "data.jsonl", "-o", "run"],
        ["score", "task.yaml", "data.jsonl", "-o", "other"],
        ["score", "task.yaml", "data.jsonl", "--parts", "parts"],
        ["bundle", "run", "-o", "run.zip"],
        ["judge-cache", "import", "cache.sqlite", "/dev/null"],
    ):
        with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
            assert main(arguments) == 0, arguments


def kept(folder: Path) -> dict[str, bytes]:
    """What no call may change: what it was given to read."""
    names = ("task.yaml", "data.jsonl", "references.jsonl", "metrics.json", "pack.yaml", "run.zip", "picture.png")
    runs = [path for one in ("run", "other", "parts") for path in sorted((folder / one).iterdir())]
    return {str(path.relative_to(folder)): path.read_bytes() for path in [*(folder / name for name in names), *runs]}


class Hang(BaseException):
    """A call took too long."""


def _hangs(*_: object) -> None:
    raise Hang


def ended(call: Call, folder: Path) -> tuple[int | None, str, str | None]:
    """How a call ended: its status, all that it said, and how it breaks the law."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace") for _ in range(2))
    before = signal.signal(signal.SIGALRM, _hangs)
    stdin, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(b"kind: task\n"))
    signal.alarm(SECONDS)
    status: int | None = None
    how = None
    try:
        with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main(call.arguments)
    except Hang:
        how = f"took more than {SECONDS} seconds"
    except BaseException as error:  # the law is that none comes out
        how = f"raised {type(error).__name__}: {str(error)[:200]}"
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
        sys.stdin = stdin
    out.flush()
    err.flush()
    told, result = (stream.buffer.getvalue().decode() for stream in (err, out))  # ours
    return status, told + result, how or _fault(call.arguments[0], status, told, result)


def _fault(command: str, status: int | None, told: str, result: str) -> str | None:
    """How what a command said breaks the law."""
    line: bool | str = told.startswith("scoring: ") and told.count("\n") <= 2 and told.strip("scoring: \n")
    # Where 1 says that something differs, a spec that is not in order is 2 (docs/exit-codes.md), with its findings.
    line = line or (command == "diff" and (told + result).startswith("error["))
    faults = {
        f"told of a bug: {told[:300]}": "bug in scoring" in told or "Traceback" in told,
        f"ended with {status}": status not in (0, 1, 2, 3),
        f"ended with 2 and said {told[:300]!r}": status == 2 and not line,
        "ended with findings and showed none": status == 1 and not (told + result).strip(),
        f"wrote a control character: {(told + result)[:300]!r}": _CONTROL.search(told + result) is not None,
        f"said {len(told):,} characters: {told[:100]}": len(told) > MOST_SAID,
    }
    return next((fault for fault, is_one in faults.items() if is_one), None)


def tried(some: Sequence[Call], folder: Path) -> Iterator[tuple[Call, str]]:
    """The calls that break the law, and how; each is made in a folder in order."""
    desk(folder)
    before = kept(folder)
    for call in some:
        how = ended(call, folder)[2]
        if how is None and kept(folder) != before:
            how = "changed what it was given to read"
        if how is not None:
            yield call, how
            shutil.rmtree(folder)
            folder.mkdir()
            desk(folder)
            before = kept(folder)
        shutil.rmtree(folder / "new")
        (folder / "new").mkdir()


if __name__ == "__main__":
    seed, count = (int(one) for one in [*sys.argv[1:], "0", "0"][:2])
    chosen = list(calls())
    if seed:
        random.Random(seed).shuffle(chosen)
    with tempfile.TemporaryDirectory() as place:
        number = 0
        for call, how in tried(chosen[: count or None], Path(place)):
            number += 1
            print(f"{call.name}\n    {how}", flush=True)
        print(f"{len(chosen[: count or None]):,} calls, {number} broken")
