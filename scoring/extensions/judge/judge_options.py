"""Options of the judge of a run; `judge_of_run.py` opens the judge that they and the environment describe."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

if TYPE_CHECKING:
    from scoring.extensions.judge.asking.opening import OpenJudge


AGAIN = ("seed", "restarts", "prices")
"""The settings that a manifest records of a judge, in addition to the model and the cache."""


class JudgeOptions(Struct, frozen=True):
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

    @property
    def waits(self) -> bool:
        """Whether replies may be waited for, because the cache is not the only one who answers."""
        return not self.replay

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
            **{name: getattr(self, name) for name in AGAIN},
        }
        return {"judge": {**entry, "account": judge.ledger.summary()}}
