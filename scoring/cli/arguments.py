"""Declaration of commands and shared arguments; options are passed to verbs by name."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from math import isnan, nan
from typing import Any, TypeAlias

from scoring.cli.console import Console

Argument: TypeAlias = Callable[[argparse.ArgumentParser], object]
"""Adds itself to a parser."""
RunCommand: TypeAlias = Callable[[argparse.Namespace, Console], int | None]
"""Runs a command with its options and returns the exit code; None means 0."""


@dataclass(frozen=True, slots=True)
class Command:
    """The arguments of a command, and the function that runs it."""

    arguments: tuple[Argument, ...]
    run: RunCommand

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Add its arguments to a parser."""
        for add in self.arguments:
            add(parser)


DECLARED: dict[str, Command] = {}
"""The commands of the modules that were imported, by name."""


def command(name: str, *arguments: Argument) -> Callable[[RunCommand], RunCommand]:
    """Declare a command, with its arguments in the order of its help."""

    def declared(run: RunCommand) -> RunCommand:
        DECLARED[name] = Command(arguments, run)
        return run

    return declared


def argument(*names: str, **settings: Any) -> Argument:
    """Return an argument, as `add_argument` takes it."""
    return lambda parser: parser.add_argument(*names, **settings)


def either(*arguments: Argument, required: bool = False) -> Argument:
    """Arguments of which one is given at most."""

    def add(parser: argparse.ArgumentParser) -> None:
        group: Any = parser.add_mutually_exclusive_group(required=required)
        for one in arguments:
            one(group)

    return add


def whole(text: str, least: int) -> int:
    """Return a whole number from some least one on.

    Examples:
        >>> whole("20", 0)
        20
    """
    try:
        number = int(text)
    except ValueError:
        number = least - 1
    if not least <= number <= sys.maxsize:
        most = f" and {sys.maxsize:,} at most" if number > sys.maxsize else ""
        such = f", such as {max(least, 4)}" if text and not text.lstrip("-").isdigit() else ""
        raise argparse.ArgumentTypeError(f"expected a whole number, {least} or more{most}{such}, found {text!r:.100}")
    return number


def named(text: str) -> str:
    """Return the name of a file or folder, which an unset variable of a shell script is not."""
    if not text.strip():
        raise argparse.ArgumentTypeError("expected a name, found an empty text")
    return text


def folder(text: str) -> str:
    """Return the name of a folder to write, which that of a file is not: the folder of a run called `out.json` is no
    JSON."""
    name, dot, ending = named(text).rpartition(".")
    if dot and ending.lower() in _FILES and not os.path.exists(text):
        as_file = f", or `--json > {text}` for the figures alone" if ending.lower() == "json" else ""
        page = " --html" if ending.lower() == "html" else ""
        raise argparse.ArgumentTypeError(f"expected a folder, found the file {text}; write `-o {name}{page}`{as_file}")
    return text


_FILES = frozenset(("json", "jsonl", "csv", "tsv", "html", "parquet", "arrow", "txt", "md", "xlsx", "yaml", "yml"))


def share(text: str) -> float:
    """Return a number from 0 to 1."""
    try:
        number = float(text.removesuffix("%"))
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1 or text.endswith("%"):
        meant = f"; write {number / 100:g}" if 0 <= number <= 100 else ""
        raise argparse.ArgumentTypeError(f"expected a share, from 0 to 1, found {text!r}{meant}")
    return number


def limit(text: str) -> tuple[str, float]:
    """Return a figure with what it must be, `NAME=VALUE`; the name may hold an `=` itself.

    Raises:
        ArgumentTypeError: when it is none.
    """
    name, _, value = text.rpartition("=")
    try:
        number = float(value)
    except ValueError:
        number = nan
    if not name.strip() or isnan(number):
        help_text = ", a share as 0.8" if value.endswith("%") else ""
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, such as `mean=0.8`{help_text}, found {text!r:.80}")
    return name.strip(), number


def accepted(text: str) -> tuple[str, str]:
    """Return a definition and the reason for which the author vouches, `NAME=WHY`.

    Raises:
        ArgumentTypeError: when it has no reason.
    """
    name, sign, why = text.partition("=")
    if not sign or not name.strip() or not why.strip():
        raise argparse.ArgumentTypeError(f"expected NAME=WHY, such as `near=only its text changed`, found {text!r:.80}")
    return name.strip(), why.strip()


class _Dialects:
    """Every dialect there is, those of other packages among them; looked up only when the option is used or shown."""

    def __iter__(self) -> Iterator[str]:
        from scoring.api.locked import dialect_names

        return dialect_names()


FROM_0, FROM_1 = partial(whole, least=0), partial(whole, least=1)

