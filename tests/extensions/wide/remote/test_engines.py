"""Ray and Spark on local clusters: a worker that is killed loses nothing, and what comes out are the bits of one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.data.file import InputFile
from scoring.data.rows.read import read_rows
from scoring.data.rows.report import InputReport
from scoring.data.slice import Slice
from scoring.engine.road.drive import Driver, WorkerDied, Workers
from scoring.engine.road.evaluate import DIED, Options
from scoring.engine.road.summary import RunState
from scoring.extensions.wide.cutting import cut
from scoring.extensions.wide.part import PartDone, PartScorer, halves_of_part
from scoring.extensions.wide.remote.engines import ENGINES, counted_by, workers_of
from tests.support.ray_cluster import ray_cluster

pytestmark = pytest.mark.filterwarnings("ignore")

SPEC = "kind: task\nname: t\nversion: 1.0.0\nfields: {answer: levenshtein}\nmetrics: [mean, coverage]\nby: [lang]\n"
ROWS = [
    {"id": f"q{n}", "response": "abcd"[: n % 5], "reference": "abce"[: n % 4 + 1], "lang": "de" if n % 3 else "en"}
    for n in range(90)
]


@pytest.fixture(scope="module", params=ENGINES)
def workers(request: pytest.FixtureRequest) -> Iterator[Workers]:
    module = {"ray": "ray", "spark": "pyspark"}[request.param]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip(module, reason=f"needs `pip install 'scoring-dsl[{request.param}]'`")
        with ray_cluster() if request.param == "ray" else nullcontext(), workers_of(request.param, 2) as found:
            yield found


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


@pytest.fixture
def task(tmp_path: Path) -> scoring.Task:
    path = tmp_path / "t.yaml"
    path.write_text(SPEC)
    return scoring.load(path)


def killing(scorer: PartScorer, killer: str | None, once: Path) -> Callable[[Slice], PartDone]:
    """A scorer that is killed the first time it is called, and whenever it reads a certain record."""

    def score(part: Slice) -> PartDone:
        if not once.exists():
            once.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if any(row.record is not None and row.record["id"] == killer for row in read_rows(InputFile.of(part))):
            os.kill(os.getpid(), signal.SIGKILL)
        return scorer(part)

    return score


def driven(workers: Workers, task: scoring.Task, data: Path, killer: str | None) -> tuple[dict[str, Any], list[Any]]:
    """The summary and the lines of a run in parts, whose workers are killed."""
    scorer = PartScorer(task.to_bytes(), Options(lines=True, keep="nothing"))

    def apart(part: Slice) -> tuple[Slice, ...]:
        rows = sum(1 for _ in read_rows(InputFile.of(part)))
        return halves_of_part(part, rows) if rows > 1 else ()

    work = killing(scorer, killer, data.with_suffix(".killed"))
    driver: Driver[Slice, PartDone] = Driver(workers, work, apart, scorer.lost, scorer.merge)
    parts = list(cut(InputFile(str(data)), 1000))
    assert len(parts) > 4
    done = [one for _, one in sorted(driver.results(parts), key=lambda found: found[0])]
    whole = reduce(scorer.merge, done)
    report = InputReport()
    report.take(whole.report)
    lines = [json.loads(line) for one in done for line in one.lines.splitlines()]
    return RunState.unpack(scorer.task, whole.state).summary(scorer.task, report), lines


def test_a_killed_worker_loses_nothing(workers: Workers, task: scoring.Task, data: Path, tmp_path: Path) -> None:
    near = scoring.evaluate(task, data, output=tmp_path / "near")
    summary, lines = driven(workers, task, data, None)
    assert json.dumps(summary) == json.dumps(near.summary)
    assert lines == [json.loads(line) for line in (tmp_path / "near" / "scores.jsonl").read_text().splitlines()]


def test_a_record_that_always_kills_is_one_without_a_score(workers: Workers, task: scoring.Task, data: Path) -> None:
    summary, lines = driven(workers, task, data, "q37")
    assert [(line["id"], line["reason"]) for line in lines if line["status"] != "scored"] == [("q37", DIED)]
    assert [line["id"] for line in lines] == [row["id"] for row in ROWS]
    assert summary["counts"]["scored"] == len(ROWS) - 1


def test_an_error_of_the_work_is_no_death(workers: Workers) -> None:
    def work(given: int) -> int:
        raise scoring.InputError(f"no column {given}")

    with pytest.raises(scoring.InputError, match="no column 3"):
        workers.submit(work, 3).result()


def test_a_death_is_told_from_an_error(workers: Workers) -> None:
    with pytest.raises(WorkerDied):
        workers.submit(lambda _: os.kill(os.getpid(), signal.SIGKILL), None).result()


def test_an_engine_that_is_not_there_is_refused() -> None:
    with pytest.raises(scoring.InputError, match="the engines are local, ray, spark"), workers_of("dask"):
        pass


@pytest.fixture
def partitions(tmp_path: Path) -> Path:
    pyarrow = pytest.importorskip("pyarrow", reason="needs `pip install 'scoring-dsl[parquet]'`")
    from pyarrow import parquet

    for lang in ("de", "en"):
        path = tmp_path / "data" / f"lang={lang}" / "part-0.parquet"
        path.parent.mkdir(parents=True)
        rows = [{key: value for key, value in row.items() if key != "lang"} for row in ROWS if row["lang"] == lang]
        parquet.write_table(pyarrow.Table.from_pylist(rows), path, row_group_size=7)
    return tmp_path / "data"


@pytest.mark.parametrize("state", ["exact", "sums"])
def test_a_run_on_an_engine_writes_what_one_process_writes(
    workers: Workers, state: Any, partitions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = {"RayWorkers": "ray", "SparkWorkers": "spark"}[type(workers).__name__]
    monkeypatch.setattr("scoring.extensions.wide.verbs.SIZE", 1)
    (tmp_path / "t.yaml").write_text(SPEC)
    near, far = tmp_path / "near", tmp_path / "far"
    scoring.evaluate(tmp_path / "t.yaml", partitions, output=near, state=state)
    scoring.evaluate(tmp_path / "t.yaml", partitions, output=far, state=state, engine=engine, parts=tmp_path / "parts")
    for name in ("scores.jsonl", "summary.json"):
        assert (near / name).read_text() == (far / name).read_text()
    assert scoring.runs.merge(tmp_path / "parts").summary == json.loads((near / "summary.json").read_text())


def test_scores_of_an_engine_are_a_file_of_parquet_for_each_part(
    workers: Workers, partitions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pyarrow import parquet

    engine = {"RayWorkers": "ray", "SparkWorkers": "spark"}[type(workers).__name__]
    monkeypatch.setattr("scoring.extensions.wide.verbs.SIZE", 1)
    (tmp_path / "t.yaml").write_text(SPEC)
    near, far = tmp_path / "near", tmp_path / "far"
    scoring.evaluate(tmp_path / "t.yaml", partitions, output=near, scores="parquet")
    scoring.evaluate(tmp_path / "t.yaml", partitions, output=far, scores="parquet", engine=engine)
    assert len(list((far / "scores").iterdir())) > 4
    assert parquet.read_table(far / "scores").to_pylist() == parquet.read_table(near / "scores.parquet").to_pylist()
    assert scoring.runs.verify(far).same


def test_a_run_whose_driver_was_killed_goes_on(workers: Workers, partitions: Path, tmp_path: Path) -> None:
    engine = {"RayWorkers": "ray", "SparkWorkers": "spark"}[type(workers).__name__]
    (tmp_path / "t.yaml").write_text(SPEC)
    parts, near, far = tmp_path / "parts", tmp_path / "near", tmp_path / "far"
    code = (
        "import os, signal, sys, scoring\n"
        "from scoring.extensions.wide import verbs as wide\n"
        "wide.SIZE = 1\n"
        "def kill(records, share):\n"
        "    if share > 0.3: os.kill(os.getpid(), signal.SIGKILL)\n"
        "spec, data, parts, output, engine = sys.argv[1:]\n"
        "scoring.evaluate(spec, data, parts=parts, output=output, engine=engine, on_progress=kill)\n"
    )
    given = [str(tmp_path / "t.yaml"), str(partitions), str(parts), str(far), engine]
    run = [sys.executable, "-c", code, *given]
    ended = subprocess.run(run, env={**os.environ, "PYTHONPATH": os.getcwd()}, check=False, capture_output=True)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    stood = {path: path.stat().st_mtime_ns for path in parts.glob("part-*.json")}
    assert stood
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("scoring.extensions.wide.verbs.SIZE", 1)
        scoring.evaluate(*given[:2], parts=parts, output=far, engine=engine)
    assert len(list(parts.glob("part-*.json"))) > len(stood)
    assert {path: path.stat().st_mtime_ns for path in stood} == stood, "what stands is not scored again"
    scoring.evaluate(*given[:2], output=near)
    for name in ("scores.jsonl", "summary.json"):
        assert (near / name).read_bytes() == (far / name).read_bytes()


def test_lines_of_far_parts_are_counted_by_the_workers(
    workers: Workers, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = list(cut(InputFile(str(data)), 1000))
    unknown = [replace(part, first=part.first if not part.start else None) for part in whole]
    assert counted_by(workers, unknown) == whole


def test_a_suite_or_an_unknown_engine_is_refused(tmp_path: Path, data: Path) -> None:
    (tmp_path / "t.yaml").write_text(SPEC)
    with pytest.raises(scoring.InputError, match="there is no engine `dask`"):
        scoring.evaluate(tmp_path / "t.yaml", data, engine="dask")
    (tmp_path / "s.yaml").write_text("kind: suite\nname: s\nversion: 1.0.0\ntasks: [t.yaml]\n")
    with pytest.raises(scoring.InputError, match="score each task's own file on the cluster"):
        scoring.evaluate(tmp_path / "s.yaml", data, engine="ray")
