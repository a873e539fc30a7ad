"""Options of the judge of a run; `judge_of_run.py` opens the judge that they and the environment describe."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring.api.arguments import is_whole
from scoring.errors import InputError

if TYPE_CHECKING:
    from scoring.extensions.judge.asking.opening import OpenJudge


# The settings that a manifest records of a judge, in addition to the model and the cache.
_AGAIN = ("seed", "restarts", "prices")
HIGHEST_PRICE = 1e9


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """Options of the judge of a run; what is not given comes from the environment, as the API key always does.

    Args:
        url: An OpenAI-compatible server (``SCORING_JUDGE_URL``).
        model: The model, or several separated by commas (``SCORING_JUDGE_MODEL``).
        cache: A file that stores every call (``SCORING_JUDGE_CACHE``).
        replay: Answer from the cache alone, without a network.
        workers: The number of records to judge simultaneously.
        seed: The seed that is sent to the model.
        restarts: How often the program is restarted after an invalid reply.
        prices: The price of a million tokens read, and written.
        timeout: Seconds that any step of a call may wait, 120 by default; a call as a whole may take five times that.
    """

    url: str | None = None
    model: str | None = None
    cache: str | None = None
    replay: bool = False
    workers: int | None = None
    seed: int | None = None
    restarts: int | None = None
    prices: tuple[float, float] | None = None
    timeout: float | None = None

    def __bool__(self) -> bool:
        """Return whether any option is given."""
        return self != JudgeOptions()

    @classmethod
    def again(cls, settings: Mapping[str, Any]) -> JudgeOptions:
        """Return options that reproduce the replies of a finished run's judge: from its cache, never from a server.

        Args:
            settings: The settings in the run's manifest; without a judge, the options are empty.

        Raises:
            InputError: when the settings do not describe the judge properly, or the file of its replies is missing.
        """
        judge = settings.get("judge")
        if judge is None:
            return cls()
        if not {"model", "cache", *_AGAIN} <= judge.keys():
            raise InputError("the manifest of the run does not say how its judge was asked; score the run again")
        if not _may_be(judge):
            raise InputError(
                "the manifest of the run has an entry about its judge that no run has; score the run again"
            )
        # Somebody else's manifest must not make us create a cache at its path, nor cause calls that cost money.
        cache = judge["cache"]
        if not cache:
            raise InputError("the run kept no replies of its judge: score it with --judge-cache FILE")
        if not Path(cache).is_file():
            raise InputError(
                f"the replies of the run's judge are not here, and it is not asked again: restore {cache:.200}, or "
                "ask whoever made the run for a bundle (`scoring bundle RUN`)"
            )
        return cls(model=judge["model"], cache=cache, replay=True, **{name: judge[name] for name in _AGAIN})

    def remembering(self) -> JudgeOptions:
        """Return these options with a cache, in memory if none is set, so that a repeated question costs nothing."""
        return replace(self, cache=self.cache or os.environ.get("SCORING_JUDGE_CACHE") or ":memory:")

    def settings(self, judge: OpenJudge | None) -> dict[str, Any]:
        """Return what a run's manifest states about the judge: model, parameters, cache and account; never the key.
        Empty if `judge` is None.
        """
        if judge is None:
            return {}
        from scoring.extensions.judge.asking.opening import CACHE

        entry = {
            "model": judge.name,
            "parameters": dict(judge.parameters),
            "cache": self.cache or os.environ.get(CACHE) or None,
            **{name: getattr(self, name) for name in _AGAIN},
        }
        return {"judge": {**entry, "account": judge.ledger.summary()}}


def _may_be(judge: Mapping[str, Any]) -> bool:
    """Return True if the values in a manifest's entry about its judge have the right types."""
    prices = judge["prices"]
    return (
        isinstance(judge["model"], str)
        and isinstance(judge["cache"], str | None)
        and all(judge[name] is None or is_whole(judge[name], 0) for name in ("seed", "restarts"))
        and (prices is None or (isinstance(prices, list) and len(prices) == 2 and all(map(is_price, prices))))
    )


def is_price(value: object) -> bool:
    """Return whether a value is a price of a million tokens."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= HIGHEST_PRICE
