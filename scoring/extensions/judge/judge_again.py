"""The judge of a finished run again, as its manifest tells of it: it answers from the replies that were kept."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scoring.api.arguments import is_whole
from scoring.errors import InputError
from scoring.extensions.judge.judge_of_run import is_price
from scoring.extensions.judge.judge_options import AGAIN, JudgeOptions


def options_again(settings: Mapping[str, Any]) -> JudgeOptions:
    """Return options that reproduce the replies of a finished run's judge: from its cache, never from a server.

    Args:
        settings: The settings in the run's manifest; without a judge, the options are empty.

    Raises:
        InputError: when the settings do not describe the judge properly, or the file of its replies is missing.
    """
    judge = settings.get("judge")
    if judge is None:
        return JudgeOptions()
    if not {"model", "cache", *AGAIN} <= judge.keys():
        raise InputError("the manifest of the run does not say how its judge was asked; score the run again")
    if not _may_be(judge):
        raise InputError("the manifest of the run has an entry about its judge that no run has; score the run again")
    # Somebody else's manifest must not make us create a cache at its path, nor cause calls that cost money.
    cache = judge["cache"]
    if not cache:
        raise InputError("the run kept no replies of its judge: score it with --judge-cache FILE")
    if not Path(cache).is_file():
        raise InputError(
            f"the replies of the run's judge are not here, and it is not asked again: restore {cache:.200}, or "
            "ask whoever made the run for a bundle (`scoring bundle RUN`)"
        )
    return JudgeOptions(model=judge["model"], cache=cache, replay=True, **{name: judge[name] for name in AGAIN})


def _may_be(judge: Mapping[str, Any]) -> bool:
    """Return True if the values in a manifest's entry about its judge have the right types."""
    prices = judge["prices"]
    return (
        isinstance(judge["model"], str)
        and isinstance(judge["cache"], str | None)
        and all(judge[name] is None or is_whole(judge[name], 0) for name in ("seed", "restarts"))
        and (prices is None or (isinstance(prices, list) and len(prices) == 2 and all(map(is_price, prices))))
    )
