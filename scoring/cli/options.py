"""The options that several commands share, each declared once, and what they say for the API."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scoring.api.judges import JudgeOptions


def whole(text: str, least: int) -> int:
    """A whole number from some least one on.

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
        raise argparse.ArgumentTypeError(f"expected a whole number, {least} or more{most}, found {text!r:.100}")
    return number


def named(text: str) -> str:
    """The name of a file or folder, which an unset variable of a shell script is not.

    Examples:
        >>> named("runs/a")
        'runs/a'
    """
    if not text.strip():
        raise argparse.ArgumentTypeError("expected a name, found an empty text")
    return text


def share(text: str) -> float:
    """A number from 0 to 1.

    Examples:
        >>> share("0.5")
        0.5
    """
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"expected a share, from 0 to 1, found {text!r}")
    return number


FROM_0, FROM_1 = partial(whole, least=0), partial(whole, least=1)


class _Dialects:
    """Every dialect there is, those of other packages among them; looked up only when the option is used or shown."""

    def __contains__(self, name: object) -> bool:
        return any(name == known for known in self)

    def __iter__(self) -> Iterator[str]:
        from scoring.api.listing import dialects

        return dialects()


_SHARED: dict[str, dict[str, Any]] = {
    "specs": {"nargs": "+", "metavar": "SPEC", "help": "spec files, or folders of them"},
    "data": {
        "nargs": "?",
        "metavar": "DATA",
        "help": "JSONL, JSON, CSV, TSV, Parquet or Arrow, also .gz and .zst; `-` reads stdin; SCORING_LIMITS bounds it",
    },
    "--references": {"type": named, "metavar": "FILE", "help": "references, joined to the predictions in DATA by id"},
    "--input-format": {
        "metavar": "FORMAT",
        "help": "format of DATA, such as `csv` or `csv,delimiter=tab,encoding=latin-1`",
    },
    "--limit": {"type": FROM_1, "metavar": "N", "help": "only the first N records"},
    "--dialect": {
        "choices": _Dialects(),
        "metavar": "NAME",
        "help": "what the names in a task file of a foreign form mean: %(choices)s (default: the first)",
    },
    "--min-coverage": {
        "type": share,
        "default": 0.5,
        "metavar": "SHARE",
        "help": "exit with 3 where a smaller share of the records has a score (default: 0.5)",
    },
    "--locked": {"action": "store_true", "help": "refuse a spec that is not as its lock file pins it"},
    "--frozen": {
        "action": "store_true",
        "help": "refuse a project whose lock is missing or does not fit; write nothing",
    },
    "--format": {
        "choices": ("text", "concise", "json", "github"),
        "default": "text",
        "help": "how findings are shown (default: text)",
    },
    "--only-specs": {
        "action": "store_true",
        "help": "leave out files that say no `kind:` of ours, and what others installed; none is no mistake",
    },
    "--force": {"action": "store_true", "help": "replace an existing file"},
    "--root": {
        "type": named,
        "metavar": "FOLDER",
        "help": "the folder from which recorded names count (default: the current one)",
    },
    "--spec": {"type": named, "metavar": "FILE", "help": "the spec, where it is not where its recorded name says"},
    "--data": {
        "type": named,
        "metavar": "FILE",
        "help": "the data likewise; also what came through a pipe or was in memory",
    },
    "--tasks": {
        "type": named,
        "metavar": "PATH",
        "help": "the tasks of a suite: a folder, or a file whose rows are tasks",
    },
    "--attributes": {"type": named, "metavar": "FILE", "help": "attributes of a suite's tasks, by task name"},
    "--results": {"type": named, "metavar": "FILE", "help": "compute a suite from these task results instead of DATA"},
}


def accepted(text: str) -> tuple[str, str]:
    """What an author answers for, `NAME=WHY`.

    Raises:
        ArgumentTypeError: when it has no reason.
    """
    name, sign, why = text.partition("=")
    if not sign or not name.strip() or not why.strip():
        raise argparse.ArgumentTypeError(f"expected NAME=WHY, such as `near=only its text changed`, found {text!r:.80}")
    return name.strip(), why.strip()


ACCEPT: dict[str, Any] = {
    "action": "append",
    "type": accepted,
    "default": [],
    "metavar": "NAME=WHY",
    "help": "a definition that differs, and of which no input was found that moves: why none does",
}
"""The option of what an author answers for."""
DATA = ("data", "--references", "--input-format", "--limit")
PLACES = ("--root", "--spec", "--data", "--references")
SUITE = ("--tasks", "--attributes", "--results")


def add(parser: argparse.ArgumentParser, *names: str) -> None:
    """Some of the shared arguments, in that order."""
    for name in names:
        parser.add_argument(name, **_SHARED[name])


def add_reports(parser: argparse.ArgumentParser, *kinds: str) -> None:
    """How findings are shown by a command whose result they are: also as a file for another program."""
    settings = _SHARED["--format"]
    told = f"{settings['help']}; {' and '.join(kinds)} {'are' if len(kinds) > 1 else 'is'} the whole output"
    parser.add_argument("--format", **{**settings, "choices": (*settings["choices"], *kinds), "help": told})


def add_form(parser: argparse.ArgumentParser) -> None:
    """How a result is printed: the options that all commands with one share."""
    either = parser.add_mutually_exclusive_group()
    either.add_argument("--json", action="store_true", help="print JSON")
    either.add_argument(
        "--as",
        dest="form",
        choices=("text", "html", "markdown"),
        default="text",
        help="print a page or Markdown instead",
    )


def picked(options: argparse.Namespace, *names: str) -> dict[str, Any]:
    """Some of what was given, by name, for a verb."""
    return {name: getattr(options, name) for name in names}


def given_data(options: argparse.Namespace) -> dict[str, Any]:
    """What the arguments of `DATA` say, for a verb."""
    return picked(options, "data", "references", "input_format", "limit")


_JUDGE: dict[str, dict[str, Any]] = {
    "url": {"metavar": "URL", "help": "an OpenAI-compatible server (SCORING_JUDGE_URL)"},
    "model": {"metavar": "NAME", "help": "the model, or several with commas between (SCORING_JUDGE_MODEL)"},
    "cache": {"type": named, "metavar": "FILE", "help": "keeps every call (SCORING_JUDGE_CACHE)"},
    "replay": {"action": "store_true", "help": "answer from the cache alone, without a network"},
    "workers": {"type": FROM_1, "metavar": "N", "help": "records judged at once (default: 8)"},
    "seed": {"type": FROM_0, "metavar": "N", "help": "the seed that the model is sent"},
    "restarts": {"type": FROM_0, "metavar": "N", "help": "how often an invalid reply starts anew"},
    "prices": {
        "type": float,
        "nargs": 2,
        "metavar": ("IN", "OUT"),
        "help": "price of a million tokens read and written",
    },
    "timeout": {"type": float, "metavar": "SECONDS", "help": "how long any step of a call may wait (default: 120)"},
}


def add_judge(parser: argparse.ArgumentParser) -> None:
    """The options of tasks that ask a judge."""
    group = parser.add_argument_group("judge", "for tasks that ask a model; SCORING_JUDGE_KEY holds the key")
    for name, settings in _JUDGE.items():
        group.add_argument(f"--judge-{name}", **settings)


def judge_options(options: argparse.Namespace) -> JudgeOptions:
    """What the options of `add_judge` say."""
    from scoring.api.judges import JudgeOptions

    return JudgeOptions(**{name: getattr(options, f"judge_{name}") for name in _JUDGE})
