"""The choice of the sandbox: bubblewrap, unless another one is chosen by name."""

from __future__ import annotations

import os
import threading
from contextlib import AbstractContextManager
from contextvars import ContextVar

from scoring.effects import check_declared, temporarily_set
from scoring.extensions.sandbox.protocol import Sandbox, SandboxUnavailable

NAMES = ("bubblewrap", "rlimits")
_chosen: ContextVar[Sandbox | None] = ContextVar("sandbox", default=None)
_process: dict[str, Sandbox] = {}
_lock = threading.Lock()


def _make(name: str) -> Sandbox:
    if name == "bubblewrap":
        from scoring.extensions.sandbox.bubblewrap import Bubblewrap

        return Bubblewrap()
    if name == "rlimits":
        from scoring.extensions.sandbox.warm import ResourceLimits

        return ResourceLimits()
    raise SandboxUnavailable(f"there is no sandbox `{name}`; the names are {', '.join(NAMES)}")


def set_sandbox(sandbox: Sandbox | str | None) -> None:
    """Choose the sandbox of this process, by its name or as an object; None restores the default."""
    with _lock:
        _process.pop("chosen", None)
        if sandbox is not None:
            _process["chosen"] = _make(sandbox) if isinstance(sandbox, str) else sandbox


def use_sandbox(sandbox: Sandbox) -> AbstractContextManager[Sandbox]:
    """Return a context manager within which the given sandbox is used by this thread."""
    return temporarily_set(_chosen, sandbox)


def current_sandbox() -> Sandbox:
    """Return the sandbox in which programs are to run: the one that was set, else the one named by SCORING_SANDBOX,
    else bubblewrap.

    Raises:
        SandboxUnavailable: when it can't run here; a weaker one is never used silently.
        Undeclared: inside a step that does not declare ``programs``.
    """
    check_declared("programs")
    chosen = _chosen.get()
    if chosen is not None:
        return chosen
    with _lock:
        if "chosen" in _process:
            return _process["chosen"]
        name = os.environ.get("SCORING_SANDBOX") or NAMES[0]
        if name not in _process:
            _process[name] = _make(name)
        return _process[name]
