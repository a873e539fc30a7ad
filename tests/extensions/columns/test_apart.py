"""What reads a file in a copy of this process: what comes back, what is refused, and that nothing is left of it."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import pytest

import scoring
from scoring import processes
from scoring.errors import InputError
from scoring.extensions.columns.apart import BrokeDown, run_in_child_process
from tests.support.formats import arrow_table, ipc, parquet

pytestmark = pytest.mark.skipif(not processes.COPIES, reason="this system has no copies of processes")

MEMORY = 1 << 30


def test_the_copy_reads_what_this_process_has_open() -> None:
    def work(stream: BinaryIO) -> Iterator[bytes]:
        yield str(os.getpid()).encode()
        stream.seek(-3, 2)
        yield stream.read()
        stream.seek(1)
        yield stream.read(2)
        yield str(stream.seek(0, 2)).encode()

    process, *pieces = run_in_child_process(io.BytesIO(b"abcdefg"), work, MEMORY)
    assert int(process) != os.getpid()
    assert pieces == [b"efg", b"bc", b"7"]


def test_large_pieces_come_whole() -> None:
    def work(stream: BinaryIO) -> Iterator[bytes]:
        yield stream.read() * 2

    content = os.urandom(5_000_000)
    assert list(run_in_child_process(io.BytesIO(content), work, MEMORY)) == [content * 2]


def test_what_it_refuses_is_refused_here() -> None:
    def work(stream: BinaryIO) -> Iterator[bytes]:
        yield b"one"
        raise InputError("nothing é")

    pieces = run_in_child_process(io.BytesIO(), work, MEMORY)
    assert next(pieces) == b"one"
    with pytest.raises(InputError, match="nothing é"):
        next(pieces)


@pytest.mark.skipif(not processes.BOUNDS_MEMORY, reason="this system bounds no memory")
def test_too_much_memory_ends_it_and_not_this_process() -> None:
    def work(stream: BinaryIO) -> Iterator[bytes]:
        yield bytes(4 << 30)[:1]

    with pytest.raises(MemoryError):
        list(run_in_child_process(io.BytesIO(), work, 1 << 20))


def test_what_ends_it_is_told() -> None:
    def work(stream: BinaryIO) -> Iterator[bytes]:
        os.abort()
        yield b""

    with pytest.raises(BrokeDown):
        list(run_in_child_process(io.BytesIO(), work, MEMORY))


def test_a_bug_in_it_is_told_as_one() -> None:
    def work(stream: BinaryIO) -> Iterator[bytes]:
        nothing: dict[str, bytes] = {}
        yield nothing["x"]

    with pytest.raises(RuntimeError, match="KeyError: 'x'"):
        list(run_in_child_process(io.BytesIO(), work, MEMORY))


def test_who_reads_no_further_leaves_no_process() -> None:
    def work(stream: BinaryIO) -> Iterator[bytes]:
        yield str(os.getpid()).encode()
        while True:
            yield bytes(1 << 20)

    pieces = run_in_child_process(io.BytesIO(), work, MEMORY)
    process = int(next(pieces))
    assert processes.lives(process)
    del pieces
    assert not processes.lives(process)


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_rows_are_the_same_where_there_are_no_copies(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = arrow_table([{"id": str(n), "response": ["a", None, "b"][n % 3], "reference": "a"} for n in range(9000)])
    (tmp_path / f"d.{kind}").write_bytes({"parquet": parquet, "arrow": ipc}[kind](table))
    task = scoring.load({"kind": "task", "name": "t", "score": "equal"})
    found = []
    for copies in (True, False):
        monkeypatch.setattr(processes, "COPIES", copies)
        found.append(task.evaluate(tmp_path / f"d.{kind}").metrics)
    assert found[0] == found[1]


def test_a_run_that_is_interrupted_leaves_no_process(tmp_path: Path) -> None:
    """Given an exception while rows are read, then the copy is gone before the run ends."""
    pytest.importorskip("pyarrow")
    program = """
import os, sys, scoring
from tests.support.formats import arrow_table, parquet
open("d.parquet", "wb").write(parquet(arrow_table([{"id": str(n), "response": "a"} for n in range(50_000)])))
from scoring.data.file import InputFile
file = InputFile("d.parquet")
rows = file.format.rows(file)
next(rows)
try:
    raise KeyboardInterrupt
except KeyboardInterrupt:
    rows.close()
try:
    os.waitpid(-1, os.WNOHANG)
except ChildProcessError:
    print("none")
"""
    root = str(Path(__file__).parents[3])
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": root},
    )
    assert done.stdout == "none\n", done.stderr
