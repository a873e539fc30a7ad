"""Judges that are asked from threads and from an event loop."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading

from scoring.extensions.judge.asking.scripted import ScriptedJudge
from scoring.extensions.judge.protocol import ask_judge, use_judge
from scoring.extensions.processes.threads import in_thread
from tests.support.judge_server import JudgeServer
from tests.support.waiting import PATIENCE


def test_an_event_loop_awaits_calls_that_go_on_in_threads() -> None:
    together = threading.Barrier(40)

    def ask(text: str) -> str:
        together.wait(PATIENCE)  # breaks unless all are under way at once
        return ask_judge(text)

    async def main() -> list[str]:
        return await asyncio.gather(*(in_thread(ask, str(number)) for number in range(40)))

    with use_judge(ScriptedJudge(lambda question: question.messages[0].text + "!")):
        assert asyncio.run(main()) == [f"{number}!" for number in range(40)]


LEFT = """
import asyncio, sys
from scoring.extensions.judge.asking.client import HttpJudge
from scoring.extensions.processes.threads import in_thread
from scoring.extensions.judge.asking.settings import JudgeSettings
from scoring.extensions.judge.protocol import Message, Question
judge = HttpJudge(JudgeSettings(sys.argv[1], "m", timeout=10_000.0, grace=0.1))
async def main():
    calls = [in_thread(judge.ask, Question((Message("user", (f"{n}",)),))) for n in range(4)]
    await asyncio.wait_for(asyncio.gather(*calls), 0.3)
try:
    asyncio.run(main())
except TimeoutError:
    print("left")
"""


def test_a_program_ends_whose_event_loop_left_a_server_that_hangs() -> None:
    with JudgeServer() as server:
        server.hold_at = 0
        run = subprocess.run([sys.executable, "-c", LEFT, server.url], capture_output=True, text=True, timeout=PATIENCE)
        server.hold_at = None
    assert (run.stdout, run.stderr) == ("left\n", "")
