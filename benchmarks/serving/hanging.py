"""Print what rows that hang cost a batch, as multiples of their time limit, and the CPU time of 512 rows that do not.

    python -m benchmarks.serving.hanging                # a limit of 2 s
    python -m benchmarks.serving.hanging --seconds 1

A batch of 32 rows is scored by `task.worker`, of which some hang: at the beginning, at the end, and among the others;
`busy` ones take all of a processor meanwhile. The first column is the first batch of a worker, the others those after
it, for which as many processes stand ready as the first one needed, if the pause between them was long enough to start
them. `load` is how many programs wanted one of the machine's processors.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_STEP = '''
import time
from scoring.registry import primitive
from scoring.values import Score

@primitive
def wait(prediction: str, reference: str, /) -> Score:
    """Hang where the answer says so.

    Examples:
        >>> wait("a", "a")
        1.0
    """
    while prediction == "busy":
        pass
    if prediction == "hang":
        time.sleep(600)
    return float(prediction == reference)
'''
_BATCH = 32
_COUNTS = (0, 1, 2, 4, 8)


def _measure(seconds: float, pause: float) -> None:
    import scoring

    task = scoring.load({"kind": "task", "name": "t", "score": "hanging/wait"})
    print(f"{'hanging rows of 32':28}" + "".join(f"{f'batch {number}':>10}" for number in range(1, 5)))
    for kind in ("hang", "busy"):
        for count in _COUNTS:
            for name, places in (("first", range(count)), ("apart", range(3, _BATCH, _BATCH // max(1, count)))):
                said = [kind if at in list(places)[:count] else "a" for at in range(_BATCH)]
                if not count and (name, kind) != ("first", "hang"):
                    continue
                with task.worker(seconds=seconds) as worker:
                    found = []
                    for _ in range(4):
                        time.sleep(pause)
                        began = time.perf_counter()
                        scores = worker.score_columns(said, ["a"] * _BATCH)
                        found.append((time.perf_counter() - began) / seconds)
                        assert scores.statuses == ["unscored" if one == kind else "scored" for one in said]
                shown = "".join(f"{share:9.2f}×" for share in found)
                print(f"{count} {kind}, {name:20}{'':3}{shown}  load {os.getloadavg()[0]:.1f}", flush=True)
    with task.worker(seconds=seconds) as worker:
        for _ in range(3):
            worker.score_columns(["a"] * 512, ["a"] * 512)
        before = resource.getrusage(resource.RUSAGE_SELF)
        worker.score_columns(["a"] * 512, ["a"] * 512)
        after = resource.getrusage(resource.RUSAGE_SELF)
    print(f"512 rows: {after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime:.3f} s of CPU in the host")


def main() -> None:
    """Measure in a process that finds the step among its packages."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.serving.hanging",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seconds", type=float, default=2.0, help="the time limit of a row")
    parser.add_argument("--pause", type=float, default=4.0, help="the seconds before each batch")
    given = parser.parse_args()
    if "SCORING_HANGING" in os.environ:
        _measure(given.seconds, given.pause)
        return
    with tempfile.TemporaryDirectory() as folder:
        info = Path(folder, "hanging_steps-1.0.dist-info")
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: hanging-steps\nVersion: 1.0\n", encoding="utf-8")
        (info / "entry_points.txt").write_text("[scoring.primitives]\nhanging = hanging_steps\n", encoding="utf-8")
        Path(folder, "hanging_steps.py").write_text(_STEP, encoding="utf-8")
        path = os.pathsep.join([folder, *(part for part in sys.path if part)])
        command = [sys.executable, "-m", "benchmarks.serving.hanging", *sys.argv[1:]]
        sys.exit(subprocess.run(command, env={**os.environ, "PYTHONPATH": path, "SCORING_HANGING": "1"}).returncode)


if __name__ == "__main__":
    main()
