"""docs/speed.md has a line for each row of `python -m benchmarks`, which runs; what other pages claim names a row."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.speed import measure, table
from benchmarks.speed.row import Call, Command, Peer, Row
from tests.support.golden import REPOSITORY

PAGE = (REPOSITORY / "docs" / "speed.md").read_text("utf-8")
LINE = measure.Line("a/b", "work", "peer", "1.0", "peer", "CPU", 2.0, 3.0, 1.6, "")


def command(*arguments: str) -> list[dict[str, Any]]:
    """What the real command prints about tiny rows."""
    run = [sys.executable, "-m", "benchmarks", "--size", "20", "--rounds", "1", "--json", "--only", *arguments]
    done = subprocess.run(run, capture_output=True, text=True, cwd=REPOSITORY, check=False)
    assert done.returncode == 0, done.stderr
    lines: list[dict[str, Any]] = json.loads(done.stdout)
    return lines


def test_each_row_is_on_the_page_with_each_of_its_peers() -> None:
    lines = [re.split(r" \| ", line[2:]) for line in PAGE.splitlines() if re.match(r"\| [a-z]+/", line)]
    shown = {(name, re.sub(r"( \d[\w.]*)?( \(floor\))?$", "", peer)) for name, _, _, peer, *_ in lines}
    assert shown == {(row.name, peer.name) for row in table.ROWS.values() for peer in row.peers}


@pytest.mark.parametrize("page", sorted((REPOSITORY / "docs").glob("*.md")), ids=lambda page: page.stem)
def test_what_a_page_asks_the_table_for_is_there(page: Path) -> None:
    for names in re.findall(r"python -m benchmarks --only ([\w/ -]+?)(?: --|`|\n|$)", page.read_text("utf-8")):
        assert table.chosen(names.split())


def test_a_tiny_row_runs_by_the_real_command_and_by_a_call() -> None:
    lines = command("road/simple-100k", "single/equal")
    assert {line["row"] for line in lines} == {"road/simple-100k", "single/equal", "single/equal-batch"}
    assert all(line["ours"] > 0 for line in lines)
    for line in lines:
        assert line["theirs"] or line["verdict"].startswith("not installed: pip install"), line
        assert line["verdict"] != "the figures differ"


def test_a_line_below_its_goal_is_marked() -> None:
    assert (LINE.ratio, LINE.verdict, table.mark(LINE)) == (1.5, "below", "!")
    assert table.plain(LINE).startswith("! a/b")
    met = replace(LINE, goal=1.5)
    assert (met.verdict, table.mark(met)) == ("met", " ")
    assert replace(LINE, goal=None).verdict == "no goal"


def test_a_peer_that_is_not_there_says_what_to_install() -> None:
    call = Call(lambda _: lambda: 0)
    peer = Peer("peer", call, needs=("no-such-package",))
    assert measure.missing_of(peer, None) == "not installed: pip install no-such-package"
    released = Peer("peer", call, checkout="someone/something")
    assert measure.missing_of(released, REPOSITORY).startswith("not there: clone github.com/someone/something")


def test_figures_that_differ_are_told() -> None:
    def prints(figure: str) -> Command:
        return Command(lambda _: [sys.executable, "-c", f"print({figure})"])

    def nothing(folder: Path, size: int, seed: int) -> None:
        assert folder.is_dir()

    row = Row(
        "a/b", "work", 1, nothing, prints("[1.0]"), (Peer("alike", prints("[1.0]")), Peer("other", prints("[2]")))
    )
    assert [line.note for line in measure.lines_of(row, 1)] == ["", "the figures differ"]
    assert measure.equal([1.0, None], [1.0 + 1e-12, None], 1e-9)
    assert not measure.equal([1.0], [1.0, 1.0], 1e-9)


def test_an_unknown_row_is_answered_with_all_names() -> None:
    with pytest.raises(SystemExit, match="there is no row nonsense"):
        table.chosen(["nonsense"])
