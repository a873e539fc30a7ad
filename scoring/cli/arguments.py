"""Declare commands, and the arguments that several of them share; options are passed to API functions by name.

What a command passes on is made from the parameters of the function that it calls (`scoring/cli/options.py`); what is
declared here belongs to the command line alone: how results are printed, and which exit code they give.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from msgspec import Struct

from scoring.cli.console import LAYOUTS, Console
from scoring.cli.values import limit, share

Argument: TypeAlias = Callable[[argparse.ArgumentParser], object]
"""Adds itself to a parser."""
RunCommand: TypeAlias = Callable[[argparse.Namespace, Console], int | None]
"""Runs a command with its options and returns the exit code; None means 0."""


class Command(Struct, frozen=True):
    """A command of the command line: its arguments, and the function that runs it."""

    arguments: tuple[Argument, ...]
    run: RunCommand

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's arguments to a parser."""
        for add in self.arguments:
            add(parser)


DECLARED: dict[str, Command] = {}
"""The commands of the modules that were imported, by name."""


def command(name: str, *arguments: Argument) -> Callable[[RunCommand], RunCommand]:
    """Return a decorator that registers a function as the one that runs the command `name` with these arguments."""

    def declared(run: RunCommand) -> RunCommand:
        DECLARED[name] = Command(arguments, run)
        return run

    return declared


def argument(*names: str, **settings: Any) -> Argument:
    """Return a function that adds an argument to a parser, by passing it these names and settings (`add_argument`)."""
    return lambda parser: parser.add_argument(*names, **settings)


def either(*arguments: Argument, required: bool = False) -> Argument:
    """Return a function that adds mutually exclusive arguments to a parser; if `required`, one must be given."""

    def add(parser: argparse.ArgumentParser) -> None:
        group: Any = parser.add_mutually_exclusive_group(required=required)
        for one in arguments:
            one(group)

    return add


DATA = argument(
    "data",
    nargs="?",
    metavar="DATA",
    help="JSONL, JSON, CSV, TSV, Parquet or Arrow, also .gz and .zst; `-` reads stdin; SCORING_LIMITS bounds it",
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
STRICT = argument("--strict", action="store_true", help="warnings are findings too")
WATCH = argument("--watch", action="store_true", help="run again whenever a file that was read changes, until Ctrl-C")
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


class _Formats(Struct, frozen=True):
    """The choices of `--format`: the formats of findings, `reports`, and last the reports of other packages."""

    reports: tuple[str, ...]

    def __iter__(self) -> Iterator[str]:
        from scoring.report.findings import other_reports

        yield from (*LAYOUTS, *self.reports)
        yield from other_reports() if self.reports else ()


def findings_as(*reports: str) -> Argument:
    """Return the option `--format` of findings; `reports` are further formats, which are then the whole output."""
    note = f"; {' and '.join(reports)} {'are' if len(reports) > 1 else 'is'} the whole output" if reports else ""
    shown, names = f"how findings are shown (default: text){note}", f"{{{','.join((*LAYOUTS, *reports))}}}"
    return argument("--format", choices=_Formats(reports), default="text", metavar=names, help=shown)


def judge_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a judge to a parser, if an extension provides judges."""
    from scoring.api import judge_arguments

    judge_arguments(parser)


_OF_US = ("json", "form", "format", "min_coverage", "min", "max", "watch")


def api_arguments(options: argparse.Namespace, *but: str, **more: Any) -> dict[str, Any]:
    """Return the command's options as keyword arguments of an API function, with the judge's options as one object.

    Args:
        options: The parsed options.
        but: The names of further options that only the command uses; those about the output are always left out.
        more: Keyword arguments to add or to replace.
    """
    arguments = {name: value for name, value in vars(options).items() if name not in (*_OF_US, *but)}
    judge = {name.removeprefix("judge_"): arguments.pop(name) for name in [*arguments] if name.startswith("judge_")}
    if judge:
        from scoring.api import JudgeOptions

        arguments["judge"] = JudgeOptions(**judge)
    return {**arguments, **more}
