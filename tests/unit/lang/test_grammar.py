"""The grammar: one reading only, stored tables that are its own, no word cut in two."""

from __future__ import annotations

import json
from pathlib import Path

import lark
import pytest

from scoring.diagnostics.diagnostic import SpecError
from scoring.lang import grammar
from scoring.lang.mistake import mistakes
from scoring.lang.parser import parse_formula, parse_pipeline

TEXTS = [
    *(text for row in mistakes() for text in row.examples.values()),
    'align(per_key(to_text | casefold), by="optimal", weights={a=1, b=[2, true], record=-0.5,},)',
    'if(a + 1 <= -b / 2 < 3 or not not c, min(), (0.5) * max("x", d,))',
    'record."a b"[0][-1].true',
    "reference | words | length",
    "(values.x | lower) | equal(tolerance=(prediction | words) | length, values=[values.y, parsed[0]])",
    "values | parsed | values.x",
    "f(values=1, parsed = values .x)",
]


def read(parser: lark.Lark, text: str, entry: str) -> object:
    try:
        return parser.parse(text, start=entry)
    except lark.exceptions.UnexpectedInput as refused:
        return type(refused)


def test_grammar_allows_one_reading_only() -> None:
    """Given Lark's strict mode, then no two rules and no two words can stand for the same text."""
    assert grammar.made(strict=True).parse("lower | equal", start="scorer")


@pytest.mark.parametrize("entry", grammar.ENTRIES)
def test_stored_tables_read_as_the_grammar_does(entry: str) -> None:
    made, stored = grammar.made(), grammar.expression_parser()
    found = [read(made, text, entry) for text in TEXTS]
    assert found == [read(stored, text, entry) for text in TEXTS]
    assert sum(isinstance(one, lark.Tree) for one in found) >= 1


def test_stored_tables_are_those_of_the_lark_that_is_locked() -> None:
    """Given tables of another Lark, then each start would make them anew."""
    lock = Path(__file__).parents[3] / ".ci" / "lock.txt"
    stored = json.loads(Path(grammar.__file__).with_name("grammar.json").read_text("utf-8"))
    assert f"\nlark=={stored['lark']} " in lock.read_text("utf-8")


def test_tables_of_another_lark_are_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Given tables of another version, whatever they hold, then the grammar itself is read."""
    (tmp_path / "grammar.json").write_text(json.dumps({"lark": "0.0", "tables": {}}))
    monkeypatch.setattr(grammar, "_TABLES", tmp_path / "grammar.json")
    assert grammar.expression_parser.__wrapped__().parse("a | b", start="scorer") == grammar.made().parse(
        "a | b", start="scorer"
    )


@pytest.mark.parametrize("text", ["a andb", "a notin b", "a not inb", "a === b", "1or 2", "0x1F", "a -> b"])
def test_a_word_is_never_cut_in_two(text: str) -> None:
    """Given `andb`, which a lexer could read as `and b`, then it is a word without an operator before it."""
    for parse in (parse_formula, parse_pipeline):
        with pytest.raises(SpecError, match=r"syntax-"):
            parse(text)
