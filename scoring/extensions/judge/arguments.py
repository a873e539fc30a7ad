"""The options of a judge on the command line."""

from __future__ import annotations

import argparse

from scoring.cli.arguments import FROM_0, FROM_1, named


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the judge options to a command; each sets the `JudgeOptions` argument of the same name."""
    group = parser.add_argument_group("judge", "for tasks that ask a model; SCORING_JUDGE_KEY holds the key")
    add = group.add_argument
    add("--judge-url", metavar="URL", help="an OpenAI-compatible server (SCORING_JUDGE_URL)")
    add("--judge-model", metavar="NAME", help="the model, or several with commas between (SCORING_JUDGE_MODEL)")
    add("--judge-cache", type=named, metavar="FILE", help="keeps every call (SCORING_JUDGE_CACHE)")
    add("--judge-replay", action="store_true", help="answer from the cache alone, without a network")
    add("--judge-workers", type=FROM_1, metavar="N", help="records judged at once (default: 8)")
    add("--judge-seed", type=FROM_0, metavar="N", help="the seed that the model is sent")
    add("--judge-restarts", type=FROM_0, metavar="N", help="how often an invalid reply starts anew")
    prices = "price of a million tokens read and written"
    add("--judge-prices", type=float, nargs=2, metavar=("IN", "OUT"), help=prices)
    add("--judge-timeout", type=float, metavar="SECONDS", help="how long any step of a call may wait (default: 120)")
