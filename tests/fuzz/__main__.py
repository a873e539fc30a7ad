"""The long run by command; `tests.fuzz` says what it is."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.fuzz.drive import KINDS, Drive, Tally, named
from tests.fuzz.target import Target
from tests.fuzz.targets import TARGETS
from tests.fuzz.worker import Limits

FOLDER = Path("fuzz-findings")


def main(arguments: list[str] | None = None) -> int:
    """Run as the arguments say; 1 when anything was found, 2 when nothing was run."""
    options = _options(arguments)
    if options.list:
        print("\n".join(f"{one.name:12} {(type(one).__doc__ or '').splitlines()[0]}" for one in TARGETS))
        return 0
    try:
        targets = named(options.target or [target.name for target in TARGETS])
    except KeyError as error:
        print(error.args[0], file=sys.stderr)
        return 2
    drive = Drive(Limits(options.cpu_seconds, options.memory_mib), options.processes, options.findings)
    try:
        return _replay(drive, options.replay) if options.replay else _run(drive, targets, options)
    finally:
        drive.close()


def _run(drive: Drive, targets: list[Target], options: argparse.Namespace) -> int:
    drive.run(targets, options.inputs, options.seed, options.seconds)
    print(table(drive.tallies), flush=True)
    for finding, path in drive.saved():
        named = f"{finding.target}/{finding.member}: {finding.symptom[:90]}"
        print(f"{finding.kind:9} {finding.times:6} × {named}  {path}", flush=True)
    return 1 if drive.findings else 0


def _replay(drive: Drive, path: Path) -> int:
    found = drive.replay(path)
    print(f"{found.kind}: {found.symptom}\n{found.detail}" if found else "it is no more")
    return 1 if found else 0


def table(tallies: dict[str, Tally]) -> str:
    """A row for each target and one for all."""
    rows: list[tuple[str, ...]] = [("target", "inputs", "a second", "refused", "slowest", *KINDS)]
    whole = Tally()
    for name, tally in (*tallies.items(), ("all", whole)):
        speed = tally.inputs / tally.cpu if tally.cpu else 0.0
        counts = (f"{tally.counts[kind]:,}" for kind in KINDS)
        rows.append(
            (name, f"{tally.inputs:,}", f"{speed:,.0f}", f"{tally.refused:,}", f"{tally.slowest:.2f} s", *counts)
        )
        whole.inputs, whole.refused = whole.inputs + tally.inputs, whole.refused + tally.refused
        whole.cpu, whole.slowest = whole.cpu + tally.cpu, max(whole.slowest, tally.slowest)
        whole.counts += tally.counts
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if at == 0 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description="Fuzz every room; see tests/fuzz/__init__.py."
    )
    parser.add_argument("--inputs", type=int, default=1_000_000, help="how many inputs, over all targets")
    parser.add_argument("--target", action="append", help="one target, may be given again; or `module:ATTRIBUTE`")
    parser.add_argument("--seed", type=int, default=0, help="the same seed draws the same inputs")
    parser.add_argument("--seconds", type=float, default=0.0, help="begin no further inputs after so many; 0: no limit")
    parser.add_argument("--processes", type=int, default=2, help="processes at once, at least two")
    parser.add_argument("--cpu-seconds", type=float, default=10.0, help="the CPU time that one input may take")
    parser.add_argument("--memory-mib", type=int, default=4096, help="by how much a process may grow; 0: no limit")
    parser.add_argument("--findings", type=Path, default=FOLDER, help="the folder of the minimal reproductions")
    parser.add_argument("--replay", type=Path, help="run a saved finding again")
    parser.add_argument("--list", action="store_true", help="list the targets")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
