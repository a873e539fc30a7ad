"""Hostile files, links and names cost nobody a file, and end in one line."""

from __future__ import annotations

import os
import shlex
import stat
from pathlib import Path

import pytest

from scoring.data import folders, plain_files
from tests.cli.odd_arguments import Call, desk, ended
from tests.extensions.file_attacks import ATTACKS, Attack

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has neither pipes nor links like these")


def seen(folder: Path) -> dict[str, object]:
    """Everything below a folder by its name: what each file holds, where each link leads."""
    found: dict[str, object] = {}
    for path in folder.rglob("*"):
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            found[str(path.relative_to(folder))] = os.readlink(path)
        elif stat.S_ISREG(mode):
            found[str(path.relative_to(folder))] = path.read_bytes()
    return found


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name.replace(" ", "-"))
def test_an_attack_costs_nobody_a_file_and_ends_in_one_line(
    attack: Attack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plain_files, "PATIENCE", 0.2)
    if attack.name.endswith("can be looked at") or "everywhere" in attack.name:
        monkeypatch.setattr(folders, "MOST_ENTRIES", 100)
    desk(tmp_path)
    attack.prepare(tmp_path)
    before = seen(tmp_path)
    words = shlex.split(attack.arguments.replace("FILE", f"file://{tmp_path}"))
    status, told, how = ended(Call(attack.name, tuple(words)), tmp_path)
    assert how is None, how
    assert (status, attack.says in told) == (attack.status, True), told
    after = {name: held for name, held in seen(tmp_path).items() if not name.startswith(attack.makes or "\0")}
    assert after == {name: held for name, held in before.items() if not name.startswith(attack.makes or "\0")}
