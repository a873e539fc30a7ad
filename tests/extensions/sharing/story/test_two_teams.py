"""Team A releases a pack; team B adds, locks, works offline, upgrades; a third machine believes nobody.

One story in the order in which it happens, over real git repositories, a real index of wheels and a real server; each
test begins where the one before it ended. Whoever tampers on the way is refused in one line.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from scoring.extensions.sharing.sources.limits import MOST_BYTES
from tests.extensions.sharing.story.teams import GIT, Team, served

PACK = """\
# yaml-language-server: $schema=https://example.org/pack.schema.json
kind: pack
name: close
version: 1.0.0
doc: Texts that are nearly the same.

scorers:
  close_text:
    doc: Similarity of the texts without case; 0 below the threshold.
    params: {threshold: 0.8}
    score: lower | levenshtein | zero_below(threshold)
    source: "Levenshtein: Binary codes capable of correcting deletions, insertions and reversals, 1966"
    examples:
      - [Hello, hello, 1.0]
      - [hallo, hello, 0.8]
      - [cat, dog, 0.0]
"""
LOOSE = """\
  any_close:
    doc: The best similarity to any of the references.
    params: {threshold: 0.8}
    score: any_reference(close_text(threshold))
    source: "as close_text"
    examples:
      - [hallo, [dog, hello], 0.8]
"""
TASK = """\
kind: task
name: answers
version: 1.0.0
imports:
  close: close@1
fields:
  answer: {score: close.close_text}
metrics: [mean]
"""
# The shortest texts that are half alike, whichever way round.
_COUNTEREXAMPLE = "`(a` / `aa|aa` / `a)`: 0.0 → 0.5"
RECORDS = """\
{"id": "a", "response": "Hello", "reference": "hello"}
{"id": "b", "response": "hallo", "reference": "hello"}
{"id": "c", "response": "hillo!", "reference": "hello"}
{"id": "d", "response": "dog", "reference": "hello"}
"""


@dataclass
class World:
    """Where everybody works: A publishes, B uses, a third one verifies."""

    folder: Path
    a: Team
    b: Team

    @property
    def repository(self) -> str:
        """The address of A's repository."""
        return f"git+file://{self.a.folder}"

    def team(self, name: str) -> Team:
        """Somebody's folder."""
        (self.folder / name).mkdir(exist_ok=True)
        return Team(self.folder / name)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("world")
    (folder / "home").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"HOME": str(folder / "home"), "NO_COLOR": "1", "COLUMNS": "100"}.items():
            patch.setenv(name, value)
        for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
            patch.setenv(name, str(folder / "home" / name))
        for name, value in GIT.items():
            patch.setenv(name, value)
        made = World(folder, Team(folder / "a"), Team(folder / "b"))
        for team in (made.a, made.b):
            team.folder.mkdir()
        yield made


def _mean(said: str) -> str:
    return next(line.split()[1] for line in said.splitlines() if line.startswith("mean "))


def _one_line(said: str) -> str:
    """What a refusal says; the finding or the message is one line, whatever help follows it."""
    lines = [line for line in said.splitlines() if line.startswith(("error", "scoring:"))]
    assert len(lines) == 1, said
    return lines[0]


