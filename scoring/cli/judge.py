"""The judge of a command: its options, opening it for a run, and what the manifest says about it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from scoring.cli.console import Console
from scoring.cli.errors import UsageError

if TYPE_CHECKING:
    from scoring.judge.asking.members import OpenJudge

WORKERS = 8
# Each option and the setting of the judge that it gives; the key is read from the environment alone.
_SETTINGS = {
    "judge_url": "base_url",
    "judge_model": "model",
    "judge_seed": "seed",
    "judge_restarts": "restarts",
    "judge_workers": "concurrency",
}

# What else a run is repeated with.
_AGAIN = ("seed", "restarts", "prices")


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


def threads(options: argparse.Namespace, asks_judge: bool) -> int:
    """How many records are under way at once."""
    return (getattr(options, "judge_workers", None) or WORKERS) if asks_judge else 1


@contextmanager
def judge_of(options: argparse.Namespace, console: Console, *, needed: bool) -> Iterator[OpenJudge | None]:
    """The judge that options and environment describe, chosen for this process and closed at the end.

    Where there is none, or none can be opened, one line says so, and what asks it is left unscored with that reason.

    Args:
        options: The command's options; those of ``add_judge`` may be missing.
        console: Where that line goes.
        needed: Whether anything asks a judge.

    Raises:
        UsageError: when an option makes no sense, or the cache can't be opened.
    """
    if not needed:
        yield None
        return
    from scoring.judge.protocol import JudgeError, current_judge, set_judge

    judge = None
    try:
        judge = _opened(options)
    except JudgeError as error:
        set_judge(error)
    if judge is not None:
        set_judge(judge)
    try:
        try:
            current_judge()
        except JudgeError as error:
            console.note(f"scoring: {error}; what asks a judge is left unscored")
        yield judge
    finally:
        set_judge(None)
        if judge is not None:
            judge.close()


def _opened(options: argparse.Namespace) -> OpenJudge | None:
    import sqlite3

    from scoring.judge.asking.opening import judge_from_environment

    given: dict[str, Any] = {setting: getattr(options, name, None) for name, setting in _SETTINGS.items()}
    for name in ("concurrency", "restarts"):
        if given[name] is not None and given[name] < (name == "concurrency"):
            raise UsageError("--judge-workers is at least 1, and --judge-restarts at least 0")
    given["concurrency"] = threads(options, True)
    given["input_price"], given["output_price"] = getattr(options, "judge_prices", None) or (None, None)
    cache = getattr(options, "judge_cache", None)
    replay = True if getattr(options, "judge_replay", False) else None
    try:
        return judge_from_environment(cache=cache, replay=replay, **given)
    except (sqlite3.Error, OSError) as error:
        raise UsageError(f"can't open the judge cache: {error}") from error


def judge_settings(options: argparse.Namespace, judge: OpenJudge | None) -> dict[str, Any]:
    """The judge as the manifest names it: which it was, how it was asked, and what this run paid; never the key."""
    import os

    from scoring.judge.asking.opening import CACHE

    if judge is None:
        return {}
    asked = {
        "model": judge.name,
        "parameters": dict(judge.parameters),
        "cache": getattr(options, "judge_cache", None) or os.environ.get(CACHE) or None,
        **{name: getattr(options, f"judge_{name}", None) for name in _AGAIN},
    }
    return {"judge": {**asked, "account": judge.ledger.summary()}}


def judge_again(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The options that ask the same judge again, from the cache of the finished run where it is still there."""
    from pathlib import Path

    judge = settings.get("judge")
    if judge is None:
        return {}
    cache = judge["cache"]
    return {
        "judge_model": judge["model"],
        "judge_cache": cache,
        "judge_replay": bool(cache) and Path(cache).is_file(),
        **{f"judge_{name}": judge[name] for name in _AGAIN},
    }
