"""Every attempt to get out of the sandbox, or to take the machine with it, is contained, and the run goes on."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import scoring
from scoring.extensions.sandbox import Case, CaseResult, Limits, SandboxJob, use_sandbox
from scoring.extensions.sandbox.bubblewrap import Bubblewrap
from scoring.extensions.sandbox.groups import find_parent_groups
from scoring.extensions.sandbox.primitives.programs import run_tests
from scoring.extensions.sandbox.runner import Runner
from scoring.result import Unscored
from tests.extensions.sandbox.attacks import ATTACKS, KNOWN, LOOK, NUMBERS, PEEK, PEEK_INTO_MEMORY, SPY, Attack
from tests.extensions.sandbox.attacks.calls import CALLS
from tests.extensions.sandbox.attacks.first import FIRST
from tests.extensions.sandbox.attacks.leaving import LEFT
from tests.extensions.sandbox.attacks.output import OUTPUT
from tests.extensions.sandbox.attacks.processes import PROCESSES
from tests.support.waiting import running, wait_until

pytestmark = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")

LIMITS = Limits(wall_seconds=2.0, cpu_seconds=4, memory_bytes=256 << 20, processes=16, output_bytes=200_000)
LONG = replace(LIMITS, wall_seconds=60.0, cpu_seconds=60)


@dataclass
class Host:
    """What the attacks are after."""

    words: dict[str, str]
    outside: Path
    victim: subprocess.Popen[bytes]
    accepted: socket.socket

    def source(self, text: str) -> str:
        """A program with what it is after in the place of the words for it."""
        return re.sub("|".join(rf"\b{word}\b" for word in self.words), lambda found: self.words[found[0]], text)

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


@pytest.fixture(scope="module")
def shared() -> Iterator[Bubblewrap]:
    """One whose programs have the user of their runner, as for everybody but root."""
    made = Bubblewrap()
    made._own_user = False
    yield made
    made.close()


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    folder = tmp_path_factory.mktemp("host")
    outside, secret, unix = folder / "outside", folder / "secret", folder / "socket"
    outside.mkdir(mode=0o777)
    secret.write_text("the secret", encoding="utf-8")
    secret.chmod(0o644)
    with (
        running(["sleep", "600"]) as victim,
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.socket(socket.AF_UNIX) as local,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv("SCORING_TEST_SECRET", "1")
        local.bind(str(unix))
        local.listen()
        words = {
            "PORT": str(server.getsockname()[1]), "UNIX_SOCKET": str(unix), "SECRET": str(secret),
            "OUTSIDE": str(outside), "VICTIM": str(victim.pid), "HOSTNAME": platform.node(),
            **{name: str(number) for name, number in NUMBERS.items()},
        }  # fmt: skip
        yield Host(words, outside, victim, server)


def _attacked(attack: Attack, sandbox: Bubblewrap, host: Host) -> CaseResult:
    limits = replace(LIMITS, wall_seconds=0.25 if attack.endless else 20.0)
    return sandbox.run(SandboxJob(host.source(attack.source), limits=limits))[0]


def _seen(sandbox: Bubblewrap, host: Host, spy: str = SPY) -> dict[str, Any]:
    result = sandbox.run(SandboxJob(host.source(spy), limits=LONG))[0]
    assert result.status == "ok", result
    return dict(json.loads(result.stdout))


@pytest.fixture(scope="module")
def alone() -> dict[str, dict[str, Any]]:
    """What a spy sees that is the first in its sandbox, by the level of it."""
    return {}


def _knows_nothing(sandbox: Bubblewrap, host: Host, alone: dict[str, dict[str, Any]], *, whole: bool) -> None:
    """The spy that comes next sees what it would see alone.

    It is sent only where a runner was kept: any other program starts with a new sandbox. The one that looks at /tmp,
    too, costs its own runner, so most that leave /tmp as it was are followed by the other.
    """
    if _kept(sandbox):
        spy = SPY if whole else LOOK
        seen = _seen(sandbox, host, spy)
        assert seen == {name: alone[sandbox.level][name] for name in seen}
        assert len(seen) >= 25
        assert _kept(sandbox) == (not whole)


def _kept(sandbox: Bubblewrap) -> bool:
    return bool(sandbox._idle._idle)


def _first_alone(sandbox: Bubblewrap, host: Host, alone: dict[str, dict[str, Any]]) -> None:
    if sandbox.level not in alone:
        sandbox.close()
        alone[sandbox.level] = _seen(sandbox, host)


def _check(attack: Attack, sandbox: Bubblewrap, host: Host, alone: dict[str, dict[str, Any]]) -> None:
    if attack.grouped and "memory per case" not in sandbox.level:
        pytest.skip("there is no control group here that bounds the memory of a case")
    _first_alone(sandbox, host, alone)
    result = _attacked(attack, sandbox, host)
    assert "ESCAPED" not in result.stdout.replace("ESCAPED?", ""), result
    assert len(result.stdout) <= LIMITS.output_bytes
    if attack.stopped:
        assert result.status != "ok", result
    if attack.prints is not None:
        assert result.stdout == attack.prints, result
    _knows_nothing(sandbox, host, alone, whole=attack in LEFT)
    host.unharmed()


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_an_attack_is_contained_and_the_next_program_knows_nothing_of_it(
    attack: Attack, sandbox: Bubblewrap, host: Host, alone: dict[str, dict[str, Any]]
) -> None:
    _check(attack, sandbox, host, alone)


@pytest.mark.skipif(os.geteuid() != 0, reason="for everybody else the test above is this one")
@pytest.mark.parametrize("attack", [*PROCESSES, *LEFT], ids=lambda attack: attack.name)
def test_it_is_contained_where_programs_share_the_user_of_their_runner(
    attack: Attack, shared: Bubblewrap, host: Host, alone: dict[str, dict[str, Any]]
) -> None:
    _check(attack, shared, host, alone)


@pytest.mark.parametrize("kind", ["sandbox", "shared"])
def test_after_them_a_new_sandbox_is_as_the_first_was(
    kind: str, host: Host, alone: dict[str, dict[str, Any]], request: pytest.FixtureRequest
) -> None:
    sandbox = request.getfixturevalue(kind)
    _first_alone(sandbox, host, alone)
    for attack in LEFT[:3]:  # so that this holds by itself, too
        _attacked(attack, sandbox, host)
    sandbox.close()
    assert _seen(sandbox, host) == alone[sandbox.level]


@pytest.mark.parametrize("filtered", [True, False])
def test_no_user_namespace_is_made_in_that_of_an_ordinary_user(
    filtered: bool, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The filter refuses them; where a machine has none, the limit that bubblewrap sets, without numbers of processes.
    if not filtered:
        for name in ("seccomp_filter", "program_filter"):
            monkeypatch.setattr(f"scoring.extensions.sandbox.bubblewrap.{name}", lambda: None)
    tried = [attack for attack in CALLS if "0x10000000" in attack.source or str(0x10000000) in attack.source]
    tried += [attack for attack in CALLS if str(0x10000000 | 17) in attack.source]
    assert len(tried) == 3
    with closing(Bubblewrap()) as made:
        made._own_user = False
        for attack in tried:
            printed = made.run(SandboxJob(host.source(attack.source), limits=LONG))[0].stdout
            assert printed.startswith("refused ")
            assert "ESCAPED" not in printed
        assert ("seccomp" in made.level) == (filtered and KNOWN)


def test_the_attacks_are_as_many_as_were_promised() -> None:
    assert len(FIRST) >= 66
    assert len(ATTACKS) - len(FIRST) >= 60
    assert len({attack.source for attack in ATTACKS}) == len(ATTACKS)


HONEST = {
    "reads and prints": "print(input()[::-1])",
    "writes a file": "open('x', 'w').write(input())\nprint(open('x').read())",
    "writes a file and removes it": "import tempfile\nprint(tempfile.NamedTemporaryFile().write(b'x'))",
    "starts a process": "import subprocess\nprint(subprocess.run(['/bin/echo', 'x'], capture_output=True).stdout)",
    "starts threads": "import threading\nthreading.Thread(target=print, args=('x',)).start()",
    "waits for events": "import asyncio\nasync def f():\n    await asyncio.sleep(0)\n    print('x')\nasyncio.run(f())",
    "keeps a table": "import sqlite3\nwith sqlite3.connect('t.db') as t:\n    t.execute('create table a (b)')\n    "
    "t.execute('insert into a values (1)')\nprint(t.execute('select * from a').fetchall())",
    "takes much": "x = bytearray(100 << 20)\nprint(len(x))",
    "computes": "print(sum(n * n for n in range(10 ** 6)))",
    "copies a file": "import shutil\nopen('a', 'w').write('x' * 10 ** 6)\nshutil.copy('a', 'b')\n"
    "print(len(open('b').read()))",
    "copies a file with its times": "import shutil\nopen('a', 'w').write('x')\nprint(shutil.copy2('a', 'b'))",
    "uses devices": "import subprocess\nfor name in ('null', 'zero', 'full', 'random', 'urandom'):\n"
    "    print(len(open(f'/dev/{name}', 'rb').read(4)))\nprint('x', file=open('/dev/null', 'w'))\n"
    "subprocess.run(['/bin/echo'], stdout=subprocess.DEVNULL, check=True)",
    "runs in processes": "import os\nfrom concurrent.futures import ThreadPoolExecutor as P\nwith P(4) as p:\n"
    "    print(sum(p.map(abs, range(10))))",
}


@pytest.mark.parametrize("kind", ["sandbox", "shared"])
@pytest.mark.parametrize("source", HONEST.values(), ids=HONEST)
def test_an_honest_program_runs_and_the_next_one_learns_nothing_of_it(
    source: str, kind: str, host: Host, alone: dict[str, dict[str, Any]], request: pytest.FixtureRequest
) -> None:
    sandbox = request.getfixturevalue(kind)
    _first_alone(sandbox, host, alone)
    word = "the expected output"
    result = sandbox.run(SandboxJob(f"kept = {word!r}\n{source}", (Case(word),), LONG))[0]
    assert (result.status, result.stderr) == ("ok", "")
    assert result.stdout
    _knows_nothing(sandbox, host, alone, whole=True)


@pytest.mark.parametrize(
    "attack", [attack for attack in (*FIRST, *OUTPUT) if attack.stopped], ids=lambda attack: attack.name
)
def test_what_was_stopped_scores_0_with_the_reason(attack: Attack, host: Host) -> None:
    attacked = scoring.scorer(f"run_tests(cases=context, seconds={0.2 if attack.endless else 5.0}, memory_mb=128)")
    outcome = attacked.score(host.source(attack.source), None, context=[{"input": "", "expected": "42"}])
    assert (outcome.status, outcome.value) == ("scored", 0.0)
    assert (outcome.reason or "").startswith("case 1: ")


def test_a_program_cannot_find_what_is_expected_of_it() -> None:
    assert run_tests(PEEK, None, cases=[{"input": "", "expected": "the expected output"}]) == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a program a user of its own")
def test_nothing_is_left_running(sandbox: Bubblewrap, monkeypatch: pytest.MonkeyPatch) -> None:
    user = 4_000_000_000 + os.getpid()  # nobody else's, so that other runs of the sandbox are not seen
    monkeypatch.setattr("scoring.extensions.sandbox.runner.fresh_user", lambda: user)
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
    before = SandboxJob(f"kept = {word!r}\nprint(input(), kept)", (Case(word), Case(word)), LONG)
    assert sandbox.run(before)[1].stdout == f"{word} {word}\n"
    for source in (PEEK, PEEK_INTO_MEMORY):
        assert sandbox.run(SandboxJob(source, limits=LONG))[0].stdout == "nothing\n"
    assert sandbox.run(SandboxJob(f"kept = {word!r}\n{PEEK_INTO_MEMORY}", limits=LONG))[0].stdout == f"{word}\n"


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
            with pytest.raises(Unscored, match="ended twice with this program"):
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
    assert ("seccomp" in sandbox.level) == KNOWN
    assert ("own user" in sandbox.level) == (os.geteuid() == 0)
    assert ("memory per case" in sandbox.level) == bool(find_parent_groups())
    with closing(Bubblewrap(grouped=False)) as other:
        assert other.level.endswith("+memory per process")
