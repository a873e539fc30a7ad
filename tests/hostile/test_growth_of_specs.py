"""What reading a spec costs grows with its length: no run of characters makes the reader go over it again and again."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

import scoring
from tests.support.cost import STEEPEST, TIMES, spent, spent_apart

SIZE = 20_000
NOTABLE = 0.3
"""CPU seconds: of what takes less, eight times the length takes seconds, even where work grows with the square."""
BEFORE = ("", "[", "{a: ", "'", "f(", "|\n  ")
PIECES = (
    *("(", "[", "{", ")", "]", "}", "'", '"', "#", ":", "|", ",", "\t", " ", "\\", "&a ", "*a ", "!a ", "%", "@", "`"),
    *("a # ", " #", "{a: b #", "- ", "? ", ": ", "a: ", "[a, ", "{a: ", "(a: ", "f(a, ", "f(a: b, ", '"a" in '),
    *('"a\\x', "[a] | ", "{a: b} | ", "[(", "{(", '("', "['", "\n  ", "\n- ", "\n a: ", "\n\ta", "a:\n", "{a\n"),
    *("# a\n", "a: [\n", "  a: {\n", "1:", "1_", "<<: ", "---\n", "...\n", '{a: "b" c, ', '["a" b, ', '\\"', " \t"),
)


def check(path: Path, begin: str, piece: str, size: int) -> Any:
    path.write_text(f"kind: task\nname: t\nscore: {begin}{piece * (size // len(piece))}\n", encoding="utf-8")
    return scoring.check(path)


@pytest.mark.parametrize("begin", BEFORE, ids=repr)
def test_no_text_of_a_spec_is_gone_over_again_and_again(tmp_path: Path, begin: str) -> None:
    path = tmp_path / "spec.yaml"
    for piece in PIECES:
        once = spent(partial(check, path, begin, piece, SIZE))
        if once > NOTABLE:
            most = once * STEEPEST
            assert spent_apart(partial(check, path, begin, piece, SIZE * TIMES), most) < most, repr(piece)
