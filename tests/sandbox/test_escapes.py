"""Every attempt to get out of the sandbox, or to take the machine with it, is contained, and the run goes on."""

from __future__ import annotations

import os
import platform
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.primitives.code.programs import run_tests
from scoring.result import Unscored
from scoring.sandbox import Case, Limits, SandboxJob, use_sandbox
from scoring.sandbox.bubblewrap import Bubblewrap
from scoring.sandbox.runner import Runner
from tests.sandbox.attacks import ATTACKS, PEEK, PEEK_INTO_MEMORY, Attack
from tests.support.waiting import running, wait_until

pytestmark = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")

LIMITS = Limits(wall_seconds=2.0, cpu_seconds=2, memory_bytes=256 << 20, processes=16, output_bytes=200_000)
_NUMBERS = {  # of system calls
    "x86_64": {
        "CLONE": 56,
        "SETNS": 308,
        "BPF": 321,
        "IO_URING": 425,
        "SYSLOG": 103,
        "ADD_KEY": 248,
        "SHMGET": 29,
        "SEMGET": 64,
        "MSGGET": 68,
        "MQ_OPEN": 240,
    },
    "aarch64": {
        "CLONE": 220,
        "SETNS": 268,
        "BPF": 280,
        "IO_URING": 425,
        "SYSLOG": 116,
        "ADD_KEY": 217,
        "SHMGET": 194,
        "SEMGET": 190,
        "MSGGET": 186,
        "MQ_OPEN": 180,
    },
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


SPOILERS = {
    "fills it": "kept = open('/tmp/full', 'wb')\nwhile True:\n    kept.write(b'x' * 10 ** 6)",
    "fills it and closes it": "import os\nos.mkdir('/tmp/a')\ntry:\n    for n in range(99):\n"
    "        open(f'/tmp/a/{n}', 'wb').write(b'x' * 10 ** 6)\nexcept OSError:\n    os.chmod('/tmp/a', 0)",
    "closes a folder": "import os\nos.makedirs('/tmp/a/b')\nos.chmod('/tmp/a', 0)",
    "nests too deeply": "import os\nfor _ in range(3000):\n    os.mkdir('abcdef')\n    os.chdir('abcdef')",
    "links in a circle": "import os\nos.mkdir('/tmp/a')\nos.symlink('/tmp', '/tmp/a/b')\nos.symlink('/', '/tmp/root')",
    "names oddly": "import os\nfor name in (b'\\xff', b' ', b'-rf', b'a\\nb'):\n    os.mkdir(b'/tmp/' + name)",
    "leaves a writer": "import os, time\nif os.fork() == 0:\n    os.setsid()\n    while True:\n"
    "        open('/tmp/again', 'w').close()",
}


@pytest.mark.parametrize("spoiler", SPOILERS.values(), ids=SPOILERS)
def test_what_a_program_does_to_its_folder_costs_the_next_one_nothing(spoiler: str, sandbox: Bubblewrap) -> None:
    sandbox.run(SandboxJob(spoiler, limits=LIMITS))
    honest = "import os\nprint(os.listdir('/tmp'))\nopen('/tmp/x', 'wb').write(b'x' * 8_000_000)\nprint('written')"
    for _ in range(2):
        assert sandbox.run(SandboxJob(honest, limits=LIMITS))[0].stdout == "[]\nwritten\n"


def test_no_program_sees_anything_of_the_one_before_it(sandbox: Bubblewrap) -> None:
    word = "the expected output"
    before = SandboxJob(f"kept = {word!r}\nprint(input(), kept)", (Case(word), Case(word)), LIMITS)
    assert sandbox.run(before)[1].stdout == f"{word} {word}\n"
    for source in (PEEK, PEEK_INTO_MEMORY):
        assert sandbox.run(SandboxJob(source, limits=LIMITS))[0].stdout == "nothing\n"
    assert sandbox.run(SandboxJob(f"kept = {word!r}\n{PEEK_INTO_MEMORY}", limits=LIMITS))[0].stdout == f"{word}\n"


@pytest.mark.parametrize("times", [1, 2])
def test_a_runner_that_is_killed_from_outside_costs_no_score(
    times: int, sandbox: Bubblewrap, monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox.run(SandboxJob("print('it can run here')", limits=LIMITS))  # what is tried first is not to be killed
    case, left = Runner._case, [None] * times

    def killed(runner: Runner, *given: Any) -> Any:
        if left:
            left.pop()
            case(runner, *given)  # it is up, and what is inside is tied to what is outside
            runner.process.kill()
            # What runs inside dies a moment after what is killed outside, and could still answer.
            assert runner.process.stdout is not None
            assert os.read(runner.process.stdout.fileno(), 1) == b""
        return case(runner, *given)

    monkeypatch.setattr(Runner, "_case", killed)
    with use_sandbox(sandbox):
        if times == 1:
            assert run_tests("print(42)", None, cases={"input": "", "expected": "42"}) == 1
        else:
            with pytest.raises(Unscored, match="ended twice under this program"):
                run_tests("print(42)", None, cases={"input": "", "expected": "42"})


def test_a_sandbox_that_no_longer_starts_leaves_the_record_unscored(monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(Bubblewrap(warm=False)) as sandbox, use_sandbox(sandbox):
        cases = {"input": "", "expected": "42"}
        assert run_tests("print(42)", None, cases=cases) == 1
        for gone in ("/nowhere/bwrap", "/bin/false"):
            monkeypatch.setattr(sandbox, "_executable", gone)
            with pytest.raises(Unscored, match="bubblewrap"):
                run_tests("print(42)", None, cases=cases)


def test_an_input_can_be_large_and_is_given_whole(sandbox: Bubblewrap) -> None:
    text = "line\n" * 200_000
    result = sandbox.run(SandboxJob("import sys\nprint(len(sys.stdin.read()))", (Case(text),), LIMITS))[0]
    assert result.stdout == f"{len(text)}\n"


def test_the_level_is_reported(sandbox: Bubblewrap) -> None:
    assert sandbox.level.startswith("bubblewrap+namespaces+rlimits")
    if platform.machine() in _NUMBERS:
        assert "seccomp" in sandbox.level
    assert ("own user" in sandbox.level) == (os.geteuid() == 0)
