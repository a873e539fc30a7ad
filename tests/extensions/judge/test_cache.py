"""Calls on disk: stored once, found again, replayed without a network, shared by threads and processes."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from scoring.extensions.judge.asking import cache as caches
from scoring.extensions.judge.asking.cache import JudgeCache, call_key
from scoring.extensions.judge.asking.cache_tools import export_cache, import_cache, list_cache, prune_cache
from scoring.extensions.judge.asking.cached import CachedJudge, owner
from scoring.extensions.judge.asking.opening import open_judge
from scoring.extensions.judge.asking.scripted import ScriptedJudge
from scoring.extensions.judge.asking.settings import JudgeSettings
from scoring.extensions.judge.protocol import JudgeError, Message, Picture, Question, Reply, Usage
from tests.support.waiting import PATIENCE, running


def question(text: str = "?", **more: Any) -> Question:
    return Question((Message("user", (text,)),), **more)


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[JudgeCache]:
    with closing(JudgeCache(tmp_path / "judge.db")) as held:
        yield held


@pytest.mark.parametrize("text", ["yes", "", "日本 \ud800 lone", "a\0b", "x" * 100_000])
def test_a_reply_comes_back_as_it_was(cache: JudgeCache, text: str) -> None:
    judge = CachedJudge(cache, ScriptedJudge([text]))
    first, second = judge.ask(question(text)), judge.ask(question(text))
    assert (first.text, second.text) == (text, text)
    assert (first.cached, second.cached) == (False, True)
    assert judge.ledger.summary()["cached"] == 1


VARIANTS = [
    question("?"), question("!"), question("?", schema={"type": "object"}), question("?", attempt=1),
    question("?", sample=1), question("?", prompt="p"), question("?", inputs="i"), question("?", max_tokens=5),
    Question((Message("system", ("?",)),)), Question((Message("user", ("?", Picture(b"1"))),)),
    Question((Message("user", ("?", Picture(b"2"))),)),
]  # fmt: skip


def test_whatever_can_change_a_reply_is_in_the_key() -> None:
    keys = [call_key("m", {}, one) for one in VARIANTS]
    keys += [call_key("n", {}, VARIANTS[0]), call_key("m", {"temperature": 1}, VARIANTS[0])]
    assert len(set(keys)) == len(keys)
    assert call_key("m", {}, question("?", schema_name="other")) == keys[0], "a schema's name changes nothing"


def test_a_failed_call_is_not_stored(cache: JudgeCache) -> None:
    judge = CachedJudge(cache, ScriptedJudge([]))
    for _ in range(2):
        with pytest.raises(JudgeError, match="no reply left"):
            judge.ask(question())
    assert cache.execute("SELECT count(*) FROM calls") == [(0,)]
    assert cache.execute("SELECT count(*) FROM claims") == [(0,)]


def test_threads_ask_the_same_question_once(cache: JudgeCache) -> None:
    gate = threading.Barrier(8)
    inner = ScriptedJudge(lambda asked: asked.messages[0].text)
    judge = CachedJudge(cache, inner)

    def ask(_: int) -> str:
        gate.wait()
        return judge.ask(question("same")).text

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(ask, range(8))) == {"same"}
    assert len(inner.questions) == 1


def test_processes_ask_the_same_questions_once(tmp_path: Path) -> None:
    program = """
import sys, time
from scoring.extensions.judge.asking.cache import JudgeCache
from scoring.extensions.judge.asking.cached import CachedJudge
from scoring.extensions.judge.protocol import Message, Question
from scoring.extensions.judge.asking.scripted import ScriptedJudge
def answer(question):
    time.sleep(0.01)
    return "yes"
inner = ScriptedJudge(answer)
judge = CachedJudge(JudgeCache(sys.argv[1]), inner)
for number in range(30):
    judge.ask(Question((Message("user", (str(number),)),)))
