"""`scoring score` on a task that asks a judge: over a real socket, with faults, a kill, and a replay."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import AbstractContextManager, closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from scoring.cli.main import main
from scoring.extensions.judge.asking import opening
from scoring.extensions.judge.asking.cache import JudgeCache
from scoring.extensions.judge.asking.settings import JudgeSettings
from tests.support.judge_server import JudgeServer, every_fifth
from tests.support.judged_files import record, write_files
from tests.support.waiting import PATIENCE, running, wait_until

REPOSITORY = Path(__file__).resolve().parents[3]
RECORDS = 200
KEY = "secret-key-of-this-test"


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("URL", "MODEL", "CACHE", "REPLAY"):
        monkeypatch.delenv(f"SCORING_JUDGE_{name}", raising=False)
    monkeypatch.setenv("SCORING_JUDGE_KEY", KEY)


def arguments(folder: Path, server: JudgeServer | None, out: str, *more: str) -> list[str]:
    judge = ["--judge-model", "test-model", "--judge-cache", str(folder / f"{out}.db")]
    if server is not None:
        judge += ["--judge-url", server.url]
    files = [str(folder / "task.yaml"), str(folder / "records.jsonl")]
    return ["score", *files, "-o", str(folder / out), "--judge-prices", "2", "8", *judge, *more]


# The command line, which touches a file as soon as the judge has been told to start no more calls.
PROGRAM = """
import os, pathlib, signal, sys
from msgspec.structs import replace
from scoring.cli.main import main
from scoring.extensions.judge.asking.client import HttpJudge
from scoring.extensions.judge.asking.transport import Transport
# A suite that was itself started in the background ignores SIGINT, and so would its children.
signal.signal(signal.SIGINT, signal.default_int_handler)
stop = Transport.stop
def told(self):
    stop(self)
    pathlib.Path(sys.argv[1]).touch()
Transport.stop = told
make = HttpJudge.__init__
def patient(self, settings):
    make(self, replace(settings, grace=float(os.environ.get("GRACE", settings.grace))))
HttpJudge.__init__ = patient
sys.exit(main(sys.argv[2:]))
"""


def start(folder: Path, server: JudgeServer, out: str, *more: str) -> AbstractContextManager[subprocess.Popen[bytes]]:
    command = [sys.executable, "-c", PROGRAM, str(folder / "stopped"), *arguments(folder, server, out, *more)]
    return running(command, cwd=REPOSITORY, stdout=subprocess.DEVNULL)


def stored(folder: Path, out: str, name: str) -> Any:
    return json.loads((folder / out / name).read_text(encoding="utf-8"))


def files(folder: Path, out: str) -> list[bytes]:
    return [(folder / out / name).read_bytes() for name in ("summary.json", "scores.jsonl")]


def test_a_killed_run_goes_on_and_ends_as_if_nothing_had_happened(tmp_path: Path) -> None:
    write_files(tmp_path, RECORDS)
    with JudgeServer() as calm:
        with start(tmp_path, calm, "calm") as run:
            assert run.wait(PATIENCE) == 0
        needed = len(calm.billed)
    assert needed == RECORDS * 4 // 5
    with JudgeServer(plan=every_fifth) as server:
        server.hold_at = needed // 2
        with start(tmp_path, server, "run") as run:
            wait_until(lambda: len(server.billed) == needed // 2, run)
            os.kill(run.pid, signal.SIGKILL)
            assert run.wait(PATIENCE) == -signal.SIGKILL
        server.hold_at = None
        assert not (tmp_path / "run" / "manifest.json").exists()
        assert {left.name for left in (tmp_path / "run").iterdir()} == {".lock", ".unfinished"}
        with start(tmp_path, server, "run") as run:
            assert run.wait(PATIENCE) == 0
        assert sum(server.faults.values()) >= 0.15 * server.number, "the server did fail"
        assert sum(server.billed.values()) == len(server.billed) == needed, "no call was paid twice"
    assert files(tmp_path, "run") == files(tmp_path, "calm"), "the same bytes as an undisturbed run"
    account = stored(tmp_path, "run", "manifest.json")["settings"]["judge"]["account"]
    assert 0 < account["calls"] < needed
    assert account["calls"] + account["cached"] == needed


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_keeps_what_is_under_way_and_starts_no_more(tmp_path: Path, number: int, status: int) -> None:
    write_files(tmp_path, RECORDS)
    with JudgeServer() as server:
        server.hold_at = 0
        with start(tmp_path, server, "run") as run:
            wait_until(lambda: server.open_now == 8, run)
            run.send_signal(number)
            wait_until((tmp_path / "stopped").exists, run)
            server.hold_at = None
            assert run.wait(PATIENCE) == status
        paid = len(server.billed)
        assert paid == server.number == 8, "no call was started after the signal"
    assert not (tmp_path / "run").exists()
    with closing(JudgeCache(tmp_path / "run.db", read_only=True)) as cache:
        assert cache.execute("SELECT count(*) FROM calls")[0][0] == paid, "what was paid for is kept"


@pytest.mark.parametrize("presses", [1, 2])
def test_a_server_that_hangs_ends_with_ctrl_c(tmp_path: Path, presses: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Given a server that never answers, then Ctrl-C ends the run after its grace, and once more ends it at once."""
    monkeypatch.setenv("GRACE", "0.1" if presses == 1 else f"{10 * PATIENCE}")
    write_files(tmp_path, RECORDS)
    with JudgeServer() as server:
        server.hold_at = 16
        with start(tmp_path, server, "run", "--judge-timeout", f"{10 * PATIENCE}") as run:
            wait_until(lambda: len(server.billed) == 16 and server.open_now == 8, run)
            run.send_signal(signal.SIGINT)
            wait_until((tmp_path / "stopped").exists, run)
            if presses > 1:
                run.send_signal(signal.SIGINT)
            assert run.wait(PATIENCE) == 130, "nobody waits for the server, whose time is not over yet"
        server.hold_at = None
        with start(tmp_path, server, "run", "--force") as run:
            assert run.wait(PATIENCE) == 0
    account = stored(tmp_path, "run", "manifest.json")["settings"]["judge"]["account"]
    assert account["cached"] == 16, "what had been answered was kept"
    assert stored(tmp_path, "run", "summary.json")["counts"]["scored"] == RECORDS


