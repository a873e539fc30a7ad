"""The account of a run: calls made and saved, retries, tokens, money."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from scoring.extensions.judge.calls import Usage


class Ledger:
    """Counts of calls, tokens and costs, given the prices of a million tokens; safe to update from several threads.

    Examples:
        >>> ledger = Ledger(input_price=2.0, output_price=8.0)
        >>> ledger.paid(Usage(500_000, 125_000))
        >>> ledger.summary()["cost"]
        2.0
    """

    def __init__(self, input_price: float = 0.0, output_price: float = 0.0) -> None:
        self._prices = input_price, output_price
        self._lock = threading.Lock()
        self._counts = {"calls": 0, "cached": 0, "retries": 0, "failed": 0}
        self._usage = Usage()
        self._spared = Usage()
        self._found: deque[Usage] = deque()  # calls that the cache answered and that are not yet counted

    def paid(self, usage: Usage) -> None:
        """Count one call that the server answered."""
        with self._lock:
            self._counts["calls"] += 1
            self._usage += usage

    def cached(self, usage: Usage) -> None:
        """Count one call that the cache answered, and the tokens it used when it was originally made."""
        self._found.append(usage)
        if self._lock.acquire(blocking=False):  # who finds it taken leaves the count to the next: nobody waits
            try:
                self._count_found()
            finally:
                self._lock.release()

    def add(self, what: str) -> None:
        """Add 1 to the counter of the given name, ``retries`` or ``failed``."""
        with self._lock:
            self._counts[what] += 1

    def summary(self) -> dict[str, Any]:
        """Return the calls that this process made and what it paid, as plain data."""
        with self._lock:
            self._count_found()
            return {**self._counts, **self._bill(self._usage)}

    def replies(self) -> dict[str, Any]:
        """Return the number, tokens and cost of all replies used, whether paid for now or cached: the same for a run
        and its replay.

        Examples:
            >>> ledger = Ledger()
            >>> ledger.paid(Usage(10, 2))
            >>> ledger.cached(Usage(10, 2))
            >>> ledger.replies()
            {'replies': 2, 'prompt_tokens': 20, 'completion_tokens': 4, 'cost': 0.0}
        """
        with self._lock:
            self._count_found()
            used = self._counts["calls"] + self._counts["cached"]
            return {"replies": used, **self._bill(self._usage + self._spared)}

    def _count_found(self) -> None:
        while self._found:
            self._spared += self._found.popleft()
            self._counts["cached"] += 1

    def _bill(self, usage: Usage) -> dict[str, Any]:
        tokens = usage.prompt_tokens, usage.completion_tokens
        cost = sum(count * price for count, price in zip(tokens, self._prices, strict=True)) / 1_000_000
        return {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "cost": round(cost, 6)}


class JointLedger(Ledger):
    """The accounts of several judges, summed whenever they are read."""

    def __init__(self, parts: Sequence[Ledger]) -> None:
        super().__init__()
        self._parts = tuple(parts)

    def summary(self) -> dict[str, Any]:
        """Return the calls that this process made and what it paid, summed over all judges."""
        return self._sum(Ledger.summary)

    def replies(self) -> dict[str, Any]:
        """Return the number, tokens and cost of all replies used, summed over all judges."""
        return self._sum(Ledger.replies)

    def _sum(self, read: Callable[[Ledger], dict[str, Any]]) -> dict[str, Any]:
        accounts = [read(part) for part in self._parts]
        return {name: round(sum(account[name] for account in accounts), 6) for name in accounts[0]}