SPECS = argument("specs", nargs="+", metavar="SPEC", help="spec files, or folders of them")
_REFERENCES = argument(
    "--references", type=named, metavar="FILE", help="references, joined to the predictions in DATA by id"
)
ABOUT_DATA = (
    _REFERENCES,
    argument(
        "--input-format", metavar="FORMAT", help="format of DATA, such as `csv` or `csv,delimiter=tab,encoding=latin-1`"
    ),
    argument("--limit", type=FROM_1, metavar="N", help="only the first N records"),
)
DATA = (
    argument(
        "data",
        nargs="?",
        metavar="DATA",
        help="JSONL, JSON, CSV, TSV, Parquet or Arrow, also .gz and .zst; `-` reads stdin; SCORING_LIMITS bounds it",
    ),
    *ABOUT_DATA,
)
DIALECT = argument(
    "--dialect",
    choices=_Dialects(),
    metavar="NAME",
    help="what the names in a task file of a foreign form mean: %(choices)s (default: the first)",
)
MIN_COVERAGE = argument(
    "--min-coverage",
    type=share,
    default=0.5,
    metavar="SHARE",
    help="exit with 3 where a smaller share of the records has a score (default: 0.5)",
)
_GATE = {"action": "append", "type": limit, "default": [], "metavar": "NAME=VALUE"}
GATES = (
    argument("--min", **_GATE, help="exit with 4 where this figure is less; can be given several times"),
    argument("--max", **_GATE, help="exit with 4 where this figure is more, as of errors; can be given several times"),
)
LOCKED = argument(
    "--locked", action="store_const", const=True, help="refuse a spec that is not as its lock file pins it"
)
FROZEN = argument(
    "--frozen", action="store_true", help="refuse a project whose lock is missing or does not fit; write nothing"
)
ONLY_SPECS = argument(
    "--only-specs",
    action="store_true",
    help="leave out files that say no `kind:` of ours, and what others installed; none is no mistake",
)
RUN_FOLDER = argument("-o", "--output", type=folder, metavar="FOLDER", help="write the run folder")
REPLACE_RUN = argument("--force", action="store_true", help="replace an older run in the folder")
FORCE = argument("--force", action="store_true", help="replace an existing file")
STRICT = argument("--strict", action="store_true", help="warnings are findings too")
PROCESSES = {"default": 1, "metavar": "N", "help": "score in N processes (default: 1)"}
PLACES = (
    argument(
        "--root",
        type=named,
        metavar="FOLDER",
        help="the folder from which recorded names count (default: the current one)",
    ),
    argument(
        "--data",
        type=named,
        metavar="FILE",
        help="the data, where they are not where the run says; also what came through a pipe or was in memory",
    ),
    _REFERENCES,
)
SUITE = (
    argument(
        "--tasks", type=named, metavar="PATH", help="the tasks of a suite: a folder, or a file whose rows are tasks"
    ),
    argument("--attributes", type=named, metavar="FILE", help="attributes of a suite's tasks, by task name"),
    argument("--results", type=named, metavar="FILE", help="compute a suite from these task results instead of DATA"),
)
ACCEPT = argument(
    "--accept",
    action="append",
    type=accepted,
    default=[],
    metavar="NAME=WHY",
    help="a definition that differs, and of which no input was found that moves: why none does",
)
JSON = argument("--json", action="store_true", help="print JSON")
FORM = either(
    JSON,
    argument(
        "--as",
        dest="form",
        choices=("text", "html", "markdown"),
        default="text",
        help="print a page or Markdown instead",
    ),
)


def findings_as(*reports: str) -> Argument:
    """Return the option for the format of findings; with reports, findings can also be printed for another program."""
    told = f"; {' and '.join(reports)} {'are' if len(reports) > 1 else 'is'} the whole output" if reports else ""
    choices = ("text", "concise", "json", "github", *reports)
    return argument("--format", choices=choices, default="text", help=f"how findings are shown (default: text){told}")


def judged(parser: argparse.ArgumentParser) -> None:
    """Add the options of tasks with a judge, if an extension provides judges."""
    from scoring.api import judge_arguments

    judge_arguments(parser)


_OF_US = ("json", "form", "format", "min_coverage", "min", "max")


def given(options: argparse.Namespace, *but: str, **more: Any) -> dict[str, Any]:
    """Return the options for a verb by parameter name, with the judge's options as one object.

    Args:
        options: The options.
        but: What only the command is told, beside how the result is shown.
        more: What the verb is told beside it, or in its place.
    """
    said = {name: value for name, value in vars(options).items() if name not in (*_OF_US, *but)}
    judge = {name.removeprefix("judge_"): said.pop(name) for name in [*said] if name.startswith("judge_")}
    if judge:
        from scoring.api import JudgeOptions

        said["judge"] = JudgeOptions(**judge)
    return {**said, **more}