def test_a_step_of_a_call_waits_as_long_as_the_option_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "JudgeSettings", partial(JudgeSettings, backoff=0.0))
    write_files(tmp_path, 5)
    with JudgeServer() as server:
        server.hold_at = 0
        said = arguments(tmp_path, server, "run", "--judge-timeout", "0.02", "--judge-workers", "4")
        assert main(said) == 3
        server.hold_at = None
    for line in (tmp_path / "run" / "scores.jsonl").read_text(encoding="utf-8").splitlines()[1:]:
        reason = json.loads(line)["fields"]["answer"]["reason"]
        assert reason.startswith("the judge did not answer in 7 tries; the last: ")
        assert "Timeout" in reason


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (["--judge-timeout", "0"], "--judge-timeout is a number of seconds"),
        (["--judge-timeout", "nan"], "--judge-timeout is a number of seconds"),
        (["--judge-timeout", "1e300"], "--judge-timeout is a number of seconds"),
        (["--judge-prices", "nan", "1"], "--judge-prices are two amounts"),
        (["--judge-prices", "1", "inf"], "--judge-prices are two amounts"),
        (["--judge-prices", "-1", "1"], "--judge-prices are two amounts"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], option: list[str], said: str
) -> None:
    task, records = write_files(tmp_path, 5)
    assert main(["score", str(task), str(records), "--judge-url", "http://x/v1", "--judge-model", "m", *option]) == 2
    assert said in capsys.readouterr().err


def test_a_run_and_its_replay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_files(tmp_path, 20)
    with JudgeServer() as server:
        assert main(arguments(tmp_path, server, "run", "--judge-workers", "3")) == 0
        assert server.most_open <= 3
        assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    summary = stored(tmp_path, "run", "summary.json")
    assert summary["judge"] == {
        "model": "test-model", "replies": 16, "prompt_tokens": 1600, "completion_tokens": 160, "cost": 0.00448,
    }  # fmt: skip
    assert summary["fields"][0]["notes"] == {"decided_by": {"rule": 4, "unsure": 16}}
    assert "judge:test-model+" in summary["signature"]
    lines = (tmp_path / "run" / "scores.jsonl").read_text(encoding="utf-8").splitlines()
    decided = [json.loads(line)["fields"]["answer"]["notes"]["decided_by"] for line in lines]
    assert decided == ["rule" if number % 5 == 0 else "unsure" for number in range(20)]
    again = arguments(tmp_path, None, "again", "--judge-replay")
    again[again.index(str(tmp_path / "again.db"))] = str(tmp_path / "run.db")
    assert main(again) == 0
    assert files(tmp_path, "again") == files(tmp_path, "run")
    assert stored(tmp_path, "again", "manifest.json")["settings"]["judge"]["account"]["calls"] == 0
    assert main(["verify", str(tmp_path / "run")]) == 0
    assert "20 records" in capsys.readouterr().out
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert KEY.encode() not in written


def test_without_a_judge_one_line_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_files(tmp_path, 10)
    files = [str(tmp_path / "task.yaml"), str(tmp_path / "records.jsonl")]
    assert main(["score", *files, "-o", str(tmp_path / "run")]) == 3
    told = capsys.readouterr()
    assert told.err.count("\n") == 2  # the other one says that nothing is covered
    assert "no judge is configured" in told.err
    assert stored(tmp_path, "run", "summary.json")["counts"]["unscored"] == 8, "the rule scores the other two"


