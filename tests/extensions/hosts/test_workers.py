"""A worker scores in a process of its own, and a record that hangs or dies costs nothing but itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

import scoring
from scoring.extensions.hosts.worker import bytes_of

PRIMITIVE = '''
import os, time
from scoring.registry import primitive
from scoring.values import Score

@primitive
def act(prediction: str, reference: str, /) -> Score:
    """Do what the answer says.

    Examples:
        >>> act("a", "a")
        1.0
    """
    if prediction == "loop":
        while True:
            pass
    if prediction == "sleep":
        time.sleep(600)
    if prediction == "exit":
        os._exit(3)
    if prediction == "kill":
        os.kill(os.getpid(), 9)
    if prediction == "memory":
        return float(len(bytearray(4 << 30)))
    if prediction == "print":
        print("x" * 2_000, flush=True)
    if prediction == "parent":
        return float(os.getppid() == int(reference))
    return float(prediction == reference)
'''
# The host is a script as trainers are: its work stands at the top, and would be done again by a child that imports it.
HOST = """
import json, os, threading
import scoring
from pathlib import Path

def children():
    return [int(one) for path in Path("/proc/self/task").glob("*/children") for one in path.read_text().split()]

task = scoring.load({"kind": "task", "name": "t", "score": "acme/act", "by": ["kind"]})
zero = scoring.load({"kind": "task", "name": "t", "score": "acme/act", "on_error": "zero"})
told = {}
with task.worker(seconds=0.5, memory="1GB") as worker:
    answers = ["a", "loop", "print", "exit", "b", "sleep", "kill", "memory", "a"]
    found = worker.score_columns(answers, ["a"] * 9, records=[{"id": f"r{n}", "kind": n % 2} for n in range(9)])
    told["columns"] = [(one.id, one.score, one.status, one.reason, one.attributes) for one in found.results]
    told["single"] = worker.score_parts("loop", "a", id=7).to_json()
    told["again"] = worker.score({"id": 8, "response": "a", "reference": "a"}).to_json()
    told["spawned"] = worker.score_parts("parent", str(os.getpid())).score
    scores = []
    def one(answer):
        scores.append(worker.score_parts(answer, "a").score)
    threads = [threading.Thread(target=one, args=(answer,)) for answer in ["a", "loop", "b", "a"]]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    told["threads"] = sorted(map(repr, scores))
    told["same"] = repr(worker.score_parts("a", "a")) == repr(task.score_parts("a", "a"))
    told["alive"] = len(children())
told["left"] = len(children())
try:
    worker.score_parts("a", "a")
except scoring.InputError as error:
    told["closed"] = str(error)
with zero.worker(seconds=0.5) as worker:
    told["zero"] = worker.score_parts("loop", "a").to_json()
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Any:
    site = tmp_path_factory.mktemp("site")
    info = site / "acme_steps-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-steps\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[scoring.primitives]\nacme = acme_steps\n")
    (site / "acme_steps.py").write_text(PRIMITIVE)
    (site / "host.py").write_text(HOST)
    path = os.pathsep.join([str(site), *(part for part in sys.path if part)])
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", str(site / "host.py")],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr
    return json.loads(done.stdout)


def test_a_record_that_hangs_or_dies_is_unscored_and_its_batch_unharmed(told: Any) -> None:
    late = "no score within 0.5 s"
    full = "the primitive `acme/act` of acme-steps@1.0 failed (its own error: MemoryError)"
    assert told["columns"] == [
        ["r0", 1.0, "scored", None, {"kind": 0}],
        ["r1", None, "unscored", late, {"kind": 1}],
        ["r2", 0.0, "scored", None, {"kind": 0}],
        ["r3", None, "unscored", "the process of the record died (exit status 3)", {"kind": 1}],
        ["r4", 0.0, "scored", None, {"kind": 0}],
        ["r5", None, "unscored", late, {"kind": 1}],
        ["r6", None, "unscored", "the process of the record died (signal SIGKILL)", {"kind": 0}],
        ["r7", None, "unscored", full, {"kind": 1}],
        ["r8", 1.0, "scored", None, {"kind": 0}],
    ]


def test_a_worker_goes_on_after_a_record_that_hangs(told: Any) -> None:
    assert told["single"] == {"id": 7, "score": None, "status": "unscored", "reason": "no score within 0.5 s"} | {
        "fields": {},
        "parsed": None,
    }
    assert (told["again"]["id"], told["again"]["score"]) == (8, 1.0)
    assert told["same"]


def test_a_worker_is_a_child_of_the_host_and_answers_its_threads(told: Any) -> None:
    assert told["spawned"] == 1.0
    assert told["threads"] == ["0.0", "1.0", "1.0", "None"]


def test_nothing_is_left_behind(told: Any) -> None:
    assert told["alive"] > 0
    assert told["left"] == 0
    assert told["closed"] == "this worker is closed"


def test_the_policy_for_failures_holds_for_records_without_a_score(told: Any) -> None:
    assert (told["zero"]["score"], told["zero"]["reason"]) == (0.0, "no score within 0.5 s")


def test_a_primitive_that_only_the_host_has_is_told_at_the_start() -> None:
    task = scoring.load({"kind": "task", "name": "t", "score": "equal"})
    worker = task.worker()
    worker._bundle = b"{}"
    with pytest.raises(scoring.InputError, match="the worker did not start: this is not a bundle of a task"):
        worker.__enter__()


def test_values_that_do_not_travel_are_the_callers_fault() -> None:
    with scoring.load({"kind": "task", "name": "t", "score": "equal"}).worker() as worker:
        with pytest.raises(Exception, match="<lambda>"):
            worker.score_parts(lambda: 1, "a")
        assert worker.score_parts("a", "a").score == 1


@pytest.mark.parametrize("size", ["much", "-1", "0", "1XB", "GB"])
def test_what_is_no_size_of_memory_is_refused(size: str) -> None:
    with pytest.raises(ValueError, match=f"'{size}' is no size of memory"):
        bytes_of(size)


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf"), 1e12, "5", None])
def test_what_is_no_time_is_refused(seconds: Any) -> None:
    with pytest.raises(ValueError, match="give a number above 0"):
        scoring.load({"kind": "task", "name": "t", "score": "equal"}).worker(seconds=seconds)


class OnlyHere:
    """What the process that scores can't find."""


def test_a_record_that_the_process_cannot_read_takes_no_other_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OnlyHere, "__module__", "__main__")
    monkeypatch.setattr("__main__.OnlyHere", OnlyHere, raising=False)
    with scoring.load({"kind": "task", "name": "t", "score": "equal"}).worker() as worker:
        found = worker.score_columns(["a", OnlyHere(), "b"], ["a", "a", "b"])
    assert found.statuses == ["scored", "unscored", "scored"]
    assert found.reasons[1].startswith("the process that scores can't read the record (its own error: AttributeError: ")


@pytest.mark.parametrize("size", [5, "5", 0.5, "1kb", 999_999])
def test_a_size_without_its_unit_is_refused(size: Any) -> None:
    with pytest.raises(ValueError, match="is a size in bytes, and no record is scored in less than a megabyte: write"):
        scoring.load({"kind": "task", "name": "t", "score": "equal"}).worker(memory=size)
