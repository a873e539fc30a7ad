"""What a wide run costs for each record, measured on a sample, and what that makes of many: machines, hours.

    python benchmarks/wide.py specs/quickstart/invoices.yaml big.jsonl                   # a sample of 20 CPU seconds
    python benchmarks/wide.py SPEC 's3://bucket/*.parquet' --records 1e9 --machines 8 --processors 16 --state sums

It scores parts as every engine does (`scoring.extensions.wide.part.PartScorer`), in this process, and merges what
came of them as the driver does. Nothing in the plan is from memory but the two speeds that stand in its options.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, field, replace

import scoring
from scoring.data.chunking import cut
from scoring.data.file import InputFile
from scoring.data.json_write import dumps
from scoring.data.rows.read import read_blocks
from scoring.engine.road.evaluate import Options
from scoring.extensions.wide.part import PartDone, PartScorer


@dataclass
class Measured:
    """What a sample took: sums over its parts."""

    records: int = 0
    read: float = 0.0
    written: int = 0
    scoring: float = 0.0
    reading: float = 0.0
    merging: float = 0.0
    merges: int = 0
    merged: PartDone | None = None
    states: list[tuple[int, int]] = field(default_factory=list)

    def held(self) -> tuple[float, float]:
        """The bytes of a state that are there however many records it has, and those for each record."""
        (few, small), (many, large) = self.states[0], self.states[-1]
        slope = max(0.0, (large - small) / (many - few)) if many > few else small / few
        return max(0.0, small - slope * few), slope


def measure(spec: str, data: str, options: Options, layout: str, seconds: float, size: int) -> Measured:
    """Score parts until the time is up; each is read once more by itself, to tell reading from scoring."""
    task, found, file = scoring.load(spec), Measured(), InputFile(data)
    scorer, parts = PartScorer(task.to_bytes(), options, layout), list(cut(file, size))
    joiner = replace(scorer, options=replace(options, lines=False))  # the driver hands records on, and joins the rest
    scorer(parts[0].halves(128)[0])  # imports and compiles
    for part in parts:
        started = time.process_time()
        rows = sum(map(len, read_blocks(InputFile.of(part))))
        read = time.process_time()
        done = scorer(part)
        scored = time.process_time()
        found.reading += read - started
        found.scoring += scored - read
        found.records += rows
        found.written += len(done.lines)
        found.read += file.size / len(parts)
        done = replace(done, lines=b"")
        if found.merged is not None:
            found.merged, found.merges = joiner.merge(found.merged, done), found.merges + 1
            found.merging += time.process_time() - scored
        found.merged = found.merged or done
        found.states.append((found.records, len(dumps(found.merged.state)) + len(found.merged.ids)))
        if found.scoring > seconds:
            break
    return found


def plan(found: Measured, given: argparse.Namespace) -> list[tuple[str, float]]:
    """Hours of each thing that takes time, were it alone, the longest first."""
    share, near = given.records / found.records, given.machines * given.network * 1e6
    processors = given.machines * given.processors
    seconds = {
        f"scoring on {processors} processors": share * found.scoring / processors,
        f"reading at {given.network:g} MB/s a machine": share * found.read / near,
        f"record lines through the driver at {given.network:g} MB/s": share * found.written / given.network / 1e6,
        "merging in the driver": share * found.read / given.part / 1e6 * found.merging / max(1, found.merges),
    }
    return sorted(((name, took / 3600) for name, took in seconds.items()), key=lambda line: -line[1])


def main() -> None:
    """Print what one record costs, and the plan."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spec")
    parser.add_argument("data")
    parser.add_argument("--records", type=float, default=1e9, help="how many are planned")
    parser.add_argument("--machines", type=int, default=8)
    parser.add_argument("--processors", type=int, default=16, help="of each machine")
    parser.add_argument("--network", type=float, default=500.0, help="MB/s of each machine, to and from the store")
    parser.add_argument("--state", choices=("exact", "sums"), default="sums")
    parser.add_argument("--part", type=float, default=16.0, help="MB of a part")
    parser.add_argument("--scores", choices=("jsonl", "parquet"), default="jsonl", help="what parts write")
    parser.add_argument("--no-lines", action="store_true", help="write no scores, figures alone")
    parser.add_argument("--seconds", type=float, default=20.0, help="CPU seconds of the sample")
    given = parser.parse_args()
    options = Options(lines=not given.no_lines, keep="nothing", state=given.state)
    found = measure(given.spec, given.data, options, given.scores, given.seconds, int(given.part * 1e6))
    fixed, slope = found.held()
    print(f"measured on {found.records:,} records, one process, state `{given.state}`")
    each = [
        ("CPU", 1e6 * found.scoring / found.records, "µs"),
        ("  of which reading", 1e6 * found.reading / found.records, "µs"),
        ("read", found.read / found.records, "bytes"), ("written", found.written / found.records, "bytes"),
        ("held by the state", slope, f"bytes, and {fixed / 1e3:.1f} kB however many"),
        ("merging a part", 1e3 * found.merging / max(1, found.merges), "ms in the driver"),
    ]  # fmt: skip
    for name, value, unit in each:
        print(f"  {name:28} {value:10.2f} {unit}")
    print(f"planned: {given.records:,.0f} records, {given.machines} machines of {given.processors} processors")
    for name, hours in plan(found, given):
        print(f"  {name:44} {hours:8.2f} h")
    total = given.records / found.records
    print(f"  in all: read {found.read * total / 1e9:,.1f} GB, written {found.written * total / 1e9:,.1f} GB, ", end="")
    print(f"state {(fixed + slope * given.records) / 1e9:,.2f} GB in the driver")


if __name__ == "__main__":
    main()
