"""What a wide run costs for each record, measured on a sample, and what that makes of many: machines, hours.

    python benchmarks/wide.py specs/quickstart/invoices.yaml sample.jsonl
    python benchmarks/wide.py SPEC SAMPLE --records 1e9 --machines 8 --processors 16 --state sums

The sample is a file of JSON Lines, some ten thousand records long. Its halves are scored as two parts of a run by
`scoring score --parts`, and joined by `scoring merge`; starts, measured on a few records, are taken off.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.speed.measure import run  # the path is set above
from benchmarks.speed.row import scoring_command

FEW = 100


def part(folder: Path, lines: list[bytes], place: int, given: argparse.Namespace) -> tuple[float, int, int]:
    """Score lines as a part of two; its CPU seconds, the bytes of its state, and those of its records."""
    data, parts = folder / f"{place}-{len(lines)}.jsonl", folder / f"part-{place}-{len(lines)}"
    data.write_bytes(b"".join(lines))
    command = [*scoring_command(), "score", str(Path(given.spec).resolve()), str(data), "--state", given.state]
    took = run([*command, "--parts", str(parts), "--part", f"{place}/2", "--scores", given.scores], None, folder).cpu
    sizes = {file.suffix: file.stat().st_size for file in parts.glob("part-*")}
    return took, sizes[".json"], sizes[f".{given.scores}"]


def main() -> None:
    """Print what one record costs, and the plan."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spec")
    parser.add_argument("sample")
    parser.add_argument("--records", type=float, default=1e9, help="how many are planned")
    parser.add_argument("--machines", type=int, default=8)
    parser.add_argument("--processors", type=int, default=16, help="of each machine")
    parser.add_argument("--network", type=float, default=500.0, help="MB/s of each machine, to and from the store")
    parser.add_argument("--state", choices=("exact", "sums"), default="sums")
    parser.add_argument("--scores", choices=("jsonl", "parquet"), default="jsonl", help="what parts write")
    given = parser.parse_args()
    lines = Path(given.sample).read_bytes().splitlines(keepends=True)
    count, half = len(lines), len(lines) // 2
    if half <= FEW:
        raise SystemExit(f"the sample has {count} records, and should have some thousands")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        few = [part(folder, lines[:half][:FEW], 1, given), part(folder, lines[half:][:FEW], 2, given)]
        whole = [part(folder, lines[:half], 1, given), part(folder, lines[half:], 2, given)]
        merge = [*scoring_command(), "merge"]
        joined = [
            run(
                [*merge, *(f"part-{place}-{size}" for place, size in sizes), "-o", f"run-{sizes[0][1]}"], None, folder
            ).cpu
            for sizes in ([(1, FEW), (2, FEW)], [(1, half), (2, count - half)])
        ]
    more = count - 2 * FEW
    cpu = sum(one[0] - other[0] for one, other in zip(whole, few, strict=True)) / more
    state = sum(one[1] - other[1] for one, other in zip(whole, few, strict=True)) / more
    read, written = sum(map(len, lines)) / count, sum(one[2] for one in whole) / count
    merging = max(0.0, joined[1] - joined[0]) / more
    print(f"measured on {count:,} records, one process, state `{given.state}`")
    print(f"  CPU {1e6 * cpu:.1f} µs, read {read:.0f} bytes, written {written:.0f} bytes a record")
    print(f"  state {state:.1f} bytes a record, and {few[0][1] / 1e3:.1f} kB for {FEW}")
    print(f"  merging and writing in the driver {1e6 * merging:.2f} µs a record")
    processors, near = given.machines * given.processors, given.network * 1e6
    plan = {
        f"scoring on {processors} processors": cpu / processors,
        f"reading at {given.network:g} MB/s a machine": read / near / given.machines,
        f"record lines through the driver at {given.network:g} MB/s": written / near,
        "merging and writing in the driver": merging,
    }
    print(f"planned: {given.records:,.0f} records, {given.machines} machines of {given.processors} processors")
    for what, each in sorted(plan.items(), key=lambda one: -one[1]):
        print(f"  {what:48} {given.records * each / 3600:8.2f} h")
    total = given.records / 1e9
    print(f"  in all: read {total * read:,.1f} GB, written {total * written:,.1f} GB, state {total * state:,.2f} GB")


if __name__ == "__main__":
    main()
