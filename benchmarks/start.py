"""What a start costs: CPU time of short commands, as a multiple of a bare `python -c pass` of the same environment.

    python benchmarks/start.py [PYTHON …] [--rounds 10]

Each PYTHON is an interpreter that has the package installed (this one by default); with several, such as one that holds
an older state, their runs alternate. Time is user and system time of the child; the least of the rounds counts, on a
warm page cache and with the byte code written. Records are the first twelve of the quickstart.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

SPECS = Path(__file__).resolve().parents[1] / "specs"
RECORDS = 12
GOALS = {"check, with a pack": 15.0, "score of 12 records": 25.0}


def commands(folder: Path) -> dict[str, list[str]]:
    """The commands by what they are called; the records are written below a folder."""
    quickstart = SPECS / "quickstart"
    data = folder / "records.jsonl"
    data.write_text("".join((quickstart / "invoices.jsonl").open().readlines()[:RECORDS]))
    call = ["-c", "import sys; from scoring.cli.main import main; sys.exit(main())"]
    return {
        "bare": ["-c", "pass"],
        "--help": [*call, "--help"],
        "check": [*call, "check", str(quickstart / "invoices.yaml")],
        "check, with a pack": [*call, "check", str(SPECS / "mmesgbench" / "task.yaml")],
        "test": [*call, "test", str(quickstart / "invoices.yaml")],
        "score of 12 records": [*call, "score", str(quickstart / "invoices.yaml"), str(data)],
    }


def cpu(command: list[str], folder: Path) -> float:
    """Seconds of user and system time that a process takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    # Standing in an empty folder, or `-c` would import the checkout that it stands in.
    subprocess.run(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True, env=environment, cwd=folder
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="CPU time of short commands against a bare Python")
    parser.add_argument("pythons", nargs="*", default=[sys.executable], metavar="PYTHON")
    parser.add_argument("--rounds", type=int, default=10)
    options = parser.parse_args()
    best: dict[tuple[str, str], float] = {}
    with tempfile.TemporaryDirectory() as name:
        every = commands(Path(name))
        for _ in range(options.rounds):
            for what, arguments in every.items():
                for python in options.pythons:
                    took = cpu([python, *arguments], Path(name))
                    best[what, python] = min(took, best.get((what, python), took))
    for python in options.pythons:
        bare = best["bare", python]
        print(f"{python}: bare {1000 * bare:.1f} ms")
        for what in every:
            ratio = best[what, python] / bare
            goal = (
                f"  goal {GOALS[what]:.0f}: {'reached' if ratio <= GOALS[what] else 'missed'}" if what in GOALS else ""
            )
            print(f"  {what:20} {1000 * best[what, python]:7.1f} ms {ratio:6.1f}x{goal}")


if __name__ == "__main__":
    main()
