"""The options that several commands share, and what they say for the API."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from scoring.cli.numbers import from_zero

if TYPE_CHECKING:
    from scoring.api.judges import JudgeOptions

WORKERS = 8


def add_data(parser: argparse.ArgumentParser) -> None:
    """The arguments that name records."""
    parser.add_argument(
        "data",
        nargs="?",
        metavar="DATA",
        help="JSONL, JSON, CSV, TSV, Parquet or Arrow, also .gz and .zst; `-` reads stdin",
    )
    add_sides(parser)
    parser.add_argument("--limit", type=from_zero, metavar="N", help="only the first N records")


def add_sides(parser: argparse.ArgumentParser) -> None:
    """What else is said of records: where their references are, and how they are written."""
    parser.add_argument("--references", metavar="FILE", help="references, joined to the predictions in DATA by id")
    parser.add_argument(
        "--input-format", metavar="FORMAT", help="format of DATA, such as `csv` or `csv,delimiter=tab,encoding=latin-1`"
    )


def given_data(options: argparse.Namespace) -> dict[str, Any]:
    """What the arguments of `add_data` say, for a verb."""
    names = ("data", "references", "input_format", "limit")
    return {name: getattr(options, name) for name in names if hasattr(options, name)}


def add_dialect(parser: argparse.ArgumentParser) -> None:
    """The option for foreign formats."""
    parser.add_argument(
        "--dialect",
        type=_dialect,
        choices=_Dialects(),
        default="",  # which argparse gives to `type`, and only where the command runs
        metavar="NAME",
        help="what the names in a task file of a foreign form mean: %(choices)s (default: the first)",
    )


def _dialect(name: str) -> str:
    return name or next(iter(_Dialects()))


class _Dialects:
    """Every dialect there is, those of other packages among them; looked up only when the option is used or shown."""

    def __contains__(self, name: object) -> bool:
        return any(name == known for known in self)

    def __iter__(self) -> Iterator[str]:
        from scoring.api.listing import dialects

        return dialects()


def add_locked(parser: argparse.ArgumentParser) -> None:
    """The option of commands that can insist on the lock."""
    parser.add_argument("--locked", action="store_true", help="refuse a spec that is not as its lock file pins it")


def add_suite(parser: argparse.ArgumentParser) -> None:
    """The options that only suites have."""
    parser.add_argument(
        "--tasks", metavar="PATH", help="the tasks of a suite: a folder, or a file whose rows are tasks"
    )
    parser.add_argument("--attributes", metavar="FILE", help="attributes of a suite's tasks, by task name")
    parser.add_argument("--results", metavar="FILE", help="compute a suite from these task results instead of DATA")


def add_judge(parser: argparse.ArgumentParser) -> None:
    """The options of tasks that ask a judge."""
    group = parser.add_argument_group("judge", "for tasks that ask a model; SCORING_JUDGE_KEY holds the key")
    group.add_argument("--judge-url", metavar="URL", help="an OpenAI-compatible server (SCORING_JUDGE_URL)")
    group.add_argument(
        "--judge-model", metavar="NAME", help="the model, or several with commas between (SCORING_JUDGE_MODEL)"
    )
    group.add_argument("--judge-cache", metavar="FILE", help="keeps every call (SCORING_JUDGE_CACHE)")
    group.add_argument("--judge-replay", action="store_true", help="answer from the cache alone, without a network")
    group.add_argument("--judge-workers", type=int, metavar="N", help=f"records judged at once (default: {WORKERS})")
    group.add_argument("--judge-seed", type=int, metavar="N", help="the seed that the model is sent")
    group.add_argument("--judge-restarts", type=int, metavar="N", help="how often an invalid reply starts anew")
    group.add_argument(
        "--judge-prices", type=float, nargs=2, metavar=("IN", "OUT"), help="price of a million tokens read and written"
    )


def judge_options(options: argparse.Namespace) -> JudgeOptions:
    """What the options of `add_judge` say."""
    from scoring.api.judges import JudgeOptions

    names = ("url", "model", "cache", "replay", "workers", "seed", "restarts", "prices")
    return JudgeOptions(**{name: getattr(options, f"judge_{name}") for name in names})
