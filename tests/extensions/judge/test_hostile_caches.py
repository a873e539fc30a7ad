"""What files that are given as judge caches can do: be refused as damaged, or hold replies; nothing else."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import scoring
from scoring.api import InputError
from scoring.api.tasks import Task
from scoring.cli.main import main
from scoring.extensions.judge.asking import cache, cache_file
from scoring.extensions.judge.asking.cache import JudgeCache
from scoring.extensions.judge.asking.cached import CachedJudge
from scoring.extensions.judge.asking.scripted import ScriptedJudge
from scoring.extensions.judge.judge_options import JudgeOptions
from scoring.extensions.judge.protocol import JudgeError, Message, Question
from tests.extensions.judge.hostile_caches import CACHES, ELSEWHERE, FILES, ODD_ROWS, Cache, claimed
from tests.extensions.judge.hostile_servers import completion, kept, listening, ok

RECORDS = [{"id": number, "response": f"text {number}", "reference": ""} for number in range(2)]
FOREIGN = ("sqlite", "malformed", "disk image", "schema", "no such", "no query", "Error", "Traceback", "bug", "decode",
           "not a database", "unable to open", "readonly", "locked database")  # fmt: skip


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCORING_JUDGE_KEY", "sk-of-this-test")
    for name in ("URL", "MODEL", "CACHE", "REPLAY"):
        monkeypatch.delenv(f"SCORING_JUDGE_{name}", raising=False)
    for module in (cache, cache_file):
        monkeypatch.setattr(module, "PATIENCE", 0.2)


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Task:
    """A task whose judge gives a number from 0 to 9."""
    folder = tmp_path_factory.mktemp("task")
    rate = {
        "prompt": "How good?",
        "reply": {"integer": {"minimum": 0, "maximum": 9}},
        "inputs": {"text": "prediction"},
        "show": ["text"],
        "gives": {"n": "@"},
        "score": "n / 9",
    }
    pack = {"kind": "pack", "name": "rating", "version": "1.0.0", "judges": {"rate": rate}}
    (folder / "rating.yaml").write_text(json.dumps(pack))
    spec = {"kind": "task", "name": "t", "imports": {"r": "./rating.yaml"}, "score": "r.rate"}
    (folder / "task.yaml").write_text(json.dumps(spec))
    return scoring.load(folder / "task.yaml")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with listening(kept(ok(completion()))) as place:
        yield f"http://{place}/v1"


@pytest.fixture(scope="module")
def sound(task: Task, address: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache of two calls."""
    path = tmp_path_factory.mktemp("sound") / "judge.db"
    scoring.evaluate(task, RECORDS, judge=JudgeOptions(url=address, model="m", cache=str(path)))
    return path


@pytest.fixture
def given(request: pytest.FixtureRequest, sound: Path, tmp_path: Path) -> Path:
    path = tmp_path / "judge.db"
    shutil.copy(sound, path)
    request.param.change(path)
    return path


def said(task: Task, options: JudgeOptions) -> str:
    """What a run says: the reasons of its records, or why there is none; nothing where all are scored."""
    try:
        run = scoring.evaluate(task, RECORDS, judge=options, keep_records=True)
    except InputError as error:
        return str(error)
    return "; ".join(record.outcome.reason or "" for record in run.records if record.outcome.value != 1.0)


def test_there_are_so_many_files() -> None:
    assert len({one.name for one in CACHES}) == len(CACHES) >= 25


@pytest.mark.parametrize(
    ("given", "expected"), [(one, one) for one in CACHES], ids=lambda one: one.name, indirect=["given"]
)
def test_a_run_is_told_what_is_wrong_with_its_cache(given: Path, expected: Cache, task: Task, address: str) -> None:
    for words, options in (
        (expected.replayed, JudgeOptions(model="m", cache=str(given), replay=True)),
        (expected.asked, JudgeOptions(url=address, model="m", cache=str(given))),
    ):
        found = said(task, options)
        assert words in found if words else not found, found
        assert not [word for word in FOREIGN if word in found.replace(str(given), "")], found
    victim = given.with_name("victim")
    assert not victim.exists() or victim.read_text() == "precious"


