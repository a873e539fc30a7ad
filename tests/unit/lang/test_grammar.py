"""The readers are written by hand; the grammar is their meaning, and Lark, which reads it, is their judge."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import lark
import pytest
from hypothesis import given
from lark.exceptions import UnexpectedInput

from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.source import Fragment
from scoring.lang import parser as ours
from scoring.lang.mistake import mistakes
from scoring.lang.printer import print_formula, print_pipeline
from scoring.lang.scan import scan
from tests.support.strategies_lang import computed, formulas, pipelines, scraps

GRAMMAR = Path(ours.__file__).with_name("grammar.lark")
PARSERS: dict[str, Callable[[str], Any]] = {
    "pipeline": ours.parse_pipeline,
    "computed": ours.parse_computed,
    "formula": ours.parse_formula,
    "path": ours.parse_path,
}
# What no grammar can say, or would say too late.
BEYOND = {
    "syntax-constant",
    "syntax-escape",
    "syntax-limit",
    "syntax-missing-operand",
    "syntax-number",
    "syntax-path-as-step",
    "syntax-positional-after-keyword",
    "syntax-repeated-name",
    "syntax-value-as-step",
}
TEXTS = [
    *(text for row in mistakes() for pair in row.examples.items() for text in pair),
    'align(per_key(to_text | casefold), by="optimal", weights={a=1, b=[2, true], record=-0.5,},)',
    'if(a + 1 <= -b / 2 < 3 or not not c, min(), (0.5) * max("x", d,))',
    'record."a b"[0][-1].true',
    "reference | words | length",
    "(values.x | lower) | equal(tolerance=(prediction | words) | length, values=[values.y, parsed[0]])",
    "lower | (record.x | upper)",
    "values | parsed | values.x",
    "f(values=1, parsed = values .x)",
]


@cache
def judge(strict: bool = False) -> lark.Lark:
    return lark.Lark(
        GRAMMAR.read_text("utf-8"),
        parser="lalr",
        lexer="contextual",
        start=["pipeline", "computed", "formula", "path"],
        propagate_positions=True,
        maybe_placeholders=False,
        strict=strict,
    )


def test_grammar_allows_one_reading_only() -> None:
    assert judge(strict=True).parse("lower | equal", start="pipeline")


def refused_at(text: str, entry: str) -> int | None:
    """Where Lark refuses a text; None where it reads it."""
    try:
        judge().parse(text, start=entry)
    except UnexpectedInput as refused:
        at_end = getattr(getattr(refused, "token", None), "type", "") == "$END"
        return len(text) if at_end else refused.pos_in_stream or 0
    return None


def is_cut_apart(text: str, entry: str) -> bool:
    """Whether Lark reads one word as two, as in `a andb`: what we refuse."""
    ends = {token.end for token in scan(Fragment.of(text))}
    return any(token.end_pos not in ends for token in judge().parse_interactive(text, start=entry).exhaust_lexer())


def check(text: str, entry: str) -> None:
    found: set[str] = set()
    try:
        PARSERS[entry](text)
    except SpecError as error:
        found = {one.id for one in error.diagnostics}
    if refused_at(text, entry) is not None:
        assert found, "the grammar refuses this"
    else:
        assert found <= BEYOND or is_cut_apart(text, entry), "the grammar allows this"


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("entry", PARSERS)
def test_one_text_is_read_or_refused_by_both(text: str, entry: str) -> None:
    check(text, entry)


@pytest.mark.property
@given(tree=pipelines)
def test_every_pipeline_is_of_the_grammar(tree: Any) -> None:
    assert refused_at(print_pipeline(tree), "pipeline") is None


@pytest.mark.property
@given(tree=computed)
def test_every_value_is_of_the_grammar(tree: Any) -> None:
    assert refused_at(print_pipeline(tree), "computed") is None


@pytest.mark.property
@given(tree=formulas)
def test_every_formula_is_of_the_grammar(tree: Any) -> None:
    assert refused_at(print_formula(tree), "formula") is None


@pytest.mark.property
@pytest.mark.parametrize("entry", PARSERS)
@given(text=scraps)
def test_any_text_is_read_or_refused_by_both(entry: str, text: str) -> None:
    try:
        scan(Fragment.of(text))
    except SpecError:
        return
    check(text, entry)


def test_a_word_is_never_cut_in_two() -> None:
    """Given `andb`, which a lexer could read as `and b`, then it is a word without an operator before it."""
    with pytest.raises(SpecError, match=r"syntax-"):
        ours.parse_formula("a andb")
