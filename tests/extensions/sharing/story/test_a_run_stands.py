"""A run stands for itself: its spec and its pack are edited, upgraded and deleted, and it comes out to the last bit.

One story in the order in which it happens: A releases a pack, B scores with it and goes on, and a third machine that
has neither spec nor pack, store, home nor network verifies what B made. Each test begins where the one before it ended.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.extensions.sharing.story.teams import GIT, Said, Team
from tests.support.golden import REPOSITORY

PACK = """\
kind: pack
name: close
version: 1.0.0
doc: Texts that are nearly the same.
scorers:
  near:
    doc: Similarity of the texts; 0 below the threshold.
    params: {threshold: 0.8}
    score: levenshtein | zero_below(threshold)
    source: "Levenshtein: Binary codes capable of correcting deletions, insertions and reversals, 1966"
    examples:
      - [hello, hello, 1.0]
      - [cat, dog, 0.0]
"""
HOUSE = "kind: pack\nname: house\nversion: 1.0.0\nscorers: {same: lower | equal}\n"
TASK = """\
kind: task
name: answers
version: 1.0.0
imports: {close: close@1, house: ./packs/house.yaml}
parse: json
fields:
  exact: house.same
  near: close.near
metrics: [mean]
"""
RECORDS = """\
{"id": "a", "response": {"exact": "A", "near": "hallo"}, "reference": {"exact": "a", "near": "hello"}}
{"id": "b", "response": {"exact": "b", "near": "hillo!"}, "reference": {"exact": "c", "near": "hello"}}
"""


class World:
    """Where everybody works: A publishes, B scores, a third one has what B hands over and nothing else."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.a, self.b, self.third = (Team(folder / name) for name in ("a", "b", "third"))
        for team in (self.a, self.b, self.third):
            team.folder.mkdir()

    def elsewhere(self, *arguments: str) -> Said:
        """A command on the third machine: another process, home and folder, and whoever asks a network fails."""
        home = self.third.folder / "home"
        home.mkdir(exist_ok=True)
        alone = "import socket, sys\ndef no(*_, **__): raise OSError('no network')\nsocket.socket.connect = no\n"
        program = f"{alone}from scoring.cli.main import main\nsys.exit(main(sys.argv[1:]))"
        env = {"HOME": str(home), "PATH": os.environ["PATH"], "PYTHONPATH": str(REPOSITORY), "NO_COLOR": "1"}
        command = [sys.executable, "-c", program, *arguments]
        done = subprocess.run(command, cwd=self.third.folder, env=env, capture_output=True, text=True, check=False)
        return Said(done.returncode, done.stdout, done.stderr)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("stands")
    (folder / "home").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"HOME": str(folder / "home"), "NO_COLOR": "1", "COLUMNS": "100", **GIT}.items():
            patch.setenv(name, value)
        yield World(folder)


def _files(folder: Path) -> dict[str, bytes]:
    """What a run wrote, but for its manifest, which says when."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "manifest.json"}


def test_a_releases_and_b_scores(world: World) -> None:
    a, b = world.a, world.b
    a.git("init", "-q", "-b", "main")
    a.write("packs/close/pack.yaml", PACK)
    a.does("release", "packs/close/pack.yaml")
    a.commit("Texts that are nearly the same")
    a.does("release", "packs/close/pack.yaml", "--tag")
    b.write("work/task.yaml", TASK)
    b.write("work/packs/house.yaml", HOUSE)
    b.write("work/data.jsonl", RECORDS)
    work = Team(b.folder / "work")
    work.does("add", f"git+file://{a.folder}@v1.0.0#packs/close")
    # (1 + 0 + 0.8 + 0) / 4: `hillo!` is 1 - 2/6 away, below the threshold of 0.8
    assert "0.4500" in work.does("score", "task.yaml", "data.jsonl", "-o", "../first")


def test_b_edits_upgrades_and_repeats_what_was(world: World) -> None:
    a, work = world.a, Team(world.b.folder / "work")
    a.replace("packs/close/pack.yaml", "params: {threshold: 0.8}", "params: {threshold: 0.5}")
    a.does("release", "packs/close/pack.yaml", "--raise")
    a.commit("A lower threshold")
    a.does("release", "packs/close/pack.yaml", "--tag")
    work.replace("task.yaml", "close@1", "close@2")
    assert "0.8 → 0.5" in work.does("upgrade", "close", "--version", "2")
    work.replace("packs/house.yaml", "lower | equal", "equal")
    work.replace("task.yaml", "near: close.near", "near: {score: close.near, weight: 3}")
    assert "0.4500" not in work.does("score", "task.yaml", "data.jsonl", "-o", "../second")
    assert "verified: 2 records" in work.does("verify", "../first")
    work.does("verify", "../first", "-o", "../again")
    assert _files(world.b.folder / "again") == _files(world.b.folder / "first")


def test_b_bundles_what_was_after_all_that_it_was_made_of_is_gone(world: World) -> None:
    work = Team(world.b.folder / "work")
    for name in ("task.yaml", "scoring.toml", "scoring.lock"):
        (work.folder / name).unlink()
    for name in ("packs", ".scoring"):
        shutil.rmtree(work.folder / name)
    work.does("bundle", "../first", "-o", "../first.zip")
    assert "verified: 2 records" in work.does("verify", "../first")


def test_a_third_machine_verifies_and_repeats_the_bundle(world: World) -> None:
    shutil.copy(world.b.folder / "first.zip", world.third.folder)
    said = world.elsewhere("verify", "first.zip")
    assert (said.code, said.out) == (0, "verified: 2 records and every figure came out again\nnot signed\n"), said.err
    assert world.elsewhere("verify", "first.zip", "-o", "once more").code == 0
    assert _files(world.third.folder / "once more") == _files(world.b.folder / "first")


def test_a_folder_that_was_moved_needs_its_data_alone(world: World) -> None:
    shutil.copytree(world.b.folder / "first", world.third.folder / "moved")
    said = world.elsewhere("verify", "moved")
    assert said.code == 1
    assert "data.jsonl (records) is gone" in said.out
    shutil.copy(world.b.folder / "work" / "data.jsonl", world.third.folder / "theirs.jsonl")
    assert world.elsewhere("verify", "moved", "--data", "theirs.jsonl").code == 0
    assert world.elsewhere("bundle", "moved", "--data", "theirs.jsonl").code == 0
    assert world.elsewhere("verify", "moved.zip").code == 0


def test_texts_that_were_changed_on_the_way_are_seen(world: World) -> None:
    moved = world.third.folder / "moved"
    text = (moved / "texts.json").read_text(encoding="utf-8")
    (moved / "texts.json").write_text(text.replace("threshold: 0.8", "threshold: 0.7"), encoding="utf-8")
    said = world.elsewhere("verify", "moved", "--data", "theirs.jsonl")
    assert (said.code, "Traceback" in said.all) == (1, False)
    assert "texts.json is not what was written" in said.out
    assert json.loads(text)["scoring_texts"] == 1
