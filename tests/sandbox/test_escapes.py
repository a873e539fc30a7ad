"""Every attempt to get out of the sandbox, or to take the machine with it, is contained, and the run goes on."""

from __future__ import annotations

import os
import platform
import shutil
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import scoring
from scoring.primitives.code.programs import run_tests
from scoring.sandbox import Case, Limits, SandboxJob
from scoring.sandbox.bubblewrap import Bubblewrap
from tests.sandbox.attacks import ATTACKS, PEEK, Attack
from tests.support.waiting import running, wait_until

pytestmark = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")

LIMITS = Limits(wall_seconds=2.0, cpu_seconds=2, memory_bytes=256 << 20, processes=16, output_bytes=200_000)
_NUMBERS = {
    "x86_64": {"CLONE": 56, "SETNS": 308, "BPF": 321, "IO_URING": 425, "SYSLOG": 103, "ADD_KEY": 248},
    "aarch64": {"CLONE": 220, "SETNS": 268, "BPF": 280, "IO_URING": 425, "SYSLOG": 116, "ADD_KEY": 217},
}


@dataclass
class Host:
    """What the attacks are after."""

    words: dict[str, str]
    outside: Path
    victim: subprocess.Popen[bytes]
    accepted: socket.socket

    def source(self, attack: Attack) -> str:
        text = attack.source
        for word, value in self.words.items():
            text = text.replace(word, value)
        return text

    def unharmed(self) -> None:
        assert list(self.outside.iterdir()) == [], "something was written outside"
        assert self.victim.poll() is None, "a process of the host was killed"
        self.accepted.settimeout(0.01)
        with pytest.raises(TimeoutError):
            self.accepted.accept()


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Bubblewrap]:
    made = Bubblewrap()
    yield made
    made.close()


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    monkeypatch.setenv("SCORING_TEST_SECRET", "1")
    outside, secret, unix = tmp_path / "outside", tmp_path / "secret", tmp_path / "socket"
    outside.mkdir(mode=0o777)
    secret.write_text("the secret", encoding="utf-8")
    secret.chmod(0o644)
    with (
        running(["sleep", "600"]) as victim,
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.socket(socket.AF_UNIX) as local,
    ):
        local.bind(str(unix))
        local.listen()
        numbers = _NUMBERS.get(platform.machine(), {})
        words = {
            "PORT": str(server.getsockname()[1]), "UNIX_SOCKET": str(unix), "SECRET": str(secret),
            "OUTSIDE": str(outside), "VICTIM": str(victim.pid),
            **{name: str(number) for name, number in numbers.items()},
        }  # fmt: skip
        yield Host(words, outside, victim, server)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_an_attack_is_contained(attack: Attack, sandbox: Bubblewrap, host: Host) -> None:
    result = sandbox.run(SandboxJob(host.source(attack), limits=LIMITS))[0]
    assert "ESCAPED" not in result.stdout.replace("ESCAPED?", ""), result
    assert len(result.stdout) <= LIMITS.output_bytes
    if attack.stopped:
        assert result.status != "ok", result
    host.unharmed()


@pytest.mark.parametrize("attack", [attack for attack in ATTACKS if attack.stopped], ids=lambda attack: attack.name)
def test_its_record_scores_0_with_the_reason_and_the_next_program_runs(attack: Attack, host: Host) -> None:
    cases = [{"input": "", "expected": "42"}]
    judge = scoring.scorer("run_tests(cases=context, seconds=2.0, memory_mb=128)")
    outcomes = judge.score_many([host.source(attack), "print(42)"], [None, None], contexts=[cases, cases])
    assert [(outcome.status, outcome.value) for outcome in outcomes] == [("scored", 0.0), ("scored", 1.0)]
    assert (outcomes[0].reason or "").startswith("case 1: ")


def test_a_program_cannot_find_what_is_expected_of_it() -> None:
    assert run_tests(PEEK, None, cases=[{"input": "", "expected": "the expected output"}]) == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a program a user of its own")
def test_nothing_is_left_running(sandbox: Bubblewrap, monkeypatch: pytest.MonkeyPatch) -> None:
    user = 4_000_000_000 + os.getpid()  # nobody else's, so that other runs of the sandbox are not seen
    monkeypatch.setattr("scoring.sandbox.runner.fresh_user", lambda: user)
    source = "import os, time\nfor _ in range(5):\n    if os.fork() == 0:\n        os.setsid(), time.sleep(77)\n"
    job = SandboxJob(f"import os\nassert os.getuid() == {user}\n{source}", limits=LIMITS)
    assert sandbox.run(job)[0].status == "ok"
    wait_until(lambda: str(user) not in _users_with_processes())


def _users_with_processes() -> list[str]:
    return subprocess.run(["ps", "-eo", "uid"], capture_output=True, text=True, check=True).stdout.split()


def test_programs_cannot_leave_anything_for_the_next_one(sandbox: Bubblewrap) -> None:
    leave = "import os\nos.makedirs('/tmp/a/b', exist_ok=True)\nopen('/tmp/a/b/note', 'w').write('x')\nprint('left')"
    assert sandbox.run(SandboxJob(leave, limits=LIMITS))[0].stdout == "left\n"
    for _ in range(3):
        assert sandbox.run(SandboxJob("import os\nprint(os.listdir('/tmp'))", limits=LIMITS))[0].stdout == "[]\n"


def test_an_input_can_be_large_and_is_given_whole(sandbox: Bubblewrap) -> None:
    text = "line\n" * 200_000
    result = sandbox.run(SandboxJob("import sys\nprint(len(sys.stdin.read()))", (Case(text),), LIMITS))[0]
    assert result.stdout == f"{len(text)}\n"


def test_the_level_is_reported(sandbox: Bubblewrap) -> None:
    assert sandbox.level.startswith("bubblewrap+namespaces+rlimits")
    if platform.machine() in _NUMBERS:
        assert "seccomp" in sandbox.level
    assert ("own user" in sandbox.level) == (os.geteuid() == 0)
