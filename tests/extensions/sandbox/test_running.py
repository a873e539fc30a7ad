"""What the sandbox gives back, how it is chosen, and many programs at once."""

from __future__ import annotations

import select
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import pytest

from scoring.effects import taking_notes
from scoring.extensions.sandbox import (
    Case,
    CaseResult,
    Limits,
    Sandbox,
    SandboxJob,
    SandboxUnavailable,
    bubblewrap,
    current_sandbox,
    set_sandbox,
    use_sandbox,
)
from scoring.extensions.sandbox.bubblewrap import Bubblewrap
from scoring.extensions.sandbox.primitives.cases import PRINTED, standard_input
from scoring.extensions.sandbox.primitives.programs import run_tests
from scoring.extensions.sandbox.runner import Runner
from scoring.extensions.sandbox.seccomp import seccomp_filter
from scoring.extensions.sandbox.warm import ResourceLimits
from scoring.result import Unscored
from tests.support.waiting import PATIENCE

needs_bubblewrap = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
QUICK = Limits(wall_seconds=30.0, cpu_seconds=1)


@pytest.fixture(scope="module", params=["warm", "cold", "rlimits"])
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    if request.param == "rlimits":
        made: Sandbox = ResourceLimits()
    elif shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    else:
        made = Bubblewrap(warm=request.param == "warm")
    yield made
    made.close()


def test_every_case_has_its_own_input_and_output(sandbox: Sandbox) -> None:
    cases = tuple(Case(f"{number}\n") for number in range(4))
    results = sandbox.run(SandboxJob("print(int(input()) ** 2)", cases))
    assert [(result.status, result.stdout) for result in results] == [("ok", f"{n * n}\n") for n in range(4)]


@pytest.mark.parametrize(
    ("source", "status", "said"),
    [
        ("print('half')\n1/0", "failed", "ZeroDivisionError"),
        ("import sys\nsys.exit(3)", "failed", ""),
        ("import sys\nsys.exit('no')", "failed", "no"),
        ("print(", "failed", "SyntaxError"),
        ("while True: pass", "too_slow", ""),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "killed", ""),
        ("while True: print('x' * 9999)", "too_much_output", ""),
        ("print('\\ud800'.encode('utf-8', 'surrogatepass'))", "ok", ""),
        ("import sys\nsys.stdout.buffer.write(bytes([255, 254]))", "ok", ""),
        ("import atexit\nprint('a')", "ok", ""),
        ("def f(n): return 1 if n < 2 else n * f(n - 1)\nprint(f(5))", "ok", ""),
        ("if __name__ == '__main__':\n    print('main')", "ok", ""),
        ("import threading\nt = threading.Thread(target=print, args=('t',))\nt.start()", "ok", ""),
    ],
)
def test_how_a_case_ends(sandbox: Sandbox, source: str, status: str, said: str) -> None:
    result = sandbox.run(SandboxJob(source, limits=QUICK))[0]
    assert result.status == status, result
    assert said in result.stderr


def test_output_is_kept_up_to_the_limit(sandbox: Sandbox) -> None:
    limits = Limits(wall_seconds=30, output_bytes=1000)
    assert len(sandbox.run(SandboxJob("print('x' * 100000)", limits=limits))[0].stdout) <= 1000


def test_a_failing_case_does_not_spoil_the_next(sandbox: Sandbox) -> None:
    source = "n = int(input())\nwhile n == 1: pass\nprint(n)"
    results = sandbox.run(SandboxJob(source, (Case("1"), Case("2")), QUICK))
    assert [result.status for result in results] == ["too_slow", "ok"]


@needs_bubblewrap
def test_many_programs_run_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    run, gate = Runner.run, threading.Barrier(4)

    def together(runner: Runner, program: SandboxJob, case: Case) -> CaseResult:
        gate.wait(PATIENCE)  # breaks unless four are here at once
        return run(runner, program, case)

    with closing(Bubblewrap()) as sandbox, ThreadPoolExecutor(4) as pool:
        assert sandbox.run(SandboxJob("print(1)"))[0].stdout == "1\n"
        monkeypatch.setattr(Runner, "run", together)
        results = list(pool.map(sandbox.run, [SandboxJob("print(input())", (Case(str(n)),)) for n in range(12)]))
    assert [result[0].stdout for result in results] == [f"{n}\n" for n in range(12)]


