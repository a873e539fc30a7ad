"""What each primitive, definition and recipe makes of 540 kB: CPU seconds and memory, and how they grow.

Each call is a process of its own with a bound on its CPU time, so one that hangs costs that and is listed. Each
is given texts, lists, sets, mappings, numbers and shapes of many forms, whatever it takes; what it refuses costs
nothing and is no finding.

    python benchmarks/growth.py                      # all of them; some minutes
    python benchmarks/growth.py align levenshtein    # these alone
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from math import log2
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.support.growing import Step, cases, cookbook, definitions, primitives  # the path is set above

SIZES = (33_750, 135_000, 540_000)
SECONDS, MEGABYTES, NOTABLE, STEEP = 3, 300, 1.0, 1.3
ENOUGH = 4


def cost(call: Callable[[], Any]) -> tuple[float, float, str] | None:
    """CPU seconds, megabytes and the outcome of a call in a process of its own; None where it took too long."""
    here, there = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(here)
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
        before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
        try:
            outcome = repr(call())[:120]
        except Exception as error:
            outcome = f"{type(error).__name__}: {str(error)[:100]}"
        took = time.process_time() - began
        more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        os.write(there, json.dumps([took, more, outcome]).encode())
        os._exit(0)
    os.close(there)
    with os.fdopen(here, "rb") as answers:
        found = answers.read()
    os.waitpid(child, 0)
    return tuple(json.loads(found)) if found else None


def measured(step: Step) -> Iterator[tuple[str, list[tuple[float, float, str] | None]]]:
    """The costs of one step for each form of input, by growing size; what is quick at the greatest is left out."""
    run = step.run
    with suppress(Exception):  # what it loads, it loads once; a step that takes no text says so
        run("一 word", "a word")
    stopped = 0
    for name, (one, other) in cases(SIZES[-1]).items():
        if step.is_parser and name.endswith("short reference"):
            continue
        most = cost(lambda one=one, other=other: run(one, other))
        stopped += most is None
        if stopped > ENOUGH:
            return
        if most is not None and most[0] < 0.2 and most[1] < MEGABYTES / 3:
            continue
        pairs = [cases(size)[name] for size in SIZES[:-1]]
        yield name, [*(cost(lambda pair=pair: run(*pair)) for pair in pairs), most]


def main() -> None:
    """Print a line for each step and form that takes notable work."""
    wanted, steep = sys.argv[1:], 0
    for step in (*primitives(), *definitions(), *cookbook()):
        if wanted and step.name.partition("(")[0] not in wanted:
            continue
        try:
            for form, costs in measured(step):
                seconds = [one[0] if one else None for one in costs]
                first, second = seconds[0], seconds[1]
                exponent = log2(second / first) / 2 if first and second and second > 0.005 else float("nan")
                last = costs[-1]
                is_bad = last is None or last[0] > NOTABLE or last[1] > MEGABYTES or exponent > STEEP
                steep += is_bad
                shown = " ".join("  stopped" if one is None else f"{one:9.3f}" for one in seconds)
                outcome = last[2] if last else ""
                print(f"{'!' if is_bad else ' '} {step.name[:44]:44} {form[:34]:34} {shown} ^{exponent:4.1f} "
                      f"{last[1] if last else 0:6.0f} MB  {outcome}", flush=True)  # fmt: skip
        except Exception as error:
            print(f"? {step.name}: {type(error).__name__}: {str(error)[:150]}", flush=True)
    print(f"{steep} are dear or steep")


if __name__ == "__main__":
    main()
