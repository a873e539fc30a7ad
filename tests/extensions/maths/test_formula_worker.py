"""The worker for formulas ends with the work that it may do, from any thread, and starts again."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("antlr4", reason="the extra `math` is not installed")
pytest.importorskip("sympy", reason="the extra `math` is not installed")

from scoring.extensions.maths import worker
from scoring.extensions.maths.formulas import equal_equations, equal_formulas
from scoring.extensions.maths.worker import FormulaError, TooSlow, formula_text, formulas_equal, is_formula_too_large
from scoring.extensions.structure.arithmetic import NotArithmetic, evaluate_expression
from scoring.result import Unscored
from tests.support.waiting import PATIENCE, cpu_time_below


@pytest.fixture(autouse=True, scope="module")
def no_worker_is_left() -> Iterator[None]:
    yield
    worker._pool.close()


def test_a_formula_that_never_ends_is_cut_off_and_the_next_one_is_answered() -> None:
    for one, other in (("99999999!", "99999998!"), ("(x+y+z+w)^{14}", "(x+y+z+w)^{13}(x+y+z+w+1)")):
        with pytest.raises(TooSlow):
            formulas_equal(one, other, limit=0.2)
    assert formulas_equal("x+x", "2x", limit=PATIENCE)


EDGE = {"ask": "decide", "first": r"\frac{a}{b}+\frac{c}{d}", "second": r"\frac{ad+bc}{bd}"}


@pytest.fixture(scope="module")
def calls() -> int:
    """How many calls the formulas at the edge take."""
    return int(_asked(10**9)["calls"])


def _asked(most: int, others: bool = False) -> dict[str, Any]:
    one, over = worker._Worker(), threading.Event()
    # What others do to a process is that it stands still most of the time.
    hindered = threading.Thread(target=_hinder, args=(one.process, over))
    try:
        if others:
            hindered.start()
        return one.ask({**EDGE, "cpu": PATIENCE, "calls": most}, PATIENCE)
    finally:
        over.set()
        if others:
            hindered.join()
        one.stop()


def _hinder(process: subprocess.Popen[bytes], over: threading.Event) -> None:
    while not over.is_set():
        process.send_signal(signal.SIGSTOP)
        over.wait(0.03)
        process.send_signal(signal.SIGCONT)
        over.wait(0.01)


@pytest.mark.parametrize("busy", [False, True])
def test_what_may_be_done_is_the_same_on_a_busy_machine(calls: int, busy: bool) -> None:
    assert _asked(calls * 101 // 100, busy)["decide"] is True
    assert _asked(calls * 99 // 100, busy) == {"error": "TooMuch", "message": ""}


def test_what_is_not_answered_in_little_time_is_counted(calls: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "_quickly", lambda *_: None)  # no question is answered in so little
    assert worker._ask(EDGE, calls * 1.01 / worker.CALLS_A_SECOND)["decide"] is True
    with pytest.raises(TooSlow):
        worker._ask(EDGE, calls * 0.99 / worker.CALLS_A_SECOND)


@pytest.mark.parametrize(
    "failure", [FormulaError("Stuck", "the worker is stuck"), FormulaError("WorkerDied", "the worker died")]
)
def test_a_worker_that_fails_is_no_verdict_on_the_formula(failure: FormulaError) -> None:
    """Killed from outside, or never let run: asked again, then unscored, and never a score or a kept failure."""
    asked: list[float] = []
    ask = worker._Worker.ask

    def failing(times: int) -> Any:
        def answer(self: Any, question: dict[str, Any], limit: float) -> Any:
            asked.append(limit)
            if len(asked) <= times:
                self.stop()
                raise failure
            return ask(self, question, limit)

        return answer

    def without_sympy(self: Any) -> None:
        self.process = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker._Worker, "__init__", without_sympy)  # it is not asked anything
        patch.setattr(worker._Worker, "ask", failing(2))
        with pytest.raises(Unscored, match="twice: run it again"):
            equal_formulas(f"{len(failure.kind)}x+41", f"41+{len(failure.kind)}x")
    assert len(asked) == 2
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker._Worker, "ask", failing(3))
        assert equal_formulas(f"{len(failure.kind)}x+41", f"41+{len(failure.kind)}x") == 1.0


def test_a_hang_is_paid_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    ask = worker._ask
    monkeypatch.setattr(worker, "_ask", lambda question, limit: asked.append(question) or ask(question, limit))
    for _ in range(2):
        with pytest.raises(TooSlow):
            formulas_equal("99999997!", "99999996!", limit=0.3)
    assert len(asked) == 1


def test_an_answer_that_nobody_waited_for_is_not_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    assert formula_text("3u", limit=PATIENCE) == "3*u", "a worker is idle"
    with monkeypatch.context() as patch:
        patch.setattr("scoring.extensions.processes.pipes.PipeBlocks.next", interrupted)
        with pytest.raises(KeyboardInterrupt):
            formula_text("5v", limit=PATIENCE)
    assert formula_text("7w", limit=PATIENCE) == "7*w"


def test_a_start_that_is_interrupted_leaves_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[Any]] = []
    begin = subprocess.Popen

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("subprocess.Popen", lambda *given, **more: started.append(begin(*given, **more)) or started[-1])
    monkeypatch.setattr("scoring.extensions.processes.pipes.PipeBlocks.next", interrupted)
    with pytest.raises(KeyboardInterrupt):
        worker._Worker()
    assert [process.returncode for process in started] == [-signal.SIGKILL]


def test_a_forked_process_has_workers_of_its_own_and_drops_no_other_noisily() -> None:
    program = (
        "import os, sys\n"
        "from scoring.extensions.maths.worker import formula_text\n"
        "assert formula_text('2x', limit=120) == '2*x'\n"
        "if (child := os.fork()) == 0:\n"
        "    assert formula_text('3x', limit=120) == '3*x'\n"
        "    sys.exit(7)\n"
        "assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7\n"
        "assert formula_text('4x', limit=120) == '4*x'\n"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr == ""


def test_threads_ask_at_the_same_time() -> None:
    answers: dict[int, str] = {}
    threads = [
        threading.Thread(target=lambda n=n: answers.__setitem__(n, formula_text(f"x^{{{n}}}", limit=PATIENCE)))
        for n in range(3, 7)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {n: f"x**{n}" for n in range(3, 7)}


def test_a_worker_that_dies_is_replaced() -> None:
    assert formula_text("1+x", limit=PATIENCE) == "1 + x" or formula_text("1+x", limit=PATIENCE) == "x + 1"
    for one in worker._pool._idle:
        one.process.kill()
        one.process.wait()
    assert formula_text("4x", limit=PATIENCE) == "4*x"


def test_a_worker_that_dies_over_a_question_is_no_answer() -> None:
    one = worker._Worker()
    one.process.kill()
    one.process.wait()
    with pytest.raises(FormulaError) as raised:
        one.ask({"ask": "text", "first": "x", "cpu": PATIENCE}, PATIENCE)
    assert raised.value.kind == "WorkerDied"


@pytest.mark.parametrize("formula", ["(" * 200, "{" * 200 + "}" * 200, "x" * 5000, "2" + "^2" * 500])
def test_what_is_too_large_is_not_even_asked(formula: str) -> None:
    assert is_formula_too_large(formula)
    with pytest.raises(FormulaError) as raised:
        formula_text(formula, limit=PATIENCE)
    assert raised.value.kind == "TooLarge"


def test_text_is_never_evaluated(tmp_path_factory: pytest.TempPathFactory) -> None:
    place = tmp_path_factory.mktemp("evaluated") / "written"
    attack = f"__import__('pathlib').Path('{place}').touch()"
    with pytest.raises((FormulaError, AssertionError)):
        assert formula_text(attack, limit=PATIENCE) is None
    with pytest.raises(NotArithmetic):
        evaluate_expression(attack)
    assert not place.exists()


@pytest.mark.parametrize(
    "text",
    [
        "len('abc')", "().__class__", "[x for x in (1, 2)]", "lambda: 1", "f'{1}'", "E", "9**9**9", "1 << 99",
        "'a' * 10**9",
        "[1] * 10**9", "(" * 500, "-" * 5000 + "1", "1/0", "2 if 1 else 3", "x := 1", "", "2**-10**9", "[1][0]",
        "{1: 2}",
        "{[1]}", "1 @ 2", "10**99999 * 10**99999",
    ],
)  # fmt: skip
def test_arithmetic_takes_nothing_else(text: str) -> None:
    with cpu_time_below(5), pytest.raises(NotArithmetic):
        evaluate_expression(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3", 7), ("7 // 2", 3), ("7 % 4", 3), ("-2 ** 2", -4), ("(1, 2.5)", (1, 2.5)), ("3 > 2 > 1", True),
        ("1 == 2", False), ("not 1", False), ("1 and 0 or 5", 5), ("0x1F", 31), ("1e3", 1000.0), ("'5'", "5"), ("~1",
        -2),
        ("{1, 2}", {1, 2}), ("None", None), ("5 & 3", 1),
    ],
)  # fmt: skip
def test_arithmetic_gives_what_python_gives(text: str, value: object) -> None:
    assert evaluate_expression(text) == value


@pytest.mark.parametrize(
    ("one", "other", "whole", "number"),
    [
        ("2x+4=0", "x=-2", 1.0, 1.0), ("2x=4", "3x=6", 0.0, 1.0), ("x=1", "x=2", 0.0, 0.0), ("1=1", "1=1", 0.0, 0.0),
        ("no equation", "x=1", 0.0, 0.0), ("x=1=1", "x=1", 0.0, 0.0), ("", "x=1", 0.0, 0.0),
    ],
)  # fmt: skip
def test_equations_are_equal_up_to_a_factor(one: str, other: str, whole: float, number: float) -> None:
    assert (equal_equations(one, other, factor="whole"), equal_equations(one, other)) == (whole, number)


@pytest.mark.parametrize("reference", ["", "x+1", "x=1=y", r"\frac{x}=1", "x<2", "(" * 100 + "=1"])
def test_a_reference_that_is_no_equation_is_told(reference: str) -> None:
    for answer in ("x=1", "1=1", reference):
        with pytest.raises(Unscored, match="the reference can't be read as an equation"):
            equal_equations(answer, reference)


def test_equations_that_take_too_much_work_are_unscored() -> None:
    with pytest.raises(Unscored, match="take more than 100,000 calls of SymPy to compare: raise `seconds`"):
        equal_equations("(x+y+z+w)^{14}=1", "(x+y+z+w)^{13}(x+y+z+w+1)=1", seconds=0.1)
