"""Declare commands, and the arguments that several of them share; options are passed to API functions by name."""

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
        """Add the command's arguments to a parser."""
        for add in self.arguments:
            add(parser)


DECLARED: dict[str, Command] = {}
"""The commands of the modules that were imported, by name."""


def command(name: str, *arguments: Argument) -> Callable[[RunCommand], RunCommand]:
    """Decorate the function that runs a command, and register it with its arguments, in the order of its help."""

    def declared(run: RunCommand) -> RunCommand:
        DECLARED[name] = Command(arguments, run)
        return run

    return declared


def argument(*names: str, **settings: Any) -> Argument:
    """Return a function that adds an argument to a parser; the arguments are those of `add_argument`."""
    return lambda parser: parser.add_argument(*names, **settings)


def either(*arguments: Argument, required: bool = False) -> Argument:
    """Return a function that adds mutually exclusive arguments to a parser; if `required`, one must be given."""

    def add(parser: argparse.ArgumentParser) -> None:
        group: Any = parser.add_mutually_exclusive_group(required=required)
        for one in arguments:
            one(group)

    return add


def whole(text: str, least: int) -> int:
    """Parse an integer that is at least `least`, for argparse.

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
    """Return the name of a file or folder unchanged; refuse an empty one, as from an unset shell variable."""
    if not text.strip():
        raise argparse.ArgumentTypeError("expected a name, found an empty text")
    return text


def folder(text: str) -> str:
    """Return the name of a folder to write unchanged; refuse one that looks like a file, such as `out.json`, unless it
    exists."""
    name, dot, ending = named(text).rpartition(".")
    if dot and ending.lower() in _FILES and not os.path.exists(text):
        as_file = f", or `--json > {text}` for the figures alone" if ending.lower() == "json" else ""
        page = " --html" if ending.lower() == "html" else ""
        raise argparse.ArgumentTypeError(f"expected a folder, found the file {text}; write `-o {name}{page}`{as_file}")
    return text


_FILES = frozenset(("json", "jsonl", "csv", "tsv", "html", "parquet", "arrow", "txt", "md", "xlsx", "yaml", "yml"))


def share(text: str) -> float:
    """Parse a number from 0 to 1, for argparse."""
    try:
        number = float(text.removesuffix("%"))
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1 or text.endswith("%"):
        meant = f"; write {number / 100:g}" if 0 <= number <= 100 else ""
        raise argparse.ArgumentTypeError(f"expected a share, from 0 to 1, found {text!r}{meant}")
    return number


def limit(text: str) -> tuple[str, float]:
    """Parse a figure and its limit from `NAME=VALUE`; the name may contain an `=` itself.

    Raises:
        ArgumentTypeError: when the text does not have this form, or the value is not a number.
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
    """Parse a definition's name and the author's reason for accepting its change from `NAME=WHY`.

    Raises:
        ArgumentTypeError: when the name or the reason is missing.
    """
    name, sign, why = text.partition("=")
    if not sign or not name.strip() or not why.strip():
        raise argparse.ArgumentTypeError(f"expected NAME=WHY, such as `near=only its text changed`, found {text!r:.80}")
    return name.strip(), why.strip()


class _Dialects:
    """The names of all dialects, including those of other packages; looked up only when the option is used or shown."""

    def __iter__(self) -> Iterator[str]:
        from scoring.api.locked import dialects

        return dialects()


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
    """Return the option for the format of findings; `reports` are further formats, which make up the whole output."""
    told = f"; {' and '.join(reports)} {'are' if len(reports) > 1 else 'is'} the whole output" if reports else ""
    choices = ("text", "concise", "json", "github", *reports)
    return argument("--format", choices=choices, default="text", help=f"how findings are shown (default: text){told}")


def judged(parser: argparse.ArgumentParser) -> None:
    """Add the options of a judge to a parser, if an extension provides judges."""
    from scoring.api import judge_arguments

    judge_arguments(parser)


_OF_US = ("json", "form", "format", "min_coverage", "min", "max")


def given(options: argparse.Namespace, *but: str, **more: Any) -> dict[str, Any]:
    """Return the command's options as keyword arguments of an API function, with the judge's options as one object.

    Args:
        options: The parsed options.
        but: The names of further options that only the command uses; those about the output are always left out.
        more: Keyword arguments to add or to replace.
    """
    said = {name: value for name, value in vars(options).items() if name not in (*_OF_US, *but)}
    judge = {name.removeprefix("judge_"): said.pop(name) for name in [*said] if name.startswith("judge_")}
    if judge:
        from scoring.api import JudgeOptions

        said["judge"] = JudgeOptions(**judge)
    return {**said, **more}
