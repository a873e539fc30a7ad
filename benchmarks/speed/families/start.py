"""What a start costs: short commands beside an interpreter that does nothing."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.speed.row import SPECS, Command, Peer, Row, bare_python, scoring_command

GOALS = {"check-pack": 1 / 15, "score-12": 1 / 25, "list": 1 / 15}


def nothing(folder: Path, size: int, seed: int) -> None:
    """The files are those of the repository, but for the records."""
    with (SPECS / "quickstart" / "invoices.jsonl").open() as lines:
        (folder / "records.jsonl").write_text("".join(lines.readlines()[:size]))


def ours(*arguments: str) -> Command:
    """A command; its output is no figure."""
    return Command(
        lambda folder: [*scoring_command(), *(one.format(folder=folder) for one in arguments)], lambda _: None
    )


def beside_python(name: str, work: str, command: Command) -> Row:
    """A command beside a bare interpreter."""
    floor = bare_python()
    peer = Peer(floor.name, floor.does, goal=GOALS.get(name), is_floor=True)
    return Row(f"start/{name}", work, 12, nothing, command, (peer,))


QUICKSTART = str(SPECS / "quickstart" / "invoices.yaml")
ROWS = [
    beside_python(
        "import", "`import scoring`", Command(lambda _: [sys.executable, "-c", "import scoring"], lambda _: None)
    ),
    beside_python("help", "`scoring --help`", ours("--help")),
    beside_python("check", "`scoring check` of one task", ours("check", QUICKSTART)),
    beside_python(
        "check-pack", "`check` of a task with a pack", ours("check", str(SPECS / "mmesgbench" / "task.yaml"))
    ),
    beside_python("test", "`scoring test` of one task", ours("test", QUICKSTART)),
    beside_python("list", "`scoring list`", ours("list")),
    beside_python("score-12", "`scoring score` of 12 records", ours("score", QUICKSTART, "{folder}/records.jsonl")),
]
