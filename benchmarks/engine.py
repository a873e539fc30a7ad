"""Speed of whole runs on MEGA-Bench's rows: records per second, the share spent outside primitives, starting times.

    python benchmarks/engine.py [--records 100000] [--processes 2] [--dialect megabench-upstream] [--official DIR]

Three workloads: the end-to-end rows without programs, numbers and LaTeX (which wait for other processes), the real
rule tasks with their examples, and the end-to-end rows of all kinds. The first two are beside the official flow, run
here over the same rows, without its files: DIR is a checkout of TIGER-AI-Lab/MEGA-Bench. Rows are grouped by their
spec and repeated. Repeated rows repeat their texts, which the compiler prepares once per batch; the lines "nothing
shared" switch that off and are the figures to compare with other programs.
"""

from __future__ import annotations

import argparse
import contextlib
import cProfile
import io
import json
import logging
import os
import pstats
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))

from scoring.api.run import Run, Stretched  # noqa: E402  # the path is set above
from scoring.data.rows.join import Item  # noqa: E402
from scoring.engine.road.evaluate import Lane, Options, evaluate_lanes  # noqa: E402  # the path is set above
from scoring.engine.road.run import run_items  # noqa: E402
from tests.support.golden import decode, golden_dir, read_jsonl  # noqa: E402

Group = tuple[Any, list[Item]]
FUNCTION = tuple[str, int, str]

# What runs in other processes: sandboxed programs, and formulas under a time limit.
SLOW = ("program_judge", "numerical_match", "latex", "normalized_rmse")


@dataclass(frozen=True)
class Workload:
    """Rows of a golden file, and whether those that wait for other processes are among them."""

    name: str
    rows: Callable[[Path], Iterator[dict[str, Any]]]
    slow: bool


def end_to_end(folder: Path) -> Iterator[dict[str, Any]]:
    """The end-to-end rows that the official flow survives."""
    return (row for row in read_jsonl(folder / "end_to_end.jsonl") if not row.get("error"))


def real_tasks(folder: Path) -> Iterator[dict[str, Any]]:
    """The real tasks that rules score, each with its printed example."""
    for row in read_jsonl(folder / "tasks.jsonl"):
        oracle = row.get("oracle") or {}
        if oracle.get("query_score") is not None:
            yield {**row, "response": oracle["response"], "reference": oracle["reference"]}


WORKLOADS = (
    Workload("end-to-end rows without programs, numbers and LaTeX", end_to_end, slow=False),
    Workload("real rule tasks without programs, numbers and LaTeX", real_tasks, slow=False),
    Workload("end-to-end rows of all kinds", end_to_end, slow=True),
)


def official_rate(found: list[Group], infos: list[dict[str, Any]], peer: Any) -> tuple[float, int]:
    """Queries per CPU second of the official flow over these rows, each once; and over how many it runs to the end."""
    from benchmarks.megabench import OfficialTask

    queries = []
    with contextlib.redirect_stdout(io.StringIO()):  # some metrics print
        for (_, items), info in zip(found, infos, strict=True):
            released = OfficialTask(peer, info)
            seen = {json.dumps(item.record["response"], default=repr): item.record for item in items}
            for record in seen.values():
                with contextlib.suppress(Exception):  # where the released run stops there is nothing to time
                    released.score(record)
                    queries.append((released.score, record))
        taken = min(seconds(lambda: [score(record) for score, record in queries])[1] for _ in range(3))
    return len(queries) / taken, len(queries)


