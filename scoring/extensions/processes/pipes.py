"""Pipes of processes, read with a timeout."""

from __future__ import annotations

import os
import queue
import select
import threading

from scoring.system import POLLS


class PipeBlocks:
    """A reader of a pipe's data, block by block, with a timeout.

    Args:
        descriptor: The read end of the pipe, which the caller closes.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._come: queue.SimpleQueue[bytes] | None = None
        if POLLS:
            self._poll = select.poll()
            self._poll.register(descriptor, select.POLLIN)
        else:
            self._come = queue.SimpleQueue()
            threading.Thread(target=self._pass_on, args=(self._come,), daemon=True).start()

    def next(self, seconds: float) -> bytes | None:
        """Return the next data, b"" at the end, None if nothing arrives within a number of seconds."""
        if self._come is not None:
            try:
                return self._come.get(timeout=max(0.0, seconds))
            except queue.Empty:
                return None
        return os.read(self._descriptor, _BLOCK) if self._poll.poll(max(0.0, seconds) * 1000) else None

    def _pass_on(self, come: queue.SimpleQueue[bytes]) -> None:
        block = b"."
        while block:
            try:
                block = os.read(self._descriptor, _BLOCK)
            except OSError:  # the pipe was closed
                block = b""
            come.put(block)


_BLOCK = 1 << 16