def test_a_releases_three_versions_and_no_raise_that_is_too_small(world: World) -> None:
    a = world.a
    a.git("init", "-q", "-b", "main")
    a.write("packs/close/pack.yaml", PACK)
    a.does("release", "packs/close/pack.yaml")
    a.commit("Texts that are nearly the same")
    a.does("release", "packs/close/pack.yaml", "--tag")
    a.write("packs/close/pack.yaml", a.read("packs/close/pack.yaml") + LOOSE)
    assert "minor  any_close: a new scorer" in a.does("release", "packs/close/pack.yaml", "--raise")
    a.commit("The best of several references")
    a.does("release", "packs/close/pack.yaml", "--tag")
    a.replace("packs/close/pack.yaml", "{threshold: 0.8}\n    score: lower", "{threshold: 0.5}\n    score: lower")
    a.replace("packs/close/pack.yaml", "version: 1.1.0", "version: 1.2.0")
    refused = a.is_refused("release", "packs/close/pack.yaml")
    assert "`close` 1.2.0 is a minor release after 1.1.0, and what was changed needs a major one" in refused
    assert re.search(_COUNTEREXAMPLE, refused)
    assert "1.2.0" not in a.read("packs/close/CHANGELOG.md")
    a.does("release", "packs/close/pack.yaml", "--raise")
    assert a.read("packs/close/pack.yaml").splitlines()[:3] == [*PACK.splitlines()[:3]]
    assert re.search(_COUNTEREXAMPLE, a.read("packs/close/CHANGELOG.md"))
    a.does("sign", "--new-key", str(world.folder / "a.key"))
    a.does("sign", "packs/close/pack.yaml", "--key", str(world.folder / "a.key"))
    a.commit("A lower threshold")
    a.does("release", "packs/close/pack.yaml", "--tag")
    assert a.git("tag").split() == ["v1.0.0", "v1.1.0", "v2.0.0"]


def test_b_adds_the_first_version_and_works_offline(world: World) -> None:
    b = world.b
    b.write("task.yaml", TASK)
    b.write("data.jsonl", RECORDS)
    assert "no pack is called `close`" in b.is_refused("score", "task.yaml", "data.jsonl")
    b.does("add", f"{world.repository}@v1.0.0#packs/close")
    assert "commit " in b.read("scoring.lock")
    away = world.a.folder.rename(world.folder / "away")
    try:
        online = b.does("score", "task.yaml", "data.jsonl", "-o", "first")
        assert b.does("verify", "first")
        assert b.does("check", "--frozen", "task.yaml")
        assert b.does("lock", "--frozen")
        assert "1.0.0" in b.does("explain", "close:close_text")
    finally:
        away.rename(world.a.folder)
    # (1 + 0.8 + 0 + 0) / 4: `hillo!` is 1 - 2/6 away, below the threshold of 0.8
    assert _mean(online) == "0.4500"


def test_b_upgrades_and_sees_what_moves(world: World) -> None:
    b = world.b
    # OUT assert "2.0.0" in b.does("list", "packs", "--outdated")
    assert "1.0.0 → 1.1.0" in b.does("upgrade", "close")
    assert "2.0.0 is there, outside of `1`" in b.does("upgrade", "close")
    # DIFF before = b.does("diff", "close@1", f"{world.repository}@v2.0.0#packs/close")
    # DIFF assert "threshold" in before
    assert "task.yaml:5" in b.is_refused("upgrade", "close", "--version", "2")
    b.replace("task.yaml", "close@1", "close@2")
    assert "`close_text.threshold` 0.8 → 0.5" in b.does("upgrade", "close", "--version", "2")


def test_b_is_told_which_records_move_and_by_which_node(world: World) -> None:
    b = world.b
    assert _mean(b.does("score", "task.yaml", "data.jsonl", "-o", "second")) == "0.6167"
    said = b.scoring("diff", "first", "second")
    assert said.code == 1
    # The first run holds the pack that was upgraded since, so the very edit is told, and what it alone moves.
    assert re.search(r"A +close\.close_text\.threshold +0\.8 +0\.5\n", said.out)
    assert "0.6667     +0.6667  A +0.667" in said.out
    assert "0.6667" in said.out
    comment = b.scoring("diff", "first", "second", "--as", "markdown").out
    assert "| c " in comment


def test_a_project_that_wants_signatures_takes_no_other_release(world: World) -> None:
    h = world.team("h")
    h.write("scoring.toml", f'[trust]\nrequire = ["close"]\n{_trust("a@example.org", world.folder / "a.key.pub")}')
    assert "signed" in _one_line(h.is_refused("add", f"{world.repository}@v1.0.0#packs/close"))
    assert not (h.folder / "scoring.lock").exists()
    assert "a@example.org" in h.does("add", f"{world.repository}@v2.0.0#packs/close") + h.read("scoring.lock")