def groups(workload: Workload, records: int, dialect: str) -> tuple[list[Group], list[dict[str, Any]], int, int]:
    """Compiled tasks with their items, about so many in all; their files, and how many rows were used and left out."""
    from scoring.compiler.tasks.compile import compile_task
    from scoring.diagnostics.diagnostic import SpecError
    from scoring.format.load import Loader

    folder = golden_dir()
    if folder is None:
        raise SystemExit("no golden folder: set SCORING_GOLDEN")
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in workload.rows(folder / "megabench"):
        text = json.dumps(row["metrics"], sort_keys=True)
        if workload.slow or not any(name in text for name in SLOW):
            rows.setdefault(text, []).append(row)
    loader, tasks, left_out = Loader(dialect=dialect), [], 0
    for number, (text, members) in enumerate(rows.items()):
        try:
            task, _ = compile_task(loader.data(json.loads(text), f"task{number}"), loader)
        except SpecError:
            left_out += len(members)
            continue
        tasks.append((task, members, json.loads(text)))
    used = sum(len(members) for _, members, _ in tasks)
    times = max(1, records // used)
    found = [(task, list(_items(members, times))) for task, members, _ in tasks]
    return found, [info for *_, info in tasks], used, left_out


def _items(members: list[dict[str, Any]], times: int) -> Iterator[Item]:
    for number in range(times):
        for place, row in enumerate(members):
            record = {
                "id": f"{number}-{place}",
                "response": decode(row["response"]),
                "reference": decode(row["reference"]),
                "context": decode(row.get("eval_context")),
            }
            yield Item(record["id"], "", record)


def seconds(work: Callable[[], object]) -> tuple[float, float]:
    """How long some work takes: on the clock, and of this process's CPU."""
    clock, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - clock, time.process_time() - cpu


def score_all(found: list[Group], options: Options) -> None:
    """Score every group in one run of many lanes, and nothing else."""
    for _ in evaluate_lanes([Lane(task, items) for task, items in found], options):
        continue


def run_all(found: list[Group]) -> None:
    """Whole runs: score, sum up with intervals and bounds, write the run folder."""
    with tempfile.TemporaryDirectory() as folder:
        for number, (task, items) in enumerate(found):
            done = run_items(task, items)
            parts = (Stretched(None, done.places, done.records),)
            Run(task, "rows", done.summary, parts).write(Path(folder) / str(number))


@contextlib.contextmanager
def nothing_shared() -> Iterator[None]:
    """Prepare every text anew, as if all were different."""
    from scoring.compiler.running import steps

    before = steps.distinct_texts
    steps.distinct_texts = lambda values: None  # type: ignore[assignment]  # the shape of "no value repeats"
    try:
        yield
    finally:
        steps.distinct_texts = before


def outside_share(found: list[Group]) -> tuple[float, list[tuple[float, str]]]:
    """The share of profiled time outside primitives, and the functions that take most of it.

    Time in libraries and built-ins belongs to whoever called them. The profiler slows down calls of Python functions,
    of which there are many outside the primitives, so the share is rather too high than too low.
    """
    profiler = cProfile.Profile()
    profiler.runcall(score_all, found, Options())
    stats: dict[FUNCTION, Any] = pstats.Stats(profiler, stream=io.StringIO()).stats  # type: ignore[attr-defined]
    inside = {name: _is_inside(name) for name in stats}
    for _ in range(30):
        for name, (_, _, _, _, callers) in stats.items():
            if _is_inside(name) is None:
                inside[name] = _of_callers(callers, inside)
    total = sum(entry[2] for entry in stats.values())
    outside = {name: entry[2] * (1 - (inside[name] or 0.0)) for name, entry in stats.items()}
    by_size = sorted(outside.items(), key=lambda entry: -entry[1])[:8]
    worst = [(taken / total, f"{Path(name[0]).name}:{name[2]}") for name, taken in by_size]
    return sum(outside.values()) / total, worst


def _is_inside(name: FUNCTION) -> float | None:
    """1 for a primitive's function, 0 for the rest of scoring, None for everything else."""
    path = name[0]
    # The sandbox works for a primitive that waits for it.
    if "/scoring/primitives/" in path or "/scoring/packs/" in path or "/scoring/extensions/sandbox/" in path:
        return 1.0
    return 0.0 if "/scoring/" in path or path == __file__ else None


def _of_callers(callers: dict[FUNCTION, tuple[int, int, float, float]], inside: dict[FUNCTION, float | None]) -> float:
    weights = {name: entry[2] for name, entry in callers.items()}
    total = sum(weights.values())
    return sum(weight * (inside.get(name) or 0.0) for name, weight in weights.items()) / total if total else 0.0


def start(*arguments: str) -> float:
    """The best of five starts of Python with some arguments, with compiled modules as an installation has them."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, *arguments]
    times = [
        seconds(lambda: subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, check=True))[0]
        for _ in range(6)
    ]
    return min(times[1:])


def line(name: str, records: int, taken: tuple[float, float], rate: float | None = None) -> None:
    """Print one measurement, beside the official flow's records per CPU second where it can be compared."""
    clock, cpu = taken
    beside = f"  {records / cpu / rate:>5.1f} × official" if rate else ""
    print(f"{name:<44} {records / clock:>8.0f} records/s  {clock:>6.1f} s  {cpu:>6.1f} s CPU{beside}")


def measure(workload: Workload, records: int, options: argparse.Namespace, peer: Any) -> None:
    """Measure one workload; ``peer`` is the official package of metrics, if it is there."""
    found, infos, used, left_out = groups(workload, records, options.dialect)
    total = sum(len(items) for _, items in found)
    print(f"{workload.name}\n{used} rows of {len(found)} specs, {left_out} left out, repeated to {total} records\n")
    score_all([(task, items[:20]) for task, items in found], Options())  # warm up
    rate = None
    if peer is not None and not workload.slow:
        rate, ran = official_rate(found, infos, peer)
        print(f"{'official flow':<44} {rate:>8.0f} records/s of CPU, over the {ran} rows that it scores")
    with nothing_shared():
        line("score, one process, nothing shared", total, seconds(lambda: score_all(found, Options())), rate)
    line("score, one process", total, seconds(lambda: score_all(found, Options())))
    several = Options(processes=options.processes)
    line(f"score, {options.processes} processes", total, seconds(lambda: score_all(found, several)))
    line("whole runs with run folders", total, seconds(lambda: run_all(found)))
    part = [(task, items[: max(1, len(items) // 5)]) for task, items in found]
    with nothing_shared():
        share, worst = outside_share(part)
    print(f"\n{'time outside primitives (profiled)':<44} {share:>8.1%}")
    for part_share, name in worst:
        print(f"  {name:<42} {part_share:>8.1%}")
    print()


def main() -> None:
    """Measure and print one table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=100_000, help="records without the slow kinds")
    parser.add_argument("--slow-records", type=int, default=20_000, help="records of all kinds")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--dialect", default="megabench-upstream")
    parser.add_argument("--official", metavar="DIR", help="a checkout of TIGER-AI-Lab/MEGA-Bench")
    options = parser.parse_args()
    from benchmarks.megabench import load_official

    logging.disable(logging.CRITICAL)
    peer = load_official(options.official)
    for workload in WORKLOADS:
        measure(workload, options.slow_records if workload.slow else options.records, options, peer)
    bare = start("-c", "pass")
    print(f"{'import scoring':<44} {(start('-c', 'import scoring') - bare) * 1000:>9.0f} ms")
    print(f"{'scoring --help':<44} {start('-m', 'scoring', '--help') * 1000:>9.0f} ms")
    check = start("-m", "scoring", "check", "specs/quickstart/invoices.yaml")
    print(f"{'scoring check specs/quickstart/invoices.yaml':<44} {check * 1000:>9.0f} ms")


if __name__ == "__main__":
    main()
