"""Syntax errors: the id, the exact place, and what was expected, in words."""

from __future__ import annotations

import pytest

from scoring.diagnostics.diagnostic import Diagnostic, SpecError
from scoring.diagnostics.source import Source
from scoring.format.read_yaml import read_yaml
from scoring.lang.parser import parse_formula, parse_path, parse_pipeline


def refusal(text: str, parse: object = parse_pipeline) -> Diagnostic:
    with pytest.raises(SpecError) as refused:
        parse(text)  # type: ignore[operator]
    return refused.value.diagnostics[0]


@pytest.mark.parametrize(
    ("text", "finding", "start", "end", "label"),
    [
        ("", "syntax-empty", 0, 0, "nothing but space"),
        ("  \n ", "syntax-empty", 0, 4, "nothing but space"),
        ("f(a", "syntax-unclosed-bracket", 1, 2, "needs a `)`"),
        ("f([a)", "syntax-unclosed-bracket", 2, 3, "needs a `]`"),
        ("f(a))", "syntax-unopened-bracket", 4, 5, "nothing to close"),
        ('f("a)', "syntax-unclosed-text", 2, 3, 'needs another " on its line'),
        ('f("a\n")', "syntax-unclosed-text", 2, 3, 'needs another " on its line'),
        ("f(it's)", "syntax-unclosed-text", 4, 5, "needs another ' on its line"),
        ("f(“a”)", "syntax-character", 2, 3, 'write `"`'),
        ("f（1）", "syntax-character", 1, 2, "write `(`"),
        ("lower\u00a0| strip", "syntax-character", 5, 6, "write a plain space"),
        ("lower\u200b | strip", "syntax-character", 5, 6, "write nothing"),
        (r'f("\d+")', "syntax-escape", 3, 5, "unknown escape"),
        (r'f("\ud83d")', "syntax-escape", 2, 10, "unknown escape"),
        ("f(x=1, x=2)", "syntax-repeated-name", 7, 8, "given again"),
        ('f({a=1, "a"=2})', "syntax-repeated-name", 8, 11, "given again"),
        ("f(x=1, 2)", "syntax-positional-after-keyword", 7, 8, "needs a name in front"),
        ("record.x", "syntax-path-as-step", 0, 8, "expected the name of a step"),
        ("lower | reference", "syntax-path-as-step", 8, 17, "expected the name of a step"),
        ("lower | true", "syntax-value-as-step", 8, 12, "expected the name of a step"),
        ("f(x=True)", "syntax-constant", 4, 8, "write `true`"),
        ("f(None)", "syntax-constant", 2, 6, "write `null`"),
        ("f(1e999)", "syntax-number", 2, 7, "at most 40 characters and 1.8e308"),
        ("f(" + "1" * 41 + ")", "syntax-number", 2, 43, "at most 40 characters and 1.8e308"),
        ("f(a)(b)", "syntax-missing-pipe", 4, 5, "write `|` before it"),
        ("f(a) $", "syntax-unexpected", 5, 6, "expected `|` or the end"),
        ("f(record.)", "syntax-unexpected", 9, 10, "expected a name or a text in quotes"),
        ("f(x=$)", "syntax-unexpected", 4, 5, "expected a value"),
        ("f($)", "syntax-unexpected", 2, 3, "expected a value or `)`"),
        ("f({1})", "syntax-unexpected", 3, 4, "expected a name or `}`"),
    ],
)
def test_pipeline_refusals(text: str, finding: str, start: int, end: int, label: str) -> None:
    found = refusal(text)
    assert (found.id, found.span and found.span.start, found.span and found.span.end) == (finding, start, end)
    assert found.primary.text == label


@pytest.mark.parametrize(
    ("text", "finding", "start", "end", "label"),
    [
        ("", "syntax-empty", 0, 0, "nothing but space"),
        ("a +", "syntax-missing-operand", 3, 3, "expected a number, a field or a function"),
        ("a $", "syntax-unexpected", 2, 3, "expected arithmetic, `and`, `or`, a comparison or the end"),
        ("min(a, or)", "syntax-missing-operand", 7, 9, "expected a number, a field or a function"),
        ("a + and(b)", "syntax-missing-operand", 4, 7, "expected a number, a field or a function"),
        ("min(a", "syntax-unclosed-bracket", 3, 4, "needs a `)`"),
        (" + ".join(["a"] * 202), "syntax-limit", 0, 805, "too large"),
        ("not " * 300 + "a", "syntax-limit", 0, 1201, "too large"),
    ],
)
def test_formula_refusals(text: str, finding: str, start: int, end: int, label: str) -> None:
    found = refusal(text, parse_formula)
    assert (found.id, found.span and found.span.start, found.span and found.span.end) == (finding, start, end)
    assert found.primary.text == label


def test_path_refusals() -> None:
    assert refusal("", parse_path).message == "a path is missing here"
    found = refusal("row.x", parse_path)
    assert found.primary.text == "expected record, context, reference, prediction, item, parsed or values"
    found = refusal("record.", parse_path)
    assert (found.message, found.primary.text) == ("a path cannot end here", "expected a name or a text in quotes")
    # The comma is possible after some value, so the parser has closed the path when it refuses.
    assert refusal("record,", parse_path).primary.text == "expected `.`, `[` or the end"


def test_place_is_that_in_the_file() -> None:
    text = 'fields:\n  total: "lower | zero_below(0.5) equal"\n'
    node = read_yaml(Source("task.yaml", text))["fields"]["total"]
    with pytest.raises(SpecError) as refused:
        parse_pipeline(node.fragment())
    assert str(refused.value.diagnostics[0].span) == "task.yaml:2:35"


def test_several_findings_at_once() -> None:
    with pytest.raises(SpecError) as refused:
        parse_pipeline(r'f(x=1, x=2, 3) | g("\d", None)')
    assert [found.id for found in refused.value.diagnostics] == [
        "syntax-repeated-name",
        "syntax-positional-after-keyword",
        "syntax-escape",
        "syntax-constant",
    ]


def test_escape_help_keeps_what_is_right() -> None:
    raw, two = refusal(r'f("\d\n")').help
    assert raw == r'a pattern is written raw: `r"\d\n"`'
    assert two == r'for a backslash itself write two: `"\\d\\n"`'


def test_lookalikes_are_shown_replaced() -> None:
    assert refusal("f（x＝“a”）").help == ('with plain characters: `f(x="a")`',)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5_000,
        "f(" * 5_000 + ")" * 5_000,
        "[" * 19_000,
        "f([" * 60 + "])" * 60,
        "a | " * 5_000 + "a",
        "a" * 20_001,
        "a | " * 200 + "a",
        '"' * 19_999,
        "a|" * 9_000,
        "-" * 15_000 + "a",
    ],
    ids=range(10),
)
def test_large_input_is_refused_early(text: str) -> None:
    for parse in (parse_pipeline, parse_formula):
        assert refusal(text, parse).id.startswith("syntax-")