judge.close()
print(len(inner.questions))
"""
    command = [sys.executable, "-c", program, str(tmp_path / "judge.db")]
    with ExitStack() as stack:
        runs = [stack.enter_context(running(command, stdout=subprocess.PIPE, text=True)) for _ in range(5)]
        said = [run.communicate(timeout=PATIENCE)[0] for run in runs]
    assert [run.returncode for run in runs] == [0] * len(runs)
    assert sum(map(int, said)) == 30


def test_the_claim_of_a_dead_process_is_taken_over_at_once(cache: JudgeCache) -> None:
    machine = owner().split("|")[0]
    key = call_key("scripted", {}, question())
    cache.execute("INSERT INTO claims VALUES (?, ?, ?)", (key, f"{machine}|999999999|12345", 9e12))
    assert CachedJudge(cache, ScriptedJudge(["yes"])).ask(question()).text == "yes"


SETTINGS = JudgeSettings("http://127.0.0.1:9/v1", "model-a", seed=3)


def recorded(path: Path) -> None:
    inner = ScriptedJudge(lambda asked: f"reply to {asked.messages[0].text}", name="model-a")
    with closing(JudgeCache(path)) as cache:
        judge = CachedJudge(cache, inner)
        judge.parameters = SETTINGS.parameters
        for text in ("one", "two"):
            judge.ask(question(text, prompt=f"{text}-prompt"))


def test_a_replay_needs_no_network_and_meets_nothing_new(tmp_path: Path) -> None:
    recorded(tmp_path / "judge.db")
    with closing(open_judge(SETTINGS, cache=tmp_path / "judge.db", replay=True)) as replay:
        assert replay.ask(question("one", prompt="one-prompt")).text == "reply to one"
        with pytest.raises(JudgeError, match="no reply to this question"):
            replay.ask(question("three"))


def test_a_replay_leaves_the_file_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "judge.db"
    recorded(path)
    before = path.read_bytes()
    with closing(open_judge(SETTINGS, cache=path, replay=True)) as replay:
        replay.ask(question("one", prompt="one-prompt"))
    assert path.read_bytes() == before


def test_a_replay_without_a_cache_is_refused(tmp_path: Path) -> None:
    with pytest.raises(JudgeError, match="no judge cache"):
        open_judge(SETTINGS, cache=tmp_path / "missing.db", replay=True)
    with pytest.raises(JudgeError, match="needs a judge cache"):
        open_judge(SETTINGS, replay=True)


def test_what_is_no_cache_is_refused(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.execute("PRAGMA user_version=7")
        other.execute("CREATE TABLE calls (key TEXT)")
        other.commit()
    with pytest.raises(JudgeError, match="version 7"):
        JudgeCache(tmp_path / "other.db")


def test_an_export_can_be_read_back_and_compared(tmp_path: Path) -> None:
    recorded(tmp_path / "a.db")
    with closing(JudgeCache(tmp_path / "a.db")) as one, closing(JudgeCache(tmp_path / "b.db")) as other:
        lines = list(export_cache(one))
        assert import_cache(other, lines) == 2
        assert import_cache(other, lines) == 0
        assert list(export_cache(other)) == lines
        assert json.loads(lines[0])["reply"].startswith("reply to")
        with pytest.raises(JudgeError, match="line 1"):
            import_cache(other, ['{"key": 1}'])


def test_a_list_says_what_is_there_and_pruning_takes_it_away(cache: JudgeCache) -> None:
    for number in range(5):
        reply = Reply("yes", Usage(10, 1))
        model = "a" if number < 3 else "b"
        cache.put(str(number), model, {}, question(str(number), prompt=f"{model}-prompt"), reply)
    groups = list_cache(cache)
    assert [(group["model"], group["calls"], group["prompt_tokens"]) for group in groups] == [
        ("a", 3, 30),
        ("b", 2, 20),
    ]
    assert prune_cache(cache, older_than_days=1) == 0
    assert prune_cache(cache, model="b", prompt="a-") == 0
    assert prune_cache(cache, model="b") == 2
    assert prune_cache(cache, prompt="a-pro") == 3
    with pytest.raises(JudgeError, match="name the calls to drop"):
        prune_cache(cache)


def test_what_was_pruned_under_a_run_is_asked_again(cache: JudgeCache) -> None:
    """Given a reply that its own process asked for, and that is dropped, then its claim is dropped with it."""
    judge = CachedJudge(cache, ScriptedJudge(["yes", "no"]))
    assert judge.ask(question()).text == "yes"
    assert prune_cache(cache, model="scripted") == 1
    assert cache.execute("SELECT * FROM claims") == []
    assert judge.ask(question()).text == "no"


def test_a_cache_never_holds_the_key(cache: JudgeCache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCORING_JUDGE_KEY", "sk-hidden-value")
    CachedJudge(cache, ScriptedJudge(["yes"])).ask(question())
    cache.close()
    assert b"sk-hidden-value" not in cache.path.read_bytes()


def test_closing_keeps_a_reply_that_is_under_way(cache: JudgeCache, monkeypatch: pytest.MonkeyPatch) -> None:
    storing, stored = threading.Event(), threading.Event()
    put = cache.put

    def slowly(*given: Any) -> None:
        storing.set()
        assert not stored.wait(0.2), "nobody says so"
        put(*given)

    monkeypatch.setattr(cache, "put", slowly)
    judge = CachedJudge(cache, ScriptedJudge(["yes"]))
    asking = threading.Thread(target=judge.ask, args=(question(),))
    asking.start()
    assert storing.wait(PATIENCE)
    judge.close()
    assert cache.execute("SELECT count(*) FROM calls") == [(1,)]
    asking.join()


ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"
TAMPERED = {
    "a view in place of the calls": f"DROP TABLE calls; CREATE VIEW calls AS {ENDLESS}",
    "a trigger": "CREATE TRIGGER t AFTER INSERT ON claims BEGIN DELETE FROM calls; END",
    "an index over an expression": "CREATE INDEX i ON calls (length(reply))",
    "another table": "CREATE TABLE more (x)",
    "a table with a computed column": "DROP TABLE claims; CREATE TABLE claims (key TEXT PRIMARY KEY, owner TEXT, "
    "expires REAL AS (zeroblob(1000000000)))",
    "no claims": "DROP TABLE claims",
}


@pytest.mark.parametrize("script", TAMPERED.values(), ids=TAMPERED)
@pytest.mark.parametrize("replay", [True, False])
def test_a_cache_with_anything_but_its_tables_is_refused(tmp_path: Path, script: str, replay: bool) -> None:
    recorded(tmp_path / "judge.db")
    with closing(sqlite3.connect(tmp_path / "judge.db")) as held:
        held.executescript(script)
    with pytest.raises(JudgeError, match=r"judge\.db is damaged"):
        open_judge(SETTINGS, cache=tmp_path / "judge.db", replay=replay)


@pytest.mark.parametrize("replay", [True, False])
def test_what_sqlite_quotes_of_a_damaged_file_may_be_no_text(tmp_path: Path, replay: bool) -> None:
    recorded(tmp_path / "judge.db")
    content = (tmp_path / "judge.db").read_bytes()
    assert content.count(b"calls") > 1
    (tmp_path / "judge.db").write_bytes(content.replace(b"CREATE TABLE calls", b"CREATE \xc0ABLE calls", 1))
    with pytest.raises(JudgeError, match=r"judge\.db (is damaged|can't be used)"):
        open_judge(SETTINGS, cache=tmp_path / "judge.db", replay=replay)


@pytest.mark.parametrize(
    "row",
    ["reply = 'no JSON'", "reply = '5'", "reply = x'ff'", "reply = replace(hex(zeroblob(3000)), '00', '[')",
     "prompt_tokens = 'many'", "completion_tokens = 1.5", "reply = '\"' || hex(zeroblob(40000000)) || '\"'"],
)  # fmt: skip
def test_a_row_that_is_no_reply_is_named(tmp_path: Path, row: str) -> None:
    recorded(tmp_path / "judge.db")
    with closing(sqlite3.connect(tmp_path / "judge.db")) as held, held:
        held.execute(f"UPDATE calls SET {row}")
    with (
        closing(open_judge(SETTINGS, cache=tmp_path / "judge.db", replay=True)) as replay,
        pytest.raises(JudgeError, match=r"the judge cache judge\.db (is damaged|can't be used)"),
    ):
        replay.ask(question("one", prompt="one-prompt"))


def test_what_is_no_database_is_no_cache(tmp_path: Path) -> None:
    (tmp_path / "judge.db").write_bytes(b"anything but a database" * 100)
    with pytest.raises(JudgeError, match="is not a judge cache"):
        open_judge(SETTINGS, cache=tmp_path / "judge.db", replay=True)


@pytest.mark.parametrize("holder", ["", "|", "nobody", "here|x|y", "elsewhere|1|2", "a|b|c|99999999999999|0"])
def test_a_claim_that_nobody_can_have_made_holds_up_nothing(cache: JudgeCache, holder: str) -> None:
    cache.execute("INSERT INTO claims VALUES (?, ?, ?)", (call_key("scripted", {}, question()), holder, 9e12))
    assert CachedJudge(cache, ScriptedJudge(["yes"])).ask(question()).text == "yes"


def test_a_reply_that_cannot_be_stored_is_told_and_claims_nothing(cache: JudgeCache) -> None:
    odd = Usage(10**40)  # SQLite has no such number
    inner = ScriptedJudge(["yes", "yes"])
    plain = inner.ask
    inner.ask = lambda question: replace(plain(question), usage=odd)  # type: ignore[method-assign]  # replaced here alone
    for _ in range(2):
        with pytest.raises(OverflowError):
            CachedJudge(cache, inner).ask(question())
    assert cache.execute("SELECT count(*) FROM claims") == [(0,)]


def test_what_many_threads_store_is_all_there_and_one_bad_row_spoils_no_other(cache: JudgeCache) -> None:
    def store(number: int) -> bool:
        reply = Reply("yes", Usage(10**40 if number % 10 == 0 else number))
        try:
            cache.put(str(number), "m", {}, question(str(number)), reply)
        except OverflowError:
            return False
        return True

    with ThreadPoolExecutor(32) as pool:
        kept = list(pool.map(store, range(400)))
    assert kept == [number % 10 != 0 for number in range(400)]
    assert cache.execute("SELECT count(*), sum(prompt_tokens) FROM calls") == [
        (360, sum(n for n in range(400) if n % 10))
    ]


def test_a_call_whose_key_was_made_nothing_is_told(tmp_path: Path) -> None:
    """The header of a row in the file says of each of its values what it is; one byte more, and a key is NULL."""
    path = tmp_path / "judge.db"
    with closing(JudgeCache(path)) as cache:
        CachedJudge(cache, ScriptedJudge(["yes"])).ask(question())
    content = path.read_bytes()
    assert content.count(b"\x81\x0d") == 1  # a text of 64 signs
    path.write_bytes(content.replace(b"\x81\x0d", b"\x80\x00"))
    with (
        closing(JudgeCache(path, read_only=True)) as held,
        pytest.raises(JudgeError, match="is damaged: the call None"),
    ):
        list_cache(held)


@pytest.mark.parametrize("jump", [86_400.0, -86_400.0])
def test_two_that_ask_the_same_have_one_reply_though_a_clock_was_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jump: float
) -> None:
    """Given a clock that is set while one asks, then another asks too, and both have what a replay says."""
    began, over = threading.Event(), threading.Event()
    now = [1_800_000_000.0]
    monkeypatch.setattr(time, "time", lambda: now[0])

    class Slow(ScriptedJudge):
        def ask(self, question: Question) -> Reply:
            began.set()
            over.wait(PATIENCE)
            return Reply("ten", Usage(1, 1), "m")

    def judge(inner: ScriptedJudge) -> CachedJudge:
        return CachedJudge(JudgeCache(tmp_path / "judge.db"), inner)

    with (
        closing(judge(Slow([]))) as first,
        closing(judge(ScriptedJudge(["zero"]))) as second,
        ThreadPoolExecutor(1) as pool,
    ):
        asked = pool.submit(first.ask, question())
        assert began.wait(PATIENCE)
        now[0] += jump
        found = second.ask(question())
        over.set()
        assert found.text == "zero"
        assert asked.result(PATIENCE).text == "zero"


def stored(cache: JudgeCache, count: int) -> None:
    judge = CachedJudge(cache, ScriptedJudge(lambda asked: asked.messages[0].text))
    for number in range(count):
        judge.ask(question(f"{number}"))


def test_replies_that_were_stored_when_a_judge_is_opened_are_found_without_a_statement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given a cache with replies, when eight threads ask for them, then the file is not asked, and each is counted."""
    with closing(JudgeCache(tmp_path / "judge.db")) as cache:
        stored(cache, 50)
    with closing(JudgeCache(tmp_path / "judge.db")) as cache:
        judge = CachedJudge(cache, ScriptedJudge([]))
        monkeypatch.setattr(cache, "_patiently", None)
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda number: judge.ask(question(f"{number % 50}")).text, range(400)))
        monkeypatch.undo()
    assert found == [f"{number % 50}" for number in range(400)]
    assert judge.ledger.summary()["cached"] == judge.ledger.replies()["replies"] == 400
    assert len(cache.requested) == 50


