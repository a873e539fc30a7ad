"""No program passes its tests but by giving the right values, and none fails for anything else."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import closing

import pytest

from scoring.extensions.sandbox import Sandbox, set_sandbox, use_sandbox
from scoring.extensions.sandbox.bubblewrap import Bubblewrap
from scoring.extensions.sandbox.primitives.programs import run_asserts
from scoring.extensions.sandbox.warm import ResourceLimits
from tests.extensions.sandbox.attacks.build import Attack
from tests.extensions.sandbox.attacks.cheats import CHEATS, ODD, TESTS, WORD

needs_bubblewrap = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")


@pytest.fixture(scope="module", params=["own user", "shared user"])
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    if request.param == "shared user" and os.geteuid() != 0:
        pytest.skip("for everybody but root the other one is this")
    with closing(Bubblewrap()) as made:
        made._own_user &= request.param == "own user"
        yield made


def _score(source: str, seconds: float = 20.0) -> float:
    return run_asserts(source, None, tests=TESTS, entry_point="answer", seconds=seconds, memory_mb=256)


@needs_bubblewrap
@pytest.mark.parametrize("cheat", CHEATS, ids=lambda cheat: cheat.name)
def test_a_cheat_does_not_pass(cheat: Attack, sandbox: Sandbox) -> None:
    with use_sandbox(sandbox):
        assert _score(cheat.source, 1.0 if cheat.endless else 20.0) == 0.0


@needs_bubblewrap
@pytest.mark.parametrize("source", ODD.values(), ids=ODD)
def test_an_odd_program_passes_by_the_right_values(source: str, sandbox: Sandbox) -> None:
    with use_sandbox(sandbox):
        assert _score(source.replace("RIGHT", repr(WORD))) == 1.0


def test_the_weaker_mode_gives_the_same_verdicts() -> None:
    with closing(ResourceLimits()) as weak, use_sandbox(weak):
        found = [_score(cheat.source) for cheat in CHEATS[:9]]
        assert found == [0.0] * 9
        assert _score(ODD["prints much"].replace("RIGHT", repr(WORD))) == 1.0


@needs_bubblewrap
def test_the_tests_are_not_in_what_a_program_is_started_with(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []
    write = os.write

    def noted(descriptor: int, data: bytes) -> int:
        sent.append(bytes(data).decode("utf-8", "replace"))
        return write(descriptor, data)

    with closing(Bubblewrap()) as made, use_sandbox(made), monkeypatch.context() as patch:
        _score("def answer(n): return n")  # a runner is there
        patch.setattr("scoring.extensions.sandbox.runner.os.write", noted)
        _score("def answer(n): return n")
    lines = [json.loads(line) for line in "".join(sent).splitlines()]
    assert [WORD in json.dumps(line) for line in lines] == [False, True]
    set_sandbox(None)


def test_the_cheats_are_as_many_as_were_promised() -> None:
    assert len(CHEATS) >= 45
    assert len({cheat.source for cheat in CHEATS}) == len(CHEATS)
