"""Whatever an argument is, a command ends with a line that says what is wrong, and changes nothing that it reads."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from scoring.data import folders, plain_files
from scoring.registry.plugins import COMMANDS
from tests.cli.odd_arguments import GOES_ON, GOOD, ODD, Call, calls, desk, ended, tried

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")

TRIED = 700


def test_an_odd_value_of_any_argument_is_told_in_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_files, "PATIENCE", 0.05)
    monkeypatch.setattr(folders, "MOST_ENTRIES", 5_000)
    every = [call for call in calls() if not any(one.startswith("/") and one != "/dev/null" for one in call.arguments)]
    chosen = random.Random(20).sample(every, TRIED)
    assert {f"{call.name}: {how}" for call, how in tried(chosen, tmp_path)} == set()


def test_every_command_is_tried_with_arguments_that_are_in_order(tmp_path: Path) -> None:
    assert {name.split()[0] for name in GOOD} == set(COMMANDS) - GOES_ON
    assert len(list(calls())) > 200 * len(ODD)
    desk(tmp_path)
    for name, arguments in GOOD.items():
        status, told, how = ended(Call(name, (*name.split(), *arguments)), tmp_path)
        assert how is None, f"{name}: {how}"
        assert status in (0, 1), f"{name}: {told}"
