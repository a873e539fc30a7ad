"""What a program costs in the sandbox, cold and warm, beside a bare interpreter; and programs per second in parallel.

Run: python benchmarks/sandbox.py
"""

from __future__ import annotations

import statistics
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from scoring.extensions.sandbox import SandboxJob
from scoring.extensions.sandbox.bubblewrap import Bubblewrap
from scoring.extensions.sandbox.runner import FLAGS, interpreter
from scoring.extensions.sandbox.warm import ResourceLimits

PROGRAM = SandboxJob("print(1)")


def milliseconds(run: Callable[[], str], times: int = 100) -> str:
    """The time of some runs of a program that prints one line."""
    found = []
    for _ in range(times):
        began = time.perf_counter()
        assert run() == "1\n"
        found.append((time.perf_counter() - began) * 1000)
    return f"best {min(found):.1f} ms, median {statistics.median(found):.1f} ms ({times} runs)"


def bare() -> str:
    """The peer: an interpreter without any sandbox, started for the program."""
    return subprocess.run([interpreter(), *FLAGS, "-c", PROGRAM.source], capture_output=True, text=True).stdout


def main() -> None:
    """Print the times."""
    print(f"a bare interpreter: {milliseconds(bare)}")
    kinds = {"bubblewrap, warm": Bubblewrap(), "bubblewrap, cold": Bubblewrap(warm=False), "rlimits": ResourceLimits()}
    for name, sandbox in kinds.items():
        sandbox.run(PROGRAM)
        print(f"{name}: {milliseconds(lambda sandbox=sandbox: sandbox.run(PROGRAM)[0].stdout)}")
        sandbox.close()
    sandbox = Bubblewrap()
    sandbox.run(PROGRAM)
    began = time.perf_counter()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(sandbox.run, [PROGRAM] * 400))
    print(f"bubblewrap, warm, 4 threads: {400 / (time.perf_counter() - began):.0f} programs/s")
    sandbox.close()


if __name__ == "__main__":
    main()
