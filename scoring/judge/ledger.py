"""The account of a run: calls made and spared, retries, tokens, money."""

from __future__ import annotations

import threading
from typing import Any

from scoring.judge.protocol import Usage


class Ledger:
    """Counts from several threads.

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

    def paid(self, usage: Usage) -> None:
        """One call that the server answered."""
        with self._lock:
            self._counts["calls"] += 1
            self._usage += usage

    def add(self, what: str) -> None:
        """One of: cached, retries, failed."""
        with self._lock:
            self._counts[what] += 1

    def summary(self) -> dict[str, Any]:
        """The account as plain data."""
        with self._lock:
            tokens = self._usage.prompt_tokens, self._usage.completion_tokens
            cost = sum(count * price for count, price in zip(tokens, self._prices, strict=True)) / 1_000_000
            return {**self._counts, "prompt_tokens": tokens[0], "completion_tokens": tokens[1], "cost": round(cost, 6)}
