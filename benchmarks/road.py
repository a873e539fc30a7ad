"""The whole command on short answers, against the least that reading, lower case and edit distances cost.

    python benchmarks/road.py --records 100000                              # one process, two, `-o`, sums
    python benchmarks/road.py --records 1000000 --before /path/to/scoring   # the command of another checkout beside

The task is an exact match beside a normalised edit distance with a cutoff, on distinct rows. CPU seconds are those of
all processes of a command, and the start (the same command on 100 rows) is taken off before they are divided by the
floor: orjson, `" ".join(text.lower().split())`, and one `cpdist` of rapidfuzz. Commands are alternated; each figure is
the least of its rounds. Memory is the most that any process of the command held.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

SPEC = {
    "kind": "task",
    "name": "short",
    "version": "1.0.0",
    "fields": {
        name: {"score": f"lower | collapse_spaces | {score}", "prediction": "@", "reference": "@"}
        for name, score in {"exact": "equal", "near": "levenshtein | closer_than(distance=0.5)"}.items()
    },
}
WORDS = ("alpha", "beta", "gamma", "delta", "omega", "kappa", "sigma", "lambda", "north", "south", "street", "house")


def rows(count: int, seed: int = 1) -> Iterator[dict[str, str]]:
    """Distinct answers: a part right, a part misspelt, a part wrong."""
    draw = random.Random(seed)
    for number in range(count):
        gold = f"{' '.join(draw.choices(WORDS, k=3))} {number}"
        said = (gold, gold.replace("a", "o", draw.randint(1, 3)).title(), " ".join(draw.choices(WORDS, k=3)))
        yield {"id": f"q{number}", "response": draw.choices(said, (4, 4, 2))[0], "reference": gold}


def floor(path: Path) -> float:
    """CPU seconds of the least work."""
    import orjson
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cpdist

    start = time.process_time()
    sides: tuple[list[str], list[str]] = ([], [])
    with path.open("rb") as lines:
        for line in lines:
            record = orjson.loads(line)
            for side, name in zip(sides, ("response", "reference"), strict=True):
                side.append(" ".join(record[name].lower().split()))
    cpdist(*sides, scorer=Levenshtein.normalized_similarity, workers=1)
    sum(one == other for one, other in zip(*sides, strict=True))
    return time.process_time() - start


def run(*command: str) -> tuple[float, float, int]:
    """Seconds by the clock, CPU seconds, and megabytes of a command with all its processes."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{' '.join(command)} failed")
    return time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss // 1024


def measure(folder: Path, count: int, rounds: int, before: str | None) -> None:
    """Run all and print a line each."""
    spec, data, few = (folder / name for name in ("task.json", "data.jsonl", "few.jsonl"))
    spec.write_text(json.dumps(SPEC))
    for path, size in ((data, count), (few, 100)):
        path.write_text("".join(json.dumps(row) + "\n" for row in rows(size)))
    ours = str(Path(sys.executable).with_name("scoring"))
    output = ["-o", str(folder / "run"), "--force"]
    ways = {"one process": [], "two processes": ["--processes", "2"], "-o": output, "sums": ["--state", "sums"]}
    commands = {name: [ours, "score", str(spec), str(data), *more] for name, more in ways.items()}
    if before is not None:
        commands |= {"before": [before, "score", str(spec), str(data)]}
        commands |= {"before, -o": [before, "score", str(spec), str(data), *output]}
    start = min(run(ours, "score", str(spec), str(few))[1] for _ in range(rounds))
    least = min(floor(data) for _ in range(rounds))
    print(f"{count:,} records; floor {least:.2f} s, start {start:.2f} s")
    found: dict[str, list[tuple[float, float, int]]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            found[name].append(run(*command))
    for name, times in found.items():
        clock, cpu, memory = (min(column) for column in zip(*times, strict=True))
        times_floor = (cpu - start) / least
        print(f"{name:14} {clock:6.2f} s by the clock, {cpu:6.2f} s CPU, {times_floor:5.1f} × floor, {memory} MB")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--before", metavar="SCORING", help="the command of another checkout, run beside")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), given.records, given.rounds, given.before)


if __name__ == "__main__":
    main()
