"""What steps make of short answers is not in memory for a whole batch: a spec of one line wrote eight gigabytes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.compiler.programs import columns
from tests.hostile.bounded import score_in_bounded_memory
from tests.hostile.table import MEMORY

LONG = "x" * 9000
GROWING = {
    "patterns in a parser": {"parse": f'replace_pattern(pattern="a", by="{LONG}")', "score": "equal"},
    "patterns in a value": {
        "values": {"v": f'prediction | replace_pattern(pattern="a", by="{LONG}")'},
        "fields": {"f": {"prediction": "v", "score": "equal"}},
    },
}
# The kernel's own mark of this program: `ru_maxrss` begins at what the process had that started it.
READ_AND_SAY_PEAK = """
import sys
from scoring.cli.main import main
code = main(sys.argv[1:])
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(int(peak.split()[1]) * 1024, file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.parametrize("spec", GROWING.values(), ids=GROWING)
def test_a_batch_of_answers_that_grow_is_scored_in_bounded_memory(spec: dict[str, object], tmp_path: Path) -> None:
    score_in_bounded_memory(spec, [f"{'a' * 1900}{number}" for number in range(100)], tmp_path)


@pytest.mark.parametrize("text", ["b", "a"])
def test_parts_of_a_batch_give_what_the_whole_gives(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    parse = 'replace_pattern(pattern="a", by="xyz")'
    task = scoring.load({"kind": "task", "name": "t", "parse": parse, "score": "levenshtein", "by": ["g"]})
    records = [{"id": n, "response": text * n, "reference": "xyz" * 7, "g": n % 3} for n in range(1, 40)]
    parts = [record["response"] for record in records], [record["reference"] for record in records]
    nothing: list[Any] = [None] * len(records)
    lists: list[list[Any]] = [*parts, nothing, nothing, nothing]
    whole, of_lists, run = task.score_batch(records), task.score_lists(*lists), task.evaluate(records)
    monkeypatch.setattr(columns, "MOST_AT_ONCE", 60)
    assert task.score_batch(records) == whole
    assert task.score_lists(*lists) == of_lists
    assert task.evaluate(records).metrics == run.metrics


def test_long_answers_are_scored_few_at_a_time(tmp_path: Path) -> None:
    """Five hundred answers of a megabyte were read, parsed and written out together: three gigabytes."""
    (tmp_path / "t.json").write_text('{"kind": "task", "name": "t", "parse": "strip | casefold", "score": "equal"}')
    with (tmp_path / "d.jsonl").open("w") as lines:
        for number in range(500):
            lines.write(json.dumps({"id": str(number), "response": "A" * 1_000_000, "reference": "b"}) + "\n")
    done = subprocess.run(
        [sys.executable, "-c", READ_AND_SAY_PEAK, "score", "t.json", "d.jsonl", "--json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["counts"]["scored"] == 500
    assert int(done.stderr.split()[-1]) < MEMORY
