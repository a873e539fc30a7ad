"""The weaker mode: an ordinary child process with resource limits. It isolates neither files nor network."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from scoring.sandbox.runner import Runner
from scoring.sandbox.warm import WarmSandbox

_INSIDE = Path(__file__).with_name("inside.py")


class ResourceLimits(WarmSandbox):
    """Programs in a plain child process: stops loops, floods and memory bombs, not malice. Chosen by name only."""

    name = "rlimits"

    def __init__(self) -> None:
        super().__init__(warm=False)

    @property
    def level(self) -> str:
        """No isolation but the limits."""
        return "rlimits (no isolation)"

    def _start(self) -> Runner:
        interpreter = str(Path(getattr(sys, "_base_executable", sys.executable)).resolve())
        command = [interpreter, "-I", "-B", "-X", "utf8", str(_INSIDE)]
        return Runner(command, own_processes=False, drops_user=os.geteuid() == 0)
