"""What goes wrong inside is one answer with its reason; nothing hangs, and the service goes on."""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scoring import children as starting
from scoring.extensions.processes.child import ChildProcess
from scoring.extensions.serving import answering, app
from scoring.extensions.serving.service import ScoringService
from scoring.extensions.serving.verbs import scoring_service
from tests.extensions.serving.asking import asked
from tests.extensions.serving.test_bounds import ROW, children

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="processes are found in /proc")


def fails(*_: Any, **__: Any) -> Any:
    """What a defect does."""
    raise ZeroDivisionError("inside")


@pytest.fixture
def service(towns: Path) -> Iterator[ScoringService]:
    with scoring_service(towns, port=0, processes=1, seconds=0.5) as found:
        yield found
        assert asked(found.port, "/score", ROW)[2]["score"] == 1.0  # whatever there was, it goes on
        assert "\nscoring_waiting_rows 0\n" in asked(found.port, "/metrics")[2]


@pytest.mark.parametrize("broken", ["unscored", "lost_answer"])
def test_a_lost_row_whose_answer_fails_is_answered(
    service: ScoringService, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    asked(service.port, "/score", {"rows": [ROW] * 3})
    with monkeypatch.context() as patched:
        patched.setattr(*((answering, broken, fails) if broken == "unscored" else (app, broken, fails)))
        os.kill(min(children()), signal.SIGSTOP)  # the oldest one, which scores
        status, _, found = asked(service.port, "/score", {"rows": [{**ROW, "id": at} for at in range(3)]})
    if broken == "unscored":
        assert status == 200
        assert [one["id"] for one in found["results"]] == [0, 1, 2]
        assert [one["score"] for one in found["results"]] == [None, 1.0, 1.0]
        reason = "no score within 0.5 s; then its own error: ZeroDivisionError: inside"
        assert found["results"][0]["reason"] == reason
    else:  # not even that much can be said of a row, which the one request is told
        assert status == 500
        assert "defect of the service" in found["error"]
        assert '\nscoring_requests_total{endpoint="/score",code="500"} 1\n' in asked(service.port, "/metrics")[2]


def test_no_process_to_be_had_is_a_reason(service: ScoringService, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: Any, **__: Any) -> Any:
        raise OSError(errno.EMFILE, "Too many open files")

    with monkeypatch.context() as patched:
        patched.setattr(starting, "start", refuses)
        for child in children():
            os.kill(child, signal.SIGKILL)
        _, _, found = asked(service.port, "/score", {"rows": [ROW] * 40})
    assert {one["status"] for one in found["results"]} == {"unscored"}
    (reason,) = {one["reason"] for one in found["results"]}
    assert reason == "the worker did not start: too many open files; raise the limit on open files (`ulimit -n`)"


@pytest.mark.parametrize("broken", ["send", "has_answer"])
def test_a_defect_of_the_pool_is_a_reason(
    service: ScoringService, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(ChildProcess, broken, fails)
        _, _, found = asked(service.port, "/score", {"rows": [ROW] * 40})
    assert found["rows"] == 40
    assert {one["reason"] for one in found["results"]} == {"its own error: ZeroDivisionError: inside"}
