"""What a program costs in the sandbox: median start-up, cold and warm, and programs per second in parallel.

Run: python benchmarks/sandbox.py
"""

from __future__ import annotations

import statistics
import time
from concurrent.futures import ThreadPoolExecutor

from scoring.sandbox import SandboxJob
from scoring.sandbox.bubblewrap import Bubblewrap
from scoring.sandbox.rlimits import ResourceLimits
from scoring.sandbox.warm import WarmSandbox

PROGRAM = SandboxJob("print(1)")


def milliseconds(sandbox: WarmSandbox, times: int) -> list[float]:
    """The time of each of some runs of a program that prints one line."""
    sandbox.run(PROGRAM)
    found = []
    for _ in range(times):
        began = time.perf_counter()
        assert sandbox.run(PROGRAM)[0].stdout == "1\n"
        found.append((time.perf_counter() - began) * 1000)
    sandbox.close()
    return found


def main() -> None:
    """Print the medians."""
    kinds = {"bubblewrap, warm": Bubblewrap(), "bubblewrap, cold": Bubblewrap(warm=False), "rlimits": ResourceLimits()}
    for name, sandbox in kinds.items():
        found = milliseconds(sandbox, 100)
        print(f"{name}: median {statistics.median(found):.1f} ms, 95 % {sorted(found)[94]:.1f} ms (100 runs)")
    sandbox = Bubblewrap()
    sandbox.run(PROGRAM)
    began = time.perf_counter()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(sandbox.run, [PROGRAM] * 400))
    print(f"bubblewrap, warm, 4 threads: {400 / (time.perf_counter() - began):.0f} programs/s")
    sandbox.close()


if __name__ == "__main__":
    main()
