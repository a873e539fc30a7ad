"""What reading a spec costs grows with its length: no run of characters makes the reader go over it again and again.

Definitions may be many, as long as each is small; those that multiply one another are refused before they cost much.
"""

from __future__ import annotations

import json
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
            [much] = spent_apart([(partial(check, path, begin, piece, SIZE * TIMES), most)])
            assert much < most, repr(piece)


def pack(path: Path, *definitions: str) -> Path:
    lines = [f"  d{place}: {definition}\n" for place, definition in enumerate(definitions)]
    path.write_text(f"kind: pack\nname: p\nversion: 1.0.0\nscorers:\n{''.join(lines)}", encoding="utf-8")
    return path


@pytest.mark.parametrize("count", [1_000, 5_000])
def test_many_small_definitions_are_accepted(tmp_path: Path, count: int) -> None:
    path = pack(tmp_path / "pack.yaml", *["strip | lower | equal"] * count)
    found: list[Any] = []
    took = spent(lambda: found.extend(scoring.check(path).findings))
    assert found == []
    assert took < 0.002 * count  # some 0.35 ms each on a quiet machine


def test_small_definitions_that_use_one_another_are_accepted(tmp_path: Path) -> None:
    users = [f"strip | lower | d{place % 10}" for place in range(1_000)]
    assert scoring.check(pack(tmp_path / "pack.yaml", *["strip | lower | equal"] * 10, *users)).findings == ()


@pytest.mark.parametrize("plain", [0, 900])
@pytest.mark.parametrize("times", [2, 9])
def test_definitions_that_multiply_one_another_are_refused_soon(tmp_path: Path, plain: int, times: int) -> None:
    """However many plain definitions stand before them."""
    chain = [f"any_of({', '.join([f'd{place}'] * times)})" for place in range(plain, plain + 39)]
    path = pack(tmp_path / "pack.yaml", *["strip | lower | equal"] * plain, "equal", *chain)
    found: list[Any] = []
    took = spent(lambda: found.extend(scoring.check(path).findings))
    assert [finding.id for finding in found] == ["spec-too-large"]
    assert took < 1 + 0.04 * (plain + 39)  # without an end it would be 2 ** 39 steps


def loaded(fields: dict[str, Any], aggregate: str) -> Any:
    return scoring.load({"kind": "task", "name": "t", "parse": "json", "fields": fields, "aggregate": aggregate})


@pytest.mark.parametrize("aggregate", ["mean", "f19"])
def test_formulas_that_name_one_another_twice_are_followed_once(aggregate: str) -> None:
    formulas = {f"f{place + 1}": {"score": f"f{place} * 0.5 + f{place} * 0.5"} for place in range(19)}
    call = partial(loaded, {"f0": "levenshtein", **formulas}, aggregate)
    assert spent_apart([(call, 3)]) < [3]  # 2 ** 19 steps would take minutes


def test_what_many_fields_cost_does_not_grow_with_their_square() -> None:
    few, many = ({f"f{place}": "levenshtein" for place in range(count)} for count in (50, 400))
    loaded(few, "mean")  # what it loads, it loads once
    # The least of three on both sides: a collection of what other tests have left may fall into any one of them.
    little, much = (min(spent(partial(loaded, fields, "mean")) for _ in range(3)) for fields in (few, many))
    assert much < 1.5 * TIMES * little


def test_formulas_that_depend_on_very_many_fields_are_refused_soon(tmp_path: Path) -> None:
    chain = {f"f{place + 1}": {"score": f"f{place} + f{place}"} for place in range(2_000)}
    spec = {"kind": "task", "name": "t", "parse": "json", "fields": {"f0": "levenshtein", **chain}, "aggregate": "mean"}
    (tmp_path / "spec.json").write_text(json.dumps(spec), encoding="utf-8")
    found: list[Any] = []
    took = spent(lambda: found.extend(scoring.check(tmp_path / "spec.json").findings))
    assert [finding.id for finding in found] == ["spec-too-large"]
    assert took < 40