@pytest.mark.parametrize(
    ("url", "key", "said"),
    [
        ("ftp://host/v1", "k", "should be http://"),
        ("http:///v1", "k", "should be http://"),
        ("http://host:99999/v1", "k", "should be http://"),
        ("http://me:hidden-word@host/v1", "k", "belongs in SCORING_JUDGE_KEY"),
        ("http://host/v1", "hidden-word\n", "`Authorization` would have a character that is not allowed"),
        ("http://host/v1", "hidden-word\n", "a newline as character 12 of 12 of SCORING_JUDGE_KEY; set it again"),
        (
            "http://host/v1",
            "hidden-word\r\nX-More: hidden-word",
            "a newline as character 12 of 32 of SCORING_JUDGE_KEY",
        ),
        ("http://host/v1", " hidden-word", "whitespace as character 1 of 12 of SCORING_JUDGE_KEY"),
        ("http://host/v1", "hidden-word\t", "whitespace as character 12 of 12 of SCORING_JUDGE_KEY"),
        ("http://host/v1", "Bearer hidden-word", "whitespace as character 7 of 18 of SCORING_JUDGE_KEY"),
        ("http://host/v1", "hidden\x1b-word", "a control character as character 7 of 12 of SCORING_JUDGE_KEY"),
        ("http://host/v1", "hidden\x7f-word", "a control character as character 7 of 12 of SCORING_JUDGE_KEY"),
        ("http://host/v1", "hidden-wörd", "a character outside ASCII as character 9 of 11 of SCORING_JUDGE_KEY"),
        ("http://host/v1", "hidden\u2011word", "a character outside ASCII as character 7 of 11 of SCORING_JUDGE_KEY"),
        ("http://host/v1", "", "SCORING_JUDGE_KEY is set but empty; set it to the key, or unset it"),
    ],
)
def test_an_address_or_a_key_that_cannot_be_used_is_told_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, url: str, key: str, said: str
) -> None:
    write_files(tmp_path, 5)
    monkeypatch.setenv("SCORING_JUDGE_KEY", key)
    files = [str(tmp_path / "task.yaml"), str(tmp_path / "records.jsonl")]
    assert main(["score", *files, "--judge-url", url, "--judge-model", "m", "--json"]) == 3
    told = capsys.readouterr()
    assert told.err.count("\n") == 2  # the other one says that nothing is covered
    assert said in told.err
    assert "hidden-word" not in told.err + told.out
    assert said in json.loads(told.out)["reasons"][0]["reason"]