def test_an_edit_without_a_version_is_refused(world: World) -> None:
    c = world.team("c")
    shutil.copytree(world.a.folder / "packs", world.folder / "shared")
    c.write("task.yaml", TASK.replace("close@1", "close@2"))
    c.write("data.jsonl", RECORDS)
    c.does("add", "../shared/close")
    c.does("score", "task.yaml", "data.jsonl")
    Team(world.folder / "shared").replace(
        "close/pack.yaml", "{threshold: 0.5}\n    score: l", "{threshold: 0.6}\n    score: l"
    )
    refused = c.is_refused("score", "task.yaml", "data.jsonl")
    assert "`close` 2.0.0 was changed without a new version: `close_text.threshold` 0.5 → 0.6" in _one_line(refused)


def test_a_third_machine_verifies_the_bundle_of_b(world: World) -> None:
    b, third = world.b, world.team("third")
    b.does("sign", "--new-key", "b.key")
    b.does("bundle", "second", "-o", "second.zip")
    b.does("sign", "second.zip", "--key", "b.key")
    for name in b.folder.glob("second.zip*"):
        shutil.copy(name, third.folder)
    assert "b@example.org" not in third.does("verify", "second.zip")
    third.write("scoring.toml", _trust("b@example.org", b.folder / "b.key.pub"))
    assert "b@example.org" in third.does("verify", "second.zip")
    data = bytearray((third.folder / "second.zip").read_bytes())
    data[len(data) // 2] ^= 1
    (third.folder / "second.zip").write_bytes(data)
    third.is_refused("verify", "second.zip")


def _trust(author: str, key: Path) -> str:
    return f'[trust.authors]\n"{author}" = "{key.read_text(encoding="utf-8").strip()}"\n'


def test_an_index_of_wheels_brings_every_version_and_runs_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheels = world.folder / "wheels"
    one = ["packs/close/pack.yaml", "--wheel", str(wheels), "--earlier"]
    world.a.does("release", *one, "--distribution", "acme-metrics==2.0.0")
    for name, value in {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels), "PIP_CONFIG_FILE": os.devnull}.items():
        monkeypatch.setenv(name, value)
    d = world.team("d")
    d.write("data.jsonl", RECORDS)
    d.write("one.yaml", TASK)
    d.write("two.yaml", TASK.replace("close@1", "close@2"))
    d.does("add", "dist:acme-metrics", "--version", ">=1")
    d.does("lock")
    shutil.rmtree(wheels)
    means = [_mean(d.does("score", name, "data.jsonl", "--frozen")) for name in ("one.yaml", "two.yaml")]
    assert means == ["0.4500", "0.6167"]
    assert list(json.loads(d.read("scoring.lock"))["packs"]) == ["close@1.1.0", "close@2.0.0"]
    assert not any(name.startswith("acme_metrics") for name in sys.modules)


def test_a_server_may_not_change_what_was_locked(world: World) -> None:
    www = world.folder / "www"
    www.mkdir(exist_ok=True)
    for tag in ("v1.0.0", "v2.0.0"):
        world.a.git("checkout", "-q", tag)
        world.a.does("release", "packs/close/pack.yaml", "--to", str(www / "close"))
    world.a.git("checkout", "-q", "main")
    e = world.team("e")
    e.write("task.yaml", TASK)
    e.write("data.jsonl", RECORDS)
    with served(www) as files, served(www) as other:
        e.does("add", f"{files.url}/close", "--version", "1")
        path = next(name for name in reversed(files.asked) if name.endswith("pack.yaml"))
        store = e.folder / ".scoring"
        body = (www / path.lstrip("/")).read_bytes()
        index = json.loads((www / "close/versions.json").read_text())
        inside = path.removeprefix("/close/")

        def listing(**files: str) -> bytes:
            entry = {"entry": next(iter(files)), "files": files}
            return json.dumps({**index, "packs": {"close": {"1.0.0": entry}}}).encode()

        attacks: dict[str, dict[str, tuple[int, dict[str, str], bytes]]] = {
            "other content": {path: (200, {}, body.replace(b"0.8", b"0.1"))},
            "another host": {path: (302, {"Location": f"{other.url}{path}"}, b"")},
            "a path out of the folder": {"/close/versions.json": (200, {}, listing(**{"../../pack.yaml": "0" * 64}))},
            "a huge file": {path: (200, {"Content-Length": str(MOST_BYTES + 1)}, b"x" * (MOST_BYTES + 1))},
            "no end": {path: (200, {"Content-Length": str(10**15)}, b"x")},
            "an index that lies": {"/close/versions.json": (200, {}, listing(**{inside: "0" * 64}))},
            "an index that is none": {"/close/versions.json": (200, {}, b"[" * 100_000)},
        }
        lock = e.read("scoring.lock")
        for name, answers in attacks.items():
            shutil.rmtree(store)
            files.answers.update(answers)
            said = e.is_refused("lock")
            assert len(_one_line(said)) < 500, name
            assert e.read("scoring.lock") == lock, name
            assert not other.asked
            e.is_refused("score", "task.yaml", "data.jsonl")
            files.answers.clear()
        e.does("lock")
    assert _mean(e.does("score", "task.yaml", "data.jsonl", "--frozen")) == "0.4500"


