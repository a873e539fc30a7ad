"""Run several tools on the same input, each in a process of its own, and print CPU seconds and peak memory.

A benchmark script defines workers by name; it is started again with `--worker NAME` for each of them. Imports are
not counted, reading the input is.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

Work = Callable[[], Any]
#: Prepares (imports), then returns what is measured.
Worker = Callable[[Path], Work]


def main(workers: Mapping[str, Worker], prepare: Callable[[Path], None], description: str) -> None:
    """Measure all workers, or be one of them.

    Args:
        workers: What can be measured, ours first.
        prepare: Writes the input files into a folder.
        description: First line of the table.
    """
    if "--worker" in sys.argv:
        name, folder = sys.argv[sys.argv.index("--worker") + 1 :][:2]
        print(json.dumps(_measure(workers[name], Path(folder))))
        return
    import tempfile

    rounds = max(int(sys.argv[sys.argv.index("--rounds") + 1]), 1) if "--rounds" in sys.argv else 2
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder))
        print(description)
        _table({name: _best(name, folder, rounds) for name in workers})


def _measure(worker: Worker, folder: Path) -> dict[str, Any]:
    work = worker(folder)
    cpu, wall = time.process_time(), time.perf_counter()
    headline = work()
    return {
        "cpu": time.process_time() - cpu,
        "wall": time.perf_counter() - wall,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "headline": headline,
    }


def _best(name: str, folder: str, rounds: int) -> dict[str, Any] | None:
    """The round with the least CPU time; None where the tool is not installed."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "TQDM_DISABLE": "1"}
    found = []
    for _ in range(rounds):
        command = [sys.executable, sys.argv[0], "--worker", name, folder]
        run = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        if run.returncode:
            if "ModuleNotFoundError" in run.stderr:
                return None
            raise SystemExit(f"{name} failed:\n{run.stderr}")
        found.append(json.loads(run.stdout.splitlines()[-1]))
    return min(found, key=lambda one: one["cpu"])


def _table(results: Mapping[str, dict[str, Any] | None]) -> None:
    ours = next(iter(results.values()))
    assert ours is not None
    print(f"{'tool':42}{'CPU s':>9}{'× ours':>9}{'wall s':>9}{'peak MB':>9}  result")
    for name, one in results.items():
        if one is None:
            print(f"{name:42} not installed")
            continue
        ratio = one["cpu"] / ours["cpu"]
        print(f"{name:42}{one['cpu']:9.3f}{ratio:9.1f}{one['wall']:9.2f}{one['peak']:9.0f}  {one['headline']}")


def quiet(function: Callable[[], Any]) -> Any:
    """Run what prints on the way, and drop what it prints.

    Args:
        function: What to run.
    """
    import contextlib
    import io

    with contextlib.redirect_stdout(io.StringIO()):
        return function()


def golden(name: str) -> Path:
    """A file of the golden folder.

    Args:
        name: Its name within `valor`.
    """
    root = Path(__file__).resolve().parents[1]
    sys.path.insert(0, str(root))
    from tests.support.golden import golden_dir

    folder = golden_dir()
    if folder is None:
        raise SystemExit("set SCORING_GOLDEN to the golden folder")
    return folder / "valor" / name


def shown(values: Sequence[float]) -> str:
    """Numbers for the last column.

    Args:
        values: Headlines.
    """
    return " ".join(f"{value:.6f}" for value in values)