def test_a_program_that_is_interrupted_leaves_no_answer_for_the_next(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(reads: list[int], *rest: Any) -> Any:
        if reads:
            raise KeyboardInterrupt
        return wait(reads, *rest)

    assert sandbox.run(SandboxJob("print(0)"))[0].stdout == "0\n"
    wait = select.select
    with monkeypatch.context() as patch:
        patch.setattr("select.select", interrupted)
        with pytest.raises(KeyboardInterrupt):
            sandbox.run(SandboxJob("print(1)"))
    assert sandbox.run(SandboxJob("print(2)"))[0].stdout == "2\n"


@needs_bubblewrap
def test_a_sandbox_that_is_dropped_leaves_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    begin, started = subprocess.Popen, []
    monkeypatch.setattr("subprocess.Popen", lambda *given, **more: started.append(begin(*given, **more)) or started[-1])
    sandbox = Bubblewrap()
    assert sandbox.run(SandboxJob("print(1)"))[0].stdout == "1\n"
    del sandbox
    assert [process.returncode for process in started] == [-signal.SIGKILL] * len(started)


@needs_bubblewrap
def test_closing_leaves_a_sandbox_that_can_be_used_again() -> None:
    sandbox = Bubblewrap()
    for _ in range(2):
        assert sandbox.run(SandboxJob("print(1)"))[0].stdout == "1\n"
        sandbox.close()


def test_a_weaker_mode_is_never_taken_silently(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SCORING_SANDBOX", raising=False)
    monkeypatch.setattr(bubblewrap, "_program", _missing)
    set_sandbox(None)
    with pytest.raises(SandboxUnavailable, match=r"apt-get install bubblewrap.*must be chosen by name"):
        Bubblewrap()


def _missing() -> str:
    raise SandboxUnavailable(bubblewrap._MISSING)


def test_a_sandbox_is_chosen_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCORING_SANDBOX", "rlimits")
    assert current_sandbox().level == "rlimits (no isolation)"
    monkeypatch.setenv("SCORING_SANDBOX", "chroot")
    with pytest.raises(SandboxUnavailable, match="there is no sandbox `chroot`"):
        current_sandbox()
    set_sandbox("rlimits")
    assert current_sandbox().name == "rlimits"
    set_sandbox(None)


class _Scripted:
    name = level = "scripted"

    def __init__(self, *results: CaseResult) -> None:
        self.results = results

    def run(self, program: SandboxJob) -> list[CaseResult]:
        return list(self.results[: len(program.cases)])

    def close(self) -> None:
        self.results = ()


def test_run_tests_counts_the_cases_and_names_the_first_failure() -> None:
    cases = [{"input": "1", "expected": "a"}, {"input": "2", "expected": "b"}]
    scripted = _Scripted(CaseResult("ok", "a\n"), CaseResult("failed", "", "Traceback\nNameError: x", "exit code 1"))
    with use_sandbox(scripted), taking_notes() as notes:
        score = run_tests("…", None, cases=cases)
    assert score == 0.5
    assert notes["reason"] == "case 2: it ended with an error (exit code 1; NameError: x)"


def test_a_chosen_sandbox_is_that_of_its_thread() -> None:
    seen: list[str] = []
    with use_sandbox(_Scripted()):
        thread = threading.Thread(target=lambda: seen.append(_name()))
        thread.start()
        thread.join()
        assert current_sandbox().name == "scripted"
    assert seen != ["scripted"]


def _name() -> str:
    try:
        return current_sandbox().name
    except SandboxUnavailable:
        return "none"


@pytest.mark.parametrize("cases", [[], "text", [1], [{"input": "1"}], {"input": "1", "expected": 3}])
def test_unreadable_cases_leave_the_record_unscored(cases: object) -> None:
    with pytest.raises(Unscored):
        run_tests("print(1)", None, cases=cases)


def test_outputs_are_compared_line_by_line() -> None:
    assert PRINTED["lines"]("a \nb\n\n", "a\nb")
    assert not PRINTED["lines"](" a", "a")
    assert not PRINTED["lines"]("a\n\nb", "a\nb")
    assert standard_input({"input": "a\nb"}) == "a\nb"


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_jumps_stay_within_it(machine: str) -> None:
    rules = seccomp_filter(machine)
    assert rules is not None
    steps = [rules[place : place + 8] for place in range(0, len(rules), 8)]
    assert len(steps) < 4096
    for place, step in enumerate(steps):
        if step[0] & 7 == 5:  # a jump: both targets are steps of the filter
            assert place + 1 + max(step[2], step[3]) < len(steps)
    assert steps[-1][0] == 6