def test_a_replay_without_a_model_names_those_of_the_cache(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_files(tmp_path, 5)
    with JudgeServer() as server:
        assert main(arguments(tmp_path, server, "run")) == 0
    files = [str(tmp_path / "task.yaml"), str(tmp_path / "records.jsonl")]
    capsys.readouterr()
    assert main(["score", *files, "--judge-cache", str(tmp_path / "run.db"), "--judge-replay"]) == 3
    told = capsys.readouterr().err
    assert "a replay needs the model whose calls it repeats (--judge-model); run.db holds calls of test-model" in told


def test_a_cache_that_cannot_be_opened_stops_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_files(tmp_path, 5)
    with JudgeServer() as server:
        bad = arguments(tmp_path, server, "run")
        bad[bad.index("--judge-cache") + 1] = str(tmp_path / "missing" / "judge.db")
        assert main(bad) == 2
    assert "judge cache" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_explain_says_which_branch_decided_and_asks_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task, records = write_files(tmp_path, 3)
    with JudgeServer() as server:
        judge = ["--judge-url", server.url, "--judge-model", "test-model"]
        assert main(["explain", str(task), str(records), "--record", "1", *judge]) == 0
        assert sum(server.billed.values()) == server.number == 1
    told = capsys.readouterr().out
    assert "decided_by" in told
    assert "unsure" in told


def test_several_judges_and_samples_are_joined(tmp_path: Path) -> None:
    task, _ = write_files(tmp_path, 20)
    text = task.read_text(encoding="utf-8")
    wider = text.replace("unsure=mine.same_answer", 'unsure=mine.same_answer(samples=2, combine="mean")')
    task.write_text(wider, encoding="utf-8")
    with JudgeServer() as server:
        panel = arguments(tmp_path, server, "run")
        panel[panel.index("test-model")] = "first,second"
        assert main(panel) == 0
        assert {body["model"] for body in server.requests} == {"first", "second"}
    summary = stored(tmp_path, "run", "summary.json")
    assert (summary["judge"]["model"], summary["judge"]["replies"]) == ("first,second", 16 * 4)
    line = json.loads((tmp_path / "run" / "scores.jsonl").read_text(encoding="utf-8").splitlines()[1])
    field = line["fields"]["answer"]
    opinions = field["notes"]["opinions"]
    assert set(opinions) == {"first", "first #2", "second", "second #2"}
    assert field["score"] == sum(opinions.values()) / 4


def test_a_suite_asks_the_judge_and_is_verified_from_the_cache(tmp_path: Path) -> None:
    tasks = tmp_path / "tasks"
    tasks.mkdir()
    task, _ = write_files(tasks, 1)
    (tasks / "judges.yaml").rename(tmp_path / "judges.yaml")
    text = task.read_text(encoding="utf-8").replace("./judges.yaml", "../judges.yaml").replace("demo/cascade", "judged")
    task.write_text(text, encoding="utf-8")
    plain = "kind: task\nname: plain\nversion: 1.0.0\nscore: equal\n"
    (tasks / "plain.yaml").write_text(plain, encoding="utf-8")
    rows = [{**record(number), "task": "judged" if number % 2 else "plain"} for number in range(20)]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    files = [str(tasks), str(tmp_path / "rows.jsonl"), "-o", str(tmp_path / "run")]
    with JudgeServer() as server:
        judge = ["--judge-url", server.url, "--judge-model", "m", "--judge-cache", str(tmp_path / "judge.db")]
        assert main(["score", *files, *judge]) == 0
    summary = stored(tmp_path, "run", "summary.json")
    assert summary["judge"]["replies"] == 8
    assert "|judge:m+" in summary["signature"]
    assert main(["verify", str(tmp_path / "run")]) == 0


def test_a_parquet_run_is_verified_and_its_opinions_are_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pyarrow")
    write_files(tmp_path, 20)
    with JudgeServer() as server:
        panel = arguments(tmp_path, server, "run", "--scores", "parquet")
        panel[panel.index("test-model")] = "first,second"
        assert main(panel) == 0
    assert main(["verify", str(tmp_path / "run")]) == 0
    capsys.readouterr()
    assert main(["judge", "agreement", str(tmp_path / "run"), "--labels", "human", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["raters"] == ["first", "second", "people"]


def test_restarts_belong_to_the_signature(tmp_path: Path) -> None:
    write_files(tmp_path, 5)
    with JudgeServer() as server:
        for out, more in (("plain", []), ("again", ["--judge-restarts", "2"])):
            assert main(arguments(tmp_path, server, out, *more)) == 0
    first, second = (stored(tmp_path, out, "summary.json")["signature"] for out in ("plain", "again"))
    assert first != second


def test_a_program_that_can_not_work_is_not_paid_for_record_after_record(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_program(tmp_path, "1 / (n - 3)")
    with JudgeServer(lambda body: '{"n": 3}') as server:
        assert main(arguments(tmp_path, server, "run", "--judge-workers", "2")) == 2
        paid = len(server.billed)
    assert 10 <= paid < 16
    said = capsys.readouterr().err
    assert "its first 10 replies all gave: the formula divides by zero; fix its formula" in said
    assert not (tmp_path / "run" / "manifest.json").exists()
    write_program(tmp_path, "n / 4")
    with JudgeServer(lambda body: '{"n": 3}') as server:
        assert main(arguments(tmp_path, server, "run")) == 0
        assert len(server.billed) == 50 - paid, "what was paid for came into the cache"


def test_a_program_that_has_worked_once_goes_on(tmp_path: Path) -> None:
    write_program(tmp_path, "1 / (n - 3)")
    replies = iter(['{"n": 4}'])
    with JudgeServer(lambda body: next(replies, '{"n": 3}')) as server:
        assert main(arguments(tmp_path, server, "run", "--judge-workers", "1")) == 3
        assert len(server.billed) == 50
    assert stored(tmp_path, "run", "summary.json")["counts"]["scored"] == 1


def write_program(folder: Path, score: str) -> None:
    """A task of 50 records whose judge gives a number that a formula makes a score of."""
    reply = {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer", "minimum": 0, "maximum": 9}}}
    rate = {
        "prompt": "How good?",
        "reply": {"json": reply},
        "inputs": {"text": "prediction"},
        "show": ["text"],
        "gives": {"n": "n"},
        "score": score,
    }
    pack = {"kind": "pack", "name": "rating", "version": "1.0.0", "judges": {"rate": rate}}
    (folder / "rating.yaml").write_text(json.dumps(pack))
    task = {"kind": "task", "name": "t", "imports": {"r": "./rating.yaml"}, "score": "r.rate"}
    (folder / "task.yaml").write_text(json.dumps(task))
    lines = (json.dumps({"id": n, "response": f"text {n}", "reference": ""}) + "\n" for n in range(50))
    (folder / "records.jsonl").write_text("".join(lines))
