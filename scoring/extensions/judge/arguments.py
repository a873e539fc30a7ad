"""The options of a judge on the command line."""

from __future__ import annotations

import argparse

from scoring.cli.options import Verb
from scoring.cli.values import file_name

_OPTIONS = Verb("scoring.extensions.judge.judge_options:JudgeOptions", prefix="judge")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of a judge to the parser of a command; each sets the field of `JudgeOptions` that it is named
    after.
    """
    group = parser.add_argument_group("judge", "for tasks that ask a model; SCORING_JUDGE_KEY holds the key")
    for add in _OPTIONS("url", "model"):
        add(group)
    _OPTIONS.option("cache", metavar="FILE", type=file_name)(group)
    for add in _OPTIONS("replay", "workers", "seed", "restarts"):
        add(group)
    _OPTIONS.option("prices", type=float, nargs=2, metavar=("IN", "OUT"))(group)
    _OPTIONS.option("timeout")(group)