def test_a_large_cache_is_read_ahead_once_enough_of_it_was_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(caches, "_PAGES_AHEAD", 1)
    with closing(JudgeCache(tmp_path / "judge.db")) as cache:
        stored(cache, 300)
    with closing(JudgeCache(tmp_path / "judge.db")) as cache:
        judge = CachedJudge(cache, None, name="scripted")
        keys = [call_key("scripted", {}, question(f"{number}")) for number in range(300)]
        assert cache.get_ahead(keys[-1]) is None
        assert [judge.ask(question(f"{number}")).text for number in range(300)] == [f"{n}" for n in range(300)]
        ahead = cache.get_ahead(keys[0])
        assert ahead is not None
        assert ahead.text == "0"


@pytest.mark.parametrize(("limit", "value"), [("_MOST_AHEAD", 5_000), ("_SECONDS_AHEAD", -1.0)])
def test_what_is_not_read_ahead_is_looked_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: float
) -> None:
    """Given less room or time than the replies take, then all are found, the rest one by one."""
    with closing(JudgeCache(tmp_path / "judge.db")) as cache:
        stored(cache, 50)
    monkeypatch.setattr(caches, limit, value)
    with closing(JudgeCache(tmp_path / "judge.db")) as cache:
        judge = CachedJudge(cache, ScriptedJudge([]))
        keys = [call_key("scripted", {}, question(f"{number}")) for number in range(50)]
        assert sum(cache.get_ahead(key) is not None for key in keys) < 10
        assert [judge.ask(question(f"{number}")).text for number in range(50)] == [f"{n}" for n in range(50)]
