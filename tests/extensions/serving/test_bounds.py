"""Who may use a service, how much it takes at a time, and how it ends: with what is under way, and nothing lost."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scoring.cli.main import main
from scoring.errors import InputError
from scoring.extensions.processes.child import ChildProcess
from scoring.extensions.serving.app import ServiceLimits
from scoring.extensions.serving.service import ScoringService
from scoring.extensions.serving.verbs import scoring_service
from tests.extensions.serving.asking import JSON, asked, said, status_of

TOKEN = "a-token-of-thirty-two-characters"
ROW = {"response": '{"town": "rome", "zip": 1}', "reference": {"town": "Rome", "zip": 1}}


def children() -> list[int]:
    """The processes that this one has started."""
    files = Path("/proc/self/task").glob("*/children")
    return [int(one) for file in files for one in file.read_text().split() if _scores(one)]


def _scores(process: str) -> bool:
    return "processes.child" in Path("/proc", process, "cmdline").read_text()


def until(holds: Callable[[], Any]) -> None:
    """Wait until something holds."""
    for _ in range(3_000):
        if holds():
            return
        time.sleep(0.01)
    raise AssertionError("it never held")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org", ""])
def test_others_are_served_only_with_a_token(
    towns: Path, host: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SCORING_SERVE_TOKEN", raising=False)
    assert main(["serve", str(towns), "--host", host]) == 2
    told = capsys.readouterr().err
    assert told == (
        f"scoring: {host or 'every address'} can be reached by others, who need a token: name a file, "
        "`--token-file FILE`, or set SCORING_SERVE_TOKEN\n"
    )


@pytest.mark.parametrize("text", ["", "short", "with spaces in between it", "ümlaute-sind-hier-nicht-zu-haben"])
def test_what_can_be_no_token_is_refused(towns: Path, tmp_path: Path, text: str) -> None:
    (tmp_path / "token").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="holds no token: 16 or more characters of ASCII without spaces"):
        scoring_service(towns, token_file=tmp_path / "token")


def test_a_token_is_asked_for(towns: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCORING_SERVE_TOKEN", f"{TOKEN}\n")
    with scoring_service(towns, host="0.0.0.0", port=0, processes=1) as service:
        for given in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Basic {TOKEN}"}):
            status, headers, found = asked(service.port, "/score", ROW, headers={**JSON, **given})
            assert (status, headers["www-authenticate"]) == (401, "Bearer")
            assert TOKEN not in str(found)
        assert asked(service.port, "/metrics")[0] == 401
        assert [asked(service.port, path)[0] for path in ("/health", "/ready")] == [200, 200]
        right = {**JSON, "Authorization": f"Bearer {TOKEN}"}
        assert asked(service.port, "/score", ROW, headers=right, host="scores.example")[2]["score"] == 1.0
        described = asked(service.port, "/openapi.json", headers=right)[2]
        assert described["security"] == [{"token": []}]


def test_a_port_that_is_taken_and_names_that_clash_are_told(towns: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"can't listen on 127.0.0.1, port {port}: .*; another program"):
            scoring_service(towns, port=port, processes=1).__enter__()
    with pytest.raises(InputError, match="two of the tasks are called `demo/towns`"):
        scoring_service([towns, towns])


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="processes are found in /proc")
def test_a_worker_that_dies_loses_nothing_and_one_that_hangs_its_row(towns: Path) -> None:
    with scoring_service(towns, port=0, processes=1, seconds=1, max_waiting=10) as service:
        for child in children():  # also the one to spare
            os.kill(child, signal.SIGKILL)
        _, _, found = asked(service.port, "/score", {"rows": [ROW] * 5})
        assert [one["score"] for one in found["results"]] == [1.0] * 5
        until(lambda: len(children()) > 1)
        assert asked(service.port, "/score", ROW)[2]["score"] == 1.0
        os.kill(min(children()), signal.SIGSTOP)  # the older one, which scores
        _hangs_while_others_are_told_to_come_again(service)
        assert asked(service.port, "/score", ROW)[2]["score"] == 1.0
        assert "\nscoring_waiting_rows 0\n" in asked(service.port, "/metrics")[2]


def _hangs_while_others_are_told_to_come_again(service: Any) -> None:
    found: list[Any] = []
    body = {"rows": [{**ROW, "id": "a"}] + [ROW] * 9}
    asking = threading.Thread(target=lambda: found.append(asked(service.port, "/score", body)))
    asking.start()
    until(lambda: "\nscoring_waiting_rows 10\n" in asked(service.port, "/metrics")[2])
    status, headers, told = asked(service.port, "/score", ROW)
    assert (status, told["error"]) == (429, "10 rows are waiting, which is the most")
    assert int(headers["retry-after"]) >= 1
    status, headers, told = asked(service.port, "/ready")
    assert (status, told["ready"], "retry-after" in headers) == (503, False, True)
    asking.join()
    ((_, _, reply),) = found
    first, *rest = reply["results"]
    assert (first["id"], first["status"], first["reason"]) == ("a", "unscored", "no score within 1 s")
    assert {one["score"] for one in rest} <= {1.0, None}


@pytest.mark.skipif(os.name != "posix", reason="it is ended by a signal of POSIX")
def test_what_is_under_way_is_finished_when_the_command_is_ended(towns: Path) -> None:
    command = [sys.executable, "-m", "scoring", "serve", str(towns), "--port", "0", "--processes", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        port = int(process.stdout.readline().rpartition(":")[2])
        found: list[Any] = []
        asking = threading.Thread(target=lambda: found.append(asked(port, "/score", {"rows": [ROW] * 2_000})))
        asking.start()
        until(lambda: "\nscoring_waiting_rows 2000\n" in asked(port, "/metrics")[2])
        process.terminate()
        asking.join()
        assert found[0][2]["counted"] == 2_000
        told = process.stderr.read()
    assert process.returncode == 143
    lines = told.splitlines()
    assert lines[0].startswith("scoring: serves demo/towns (")
    assert lines[1:] == ["scoring: terminated"]
    with pytest.raises(ConnectionRefusedError):
        asked(port, "/health")


def test_connections_and_bytes_beyond_the_most_are_refused(towns: Path) -> None:
    app = scoring_service(towns, processes=1).app
    app.limits = ServiceLimits(body=2_000_000, held=1_000_000)
    with ScoringService(app, "127.0.0.1", 0, 3, 2.0, False) as service:
        status, headers, _ = asked(service.port, "/score", b'{"response": "' + b"a" * 1_500_000 + b'"}')
        assert (status, "retry-after" in headers) == (429, True)
        until(lambda: app.connections() == 0)
        held = [socket.create_connection(("127.0.0.1", service.port)) for _ in range(3)]
        until(lambda: app.connections() == 3)
        reply = said(service.port, b"")
        assert (status_of(reply), b"retry-after: 1" in reply) == (503, True)
        for one in held:
            one.close()
        until(lambda: app.connections() == 0)
        assert asked(service.port, "/score", ROW)[2]["score"] == 1.0


def test_a_process_that_does_not_start_is_told(towns: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(self: ChildProcess) -> None:
        raise InputError("the worker did not start: no memory")

    monkeypatch.setattr(ChildProcess, "wait_until_ready", fails)
    service = scoring_service(towns, port=0, processes=1)
    with pytest.raises(InputError, match="the worker did not start: no memory"):
        service.__enter__()
