"""The lock of a project, brought to its file by the public verb."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import scoring
from scoring.extensions.sharing.locking import LockChange


def lock_project(folder: str | Path = ".", **how: Any) -> LockChange:
    """What became of the one project of a folder."""
    (change,) = scoring.packs.lock(folder, **how).projects
    return change
