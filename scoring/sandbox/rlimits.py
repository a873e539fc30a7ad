"""The weaker mode: an ordinary child process with resource limits. It isolates neither files nor network."""

from __future__ import annotations

import os

from scoring.sandbox.runner import FLAGS, INSIDE, Runner, interpreter
from scoring.sandbox.warm import WarmSandbox


class ResourceLimits(WarmSandbox):
    """Programs in a plain child process: stops loops, floods and memory bombs, not malice. Chosen by name only."""

    name = "rlimits"
    level = "rlimits (no isolation)"

    def __init__(self) -> None:
        super().__init__(warm=False)

    def _start(self) -> Runner:
        return Runner([interpreter(), *FLAGS, str(INSIDE)], None, own_processes=False, drops_user=os.geteuid() == 0)