def test_nobody_may_change_the_store_or_the_lock(world: World) -> None:
    b = world.b
    stored = next(path for path in (b.folder / ".scoring/store").rglob("pack.yaml") if "2.0.0" in path.read_text())
    kept, folder = stored.read_bytes(), stored.parent
    lock = b.read("scoring.lock")

    def byte() -> None:
        stored.write_bytes(kept.replace(b"0.5", b"0.4"))

    def another_file() -> None:
        (folder / "more.yaml").write_text("kind: pack\n")

    def link() -> None:
        stored.unlink()
        stored.symlink_to(world.a.folder / "packs/close/pack.yaml")

    def huge() -> None:
        stored.write_bytes(kept + b"#" * (MOST_BYTES + 1))

    def path_out() -> None:
        b.write("scoring.lock", lock.replace('"entry": "pack.yaml"', '"entry": "../../../../pack.yaml"'))

    def other_digest() -> None:
        b.write("scoring.lock", lock.replace(folder.name, "0" * 64))

    def conflict() -> None:
        b.write("scoring.lock", "<<<<<<< ours\\n" + lock)

    folder.chmod(0o755)
    stored.chmod(0o644)
    for tamper in (byte, another_file, link, huge, path_out, other_digest, conflict):
        tamper()
        assert len(_one_line(b.is_refused("score", "task.yaml", "data.jsonl"))) < 500, tamper
        (folder / "more.yaml").unlink(missing_ok=True)
        stored.unlink()
        stored.write_bytes(kept)
        b.write("scoring.lock", lock)
    b.does("score", "task.yaml", "data.jsonl")


def test_a_tag_that_moved_is_refused(world: World) -> None:
    a, f = world.a, world.team("f")
    f.write("task.yaml", TASK)
    f.does("add", f"{world.repository}@v1.0.0#packs/close")
    lock = f.read("scoring.lock")
    before = a.git("rev-parse", "v1.0.0^{commit}")
    a.replace("packs/close/pack.yaml", "version: 2.0.0", "version: 1.0.0")
    a.commit("What nobody should do")
    a.git("tag", "-f", "v1.0.0")
    shutil.rmtree(f.folder / ".scoring")
    refused = _one_line(f.is_refused("lock"))
    assert before[:7] in refused
    assert a.git("rev-parse", "HEAD")[:7] in refused
    assert f.read("scoring.lock") == lock


def test_a_link_in_a_repository_is_refused(world: World) -> None:
    hostile = world.team("hostile")
    hostile.git("init", "-q", "-b", "main")
    (hostile.folder / "secret.yaml").write_text(PACK)
    (hostile.folder / "pack.yaml").symlink_to("/etc/passwd")
    hostile.commit("A link")
    hostile.git("tag", "v1.0.0")
    g = world.team("g")
    refused = _one_line(g.is_refused("add", f"git+file://{hostile.folder}@v1.0.0#pack.yaml"))
    assert "link" in refused
    assert not (g.folder / "scoring.lock").exists()
