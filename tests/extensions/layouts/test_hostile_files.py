"""Broken and hostile files in every published layout get a clear error or lose no more than their bad records."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.diagnostics.diagnostic import SpecError
from scoring.errors import InputError
from tests.extensions.layouts.test_official_files import HYPOTHESES, QRELS, REFERENCES, RUN, TAGGED
from tests.extensions.layouts.test_published import CASES, LINES


def as_bytes(content: Any, *, lines: bool) -> bytes:
    if isinstance(content, str):
        return content.encode()
    return ("".join(f"{json.dumps(one)}\n" for one in content) if lines else json.dumps(content)).encode()


FILES: dict[str, tuple[str, str, list[bytes]]] = {
    **{
        name: (
            task,
            ".jsonl" if name in LINES else ".json",
            [as_bytes(one, lines=name in LINES) for one in (said, *golds)],
        )
        for name, (task, said, golds, _, _) in CASES.items()
    },
    "lines": ("wer", ".en", [as_bytes(HYPOTHESES, lines=False), as_bytes(REFERENCES, lines=False)]),
    "conll": ("conll", ".conll", [as_bytes(TAGGED, lines=False)]),
    "trec": ("retrieval", ".run", [as_bytes(RUN, lines=False), as_bytes(QRELS, lines=False)]),
}
DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "nothing": lambda data: b"",
    "blank": lambda data: b"\n \n",
    "a half": lambda data: data[: len(data) // 2],
    "zeros": lambda data: b"\0" * 100,
    "latin": lambda data: data.replace(b"a", b"\xe9"),
    "a pickle": lambda data: b"\x80\x04\x95" + data,
    "an archive": lambda data: b"PK\x03\x04" + data,
    "a page": lambda data: b"<!DOCTYPE html><html>" + data,
    "too deep": lambda data: b"[" * 100_000 + b"]" * 100_000,
    "a number": lambda data: b"17",
    "null": lambda data: b"null",
    "other keys": lambda data: b'{"a": 1}\n{"a": 2}\n',
    "a list of lists": lambda data: b"[[[1]], [[2]]]",
    "a long name": lambda data: b'{"' + b"x" * 100_000 + b'": 1}',
    "a huge number": lambda data: data.replace(b"1", b"1" * 5_000),
    "not a number": lambda data: data.replace(b"0", b"NaN"),
    "wide": lambda data: data.decode().encode("utf-16"),
    "control": lambda data: data.replace(b" ", b"\x1b[2J"),
}


@cache
def loaded(task: str) -> scoring.Task:
    return scoring.load(task)


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_told_or_costs_only_what_is_damaged(tmp_path: Path, name: str, damage: str) -> None:
    task, suffix, contents = FILES[name]
    for damaged in range(len(contents)):
        paths = [tmp_path / f"{damaged}{number}{suffix}" for number in range(len(contents))]
        for number, (path, content) in enumerate(zip(paths, contents, strict=True)):
            path.write_bytes(DAMAGES[damage](content) if number == damaged else content)
        try:
            run = scoring.evaluate(loaded(task), paths[0], references=paths[1:] or None)
        except (InputError, SpecError) as error:
            message = str(error)
            assert "\x1b" not in message
            assert len(message) < 4_000
            assert not any(word in message for word in ("Traceback", "RecursionError", "0x"))
        else:
            assert len(run.records) > 0
            assert all(record.reason for record in run.records if record.score is None)


# Two texts can't be told from one another; keys that no file shares are put together in any order.
ALIKE = {"lines", "bfcl", "humaneval"}


@pytest.mark.parametrize("name", [name for name, one in FILES.items() if len(one[2]) > 1 and name not in ALIKE])
def test_files_in_the_wrong_order_are_told(tmp_path: Path, name: str) -> None:
    task, suffix, contents = FILES[name]
    paths = [tmp_path / f"{number}{suffix}" for number in range(len(contents))]
    for path, content in zip(paths, reversed(contents), strict=True):
        path.write_bytes(content)
    with pytest.raises((InputError, SpecError)) as found:
        scoring.evaluate(task, paths[0], references=paths[1:])
    assert "no layout of" in str(found.value)
