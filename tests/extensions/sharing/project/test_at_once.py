"""Several syncs at once, and one that is killed: lock and store are whole afterwards."""

from __future__ import annotations

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

import scoring
from scoring.data.output import OpenFolder
from scoring.project.lock import read_project_lock
from tests.extensions.sharing.project.world import TASK, pack, project, written
from tests.support.locking import lock_project


def is_whole(folder: Path) -> bool:
    """Whether there is a lock that reads, and a store of what it names."""
    locked = read_project_lock(folder / "scoring.lock")
    return bool(locked.packs) and scoring.check(folder / "task.yaml").findings == ()


def test_syncs_of_several_threads_come_after_one_another(tmp_path: Path) -> None:
    folder = project(tmp_path)
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda _: lock_project(folder), range(6)))
    assert sum(one.written for one in found) == 1
    assert is_whole(folder)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system makes no copies of processes")
def test_syncs_of_several_processes_come_after_one_another(tmp_path: Path) -> None:
    folder = project(tmp_path)
    children = [forked(folder, 10**6) for _ in range(4)]
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
    assert is_whole(folder)
    assert not list(folder.rglob("*.partial"))


def forked(folder: Path, moves: int) -> int:
    """A process that syncs, and is killed when it has moved so many files to their places."""
    child = os.fork()
    if child:
        return child
    left, move = [moves], OpenFolder.move

    def counted(*given: Any) -> None:
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)
        left[0] -= 1
        move(*given)

    try:
        with mock.patch.object(OpenFolder, "move", counted):
            lock_project(folder, upgrade=True)
    except BaseException:
        os._exit(1)
    os._exit(0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system makes no copies of processes")
@pytest.mark.parametrize("moves", range(4))
def test_a_sync_that_is_killed_leaves_what_stood_or_what_is_new(tmp_path: Path, moves: int) -> None:
    folder = project(tmp_path)
    lock_project(folder)
    before = (folder / "scoring.lock").read_bytes()
    written(tmp_path / "shapes" / "pack.yaml", pack("1.1.0", 0.5))
    written(folder / "other.yaml", TASK.replace("close@1", "anls@1").replace("c.close_text", "c.docvqa"))
    status = os.waitpid(forked(folder, moves), 0)[1]
    # Two contents are moved to the store, and the lock is written last.
    assert (os.WIFSIGNALED(status), status == 0) == (moves < 3, moves == 3)
    assert ((folder / "scoring.lock").read_bytes() == before) == (moves < 3)
    assert is_whole(folder)
    assert [(one.name, one.version) for one in lock_project(folder, upgrade=True).packs] == [
        ("anls", "1.0.0"),
        ("close", "1.1.0"),
    ]
    assert not list((folder / ".scoring").rglob("*.partial"))
    assert is_whole(folder)