@pytest.mark.parametrize(
    ("given", "expected"), [(one, one) for one in CACHES], ids=lambda one: one.name, indirect=["given"]
)
def test_the_tools_are_told_what_is_wrong_with_a_cache(
    given: Path, expected: Cache, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_text("\n")
    for arguments in (
        ["list", str(given)],
        ["export", str(given)],
        ["import", str(given), str(empty)],
        ["prune", str(given), "--model", "other"],
    ):
        code = main(["judge-cache", *arguments])
        told = capsys.readouterr().err
        assert code in (0, 2)
        assert bool(told) == (code == 2)
        assert not [word for word in FOREIGN if word in told.replace(str(given), "")], told
        if expected in FILES and expected.replayed == expected.asked:
            assert (expected.replayed in told) if expected.replayed else code == 0, told
        if expected.name in ODD_ROWS and arguments[0] == "export":
            assert "is damaged: " in told


def test_a_file_that_another_process_holds_for_ever_is_given_up(
    task: Task, address: str, sound: Path, tmp_path: Path
) -> None:
    path = tmp_path / "judge.db"
    shutil.copy(sound, path)
    holds = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
    holds += (
        "c.execute('PRAGMA locking_mode=EXCLUSIVE'); c.execute('BEGIN EXCLUSIVE'); print(flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", holds, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        for options in (
            JudgeOptions(url=address, model="m", cache=str(path)),
            JudgeOptions(model="m", cache=str(path), replay=True),
        ):
            assert "another program holds it locked" in said(task, options)
        process.communicate()
    assert said(task, JudgeOptions(model="m", cache=str(path), replay=True)) == ""


@pytest.mark.parametrize("name", ["a\0b", "x" * 300, "missing/judge.db"])
def test_a_name_that_no_file_can_have_is_refused(name: str, task: Task, address: str, tmp_path: Path) -> None:
    found = said(task, JudgeOptions(url=address, model="m", cache=f"{tmp_path}/{name}"))
    assert "judge cache" in found
    assert "can't be used" in found
    assert not [word for word in FOREIGN if word in found], found


LINES: dict[str, str | tuple[str, object] | None] = {
    "no JSON": "{",
    "a list": "[]",
    "nothing": "null",
    "a number of many digits": "9" * 5_000,
    "deep": "[" * 100_000,
    "no key": '{"model": "m"}',
    "a line of megabytes": None,
    "not a number": ("created", float("nan")),
    "no time": ("created", float("inf")),
    "the first second after the year 9999": ("created", 253_402_300_800.0),
    "a key of numbers": ("key", 5),
    "no model": ("model", None),
    "a model of lists": ("model", [["m"]]),
    "tokens beyond all numbers": ("prompt_tokens", 10**30),
    "tokens below zero": ("prompt_tokens", -1),
    "tokens that are true": ("completion_tokens", True),
    "a reply of numbers": ("reply", 5),
    "a question of texts": ("question", "?"),
    "another question": ("question", {"messages": []}),
    "another model": ("model", "another"),
    "another key": ("key", "0" * 64),
}


@pytest.mark.parametrize("change", LINES.values(), ids=LINES)
def test_a_line_that_is_no_call_is_refused_with_its_number(
    change: str | tuple[str, object] | None,
    sound: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert main(["judge-cache", "export", str(sound), str(tmp_path / "calls.jsonl")]) == 0
    first = json.loads((tmp_path / "calls.jsonl").read_text().splitlines()[0])
    if change is None:
        from scoring.extensions.judge.asking import cache_tools

        monkeypatch.setattr(cache_tools, "LONGEST_LINE", 2_000)
        line = "x" * 3_000
    else:
        line = change if isinstance(change, str) else json.dumps({**first, change[0]: change[1]})
    (tmp_path / "bad.jsonl").write_text(f"\n{line}\n")
    capsys.readouterr()
    assert main(["judge-cache", "import", str(tmp_path / "new.db"), str(tmp_path / "bad.jsonl")]) == 2
    told = capsys.readouterr().err
    assert told.startswith("scoring: line 2 is not an exported judge call: ")
    assert told.count("\n") == 1


def test_what_is_imported_is_not_read_without_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for source in ("/dev/zero", str(tmp_path)):
        assert main(["judge-cache", "import", str(tmp_path / "new.db"), source]) == 2
        told = capsys.readouterr().err
        assert not [word for word in FOREIGN if word in told], told


@pytest.mark.parametrize("days", ["nan", "-1", "inf"])
def test_an_age_that_is_none_is_refused(days: str, sound: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["judge-cache", "prune", str(sound), f"--older-than={days}"]) == 2
    assert "an age is a number of days, 0 or more" in capsys.readouterr().err


def test_a_claim_from_elsewhere_is_waited_for_only_so_long(
    task: Task, address: str, tmp_path: Path, sound: Path
) -> None:
    """Given a claim of another machine that ends in its time, then the run asks itself when that is over."""
    path = tmp_path / "judge.db"
    shutil.copy(sound, path)
    claimed(ELSEWHERE, seconds=1)(path)
    assert said(task, JudgeOptions(url=address, model="m", cache=str(path))) == ""


def test_what_cannot_be_kept_is_not_asked_for(sound: Path) -> None:
    """Given a cache that has no room for a reply, then nothing more is paid for."""
    with closing(JudgeCache(":memory:")) as held:
        pages = held.execute("PRAGMA page_count")[0][0]
        held.execute(f"PRAGMA max_page_count={pages + 2}")
        inner = ScriptedJudge(lambda _: "x" * 100_000)
        judge = CachedJudge(held, inner)
        for number in range(3):
            with pytest.raises(JudgeError, match="can't be used: the disk is full; name another file"):
                judge.ask(Question((Message("user", (f"{number}",)),)))
    assert len(inner.questions) == 1


SMALL = """
import sys
from scoring.extensions.judge.asking.cache import JudgeCache
from scoring.extensions.judge.asking.cached import CachedJudge
from scoring.extensions.judge.asking.scripted import ScriptedJudge
from scoring.extensions.judge.protocol import JudgeError, Message, Question
asked = 0
def answer(question):
    global asked
    asked += 1
    return "x" * 100_000
judge = CachedJudge(JudgeCache(sys.argv[1]), ScriptedJudge(answer))
said = set()
for number in range(40):
    try:
        judge.ask(Question((Message("user", (str(number),)),)))
    except JudgeError as error:
        said.add(str(error))
judge.close()
print(asked, sorted(said)[0])
"""
BWRAP = shutil.which("bwrap")


def confined(*options: str) -> list[str]:
    return [f"{BWRAP}", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", *options, sys.executable]


@pytest.mark.skipif(BWRAP is None, reason="bubblewrap makes the small disk")
def test_a_full_disk_is_told_and_pays_for_nothing_more() -> None:
    command = [*confined("--size", "1000000", "--tmpfs", "/mnt"), "-c", SMALL, "/mnt/judge.db"]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.stderr == ""
    asked, told = run.stdout.split(" ", 1)
    assert 2 <= int(asked) < 12
    assert told.startswith("the judge cache judge.db can't be used: the disk is full; ")


@pytest.mark.skipif(BWRAP is None, reason="bubblewrap makes the medium read-only")
@pytest.mark.parametrize("arguments", [["prune", "--model", "m"], ["import", "/dev/null"]])
def test_a_medium_that_takes_nothing_is_told_and_still_read(arguments: list[str], sound: Path) -> None:
    def tool(action: str, *more: str) -> subprocess.CompletedProcess[str]:
        command = [*confined(), "-m", "scoring", "judge-cache", action, str(sound), *more]
        return subprocess.run(command, capture_output=True, text=True)

    found = tool(*arguments)
    assert found.returncode == 2
    assert "the judge cache judge.db can't be used: " in found.stderr
    assert not [word for word in FOREIGN if word in found.stderr]
    for action in ("list", "export"):
        assert tool(action).returncode == 0
