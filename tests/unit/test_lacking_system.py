"""Where a system lacks what Windows lacks: what works there works, and what does not says so."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import lacking

SPEC = "kind: task\nname: t\nversion: 1.0.0\nscore: equal\nexamples: [{response: a, reference: a, expect: 1}]\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A spec and some records."""
    folder = tmp_path_factory.mktemp("lacking")
    (folder / "t.yaml").write_text(SPEC)
    rows = [{"id": n, "response": "a", "reference": "ab"[n % 2]} for n in range(20)]
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def ran(folder: Path, *words: str) -> tuple[int, str]:
    """The exit status and all that is said."""
    done = subprocess.run(
        [sys.executable, "-W", "error", *words],
        cwd=folder,
        env=lacking.environment(folder / "site"),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def python(folder: Path, program: str) -> str:
    """What a program prints."""
    status, said = ran(folder, "-c", f"import scoring\n{program}")
    assert status == 0, said
    return said.strip()


def test_it_is_taken_away_in_what_a_process_starts_too(folder: Path) -> None:
    ask = "import os, sys; print(hasattr(os, 'fork'), sys.modules['resource'], os.supports_dir_fd)"
    said = python(
        folder, f"import subprocess, sys\nprint(subprocess.check_output([sys.executable, '-c', {ask!r}], text=True))"
    )
    assert said == "False None set()"


def test_a_spec_is_checked_and_records_are_scored(folder: Path) -> None:
    score = ("-m", "scoring", "score", "t.yaml", "rows.jsonl")
    for words in (
        ("-m", "scoring", "check", "t.yaml"),
        (*score, "-o", "one"),
        (*score, "-o", "two", "--processes", "2"),
    ):
        status, said = ran(folder, *words)
        assert status == 0, said
        assert "bug in scoring" not in said
    scores = [json.loads(line)["score"] for line in (folder / "one" / "scores.jsonl").read_text().splitlines()]
    assert scores == [1.0, 0.0] * 10
    assert (folder / "one" / "scores.jsonl").read_bytes() == (folder / "two" / "scores.jsonl").read_bytes()


def test_examples_are_run(folder: Path) -> None:
    status, said = ran(folder, "-m", "scoring", "test", "t.yaml")
    assert status == 0, said
    assert "bug in scoring" not in said


def test_runs_are_verified_and_compared(folder: Path) -> None:
    for name in ("first", "second"):
        assert ran(folder, "-m", "scoring", "score", "t.yaml", "rows.jsonl", "-o", name, "--html")[0] == 0
    for words in (("verify", "first"), ("compare", "first", "second")):
        status, said = ran(folder, "-m", "scoring", *words)
        assert status == 0, said
        assert "bug in scoring" not in said


def test_a_parquet_file_is_read(folder: Path) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = arrow.table({"id": [1, 2], "response": ["a", "b"], "reference": ["a", "a"]})
    parquet.write_table(table, folder / "rows.parquet")
    status, said = ran(folder, "-m", "scoring", "score", "t.yaml", "rows.parquet")
    assert status == 0, said
    assert "mean      0.5000" in said


def test_the_pages_of_a_folder_are_written(folder: Path) -> None:
    status, said = ran(folder, "-m", "scoring", "docs", "t.yaml", "-o", "pages")
    assert status == 0, said
    assert (folder / "pages" / "index.html").is_file()


def test_a_worker_scores_and_says_that_it_bounds_no_memory(folder: Path) -> None:
    program = """
with scoring.load({"kind": "task", "name": "t", "score": "equal"}).worker(seconds=60) as worker:
    print([worker.score_parts(given, "a").score for given in ("a", "b", "a" * 200_000)])
try:
    with scoring.load({"kind": "task", "name": "t", "score": "equal"}).worker(memory="1GB") as worker:
        worker.score_parts("a", "a")
except scoring.InputError as error:
    print(error)
"""
    bounded = "this system bounds no memory of a process: leave `memory` out, or run it on Linux"
    assert python(folder, program).splitlines() == ["[1.0, 0.0, 0.0]", f"the worker did not start: {bounded}"]


def test_formulas_are_compared_and_what_is_too_much_work_is_unscored(folder: Path) -> None:
    pytest.importorskip("sympy")
    program = """
task = scoring.load({"kind": "task", "name": "t", "score": "equal_formulas"})
for given in ("x + 1", "x + 2"):
    found = task.score_parts(given, "1 + x")
    print(found.score, found.status)
from scoring.extensions.maths import worker
try:
    worker.formulas_equal("(x+y)^{30}", r"\\sin(x+y)^{30}", limit=0.0005)
except worker.FormulaError as error:
    print(error)
"""
    assert python(folder, program).splitlines() == ["1.0 scored", "0.0 scored", "the formula takes too much work"]
