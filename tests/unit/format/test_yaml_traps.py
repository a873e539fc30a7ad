"""YAML's traps for expressions: each is named, points at its character and shows a line that reads as meant."""

from __future__ import annotations

import pytest

from scoring.diagnostics.diagnostic import SpecError
from scoring.format.read_yaml import read_yaml

TRAPS = [
    ("total: {score: number(a=1, b=2), weight: 2}", "yaml-comma", 26, "total: {score: 'number(a=1, b=2)', weight: 2}"),
    ("metrics: [mean, percentile(q=5, of=x)]", "yaml-comma", 31, "metrics: [mean, 'percentile(q=5, of=x)']"),
    ("m: [a, x: b(per(c, d(e))), y: f]", "yaml-comma", 18, "m: [a, x: 'b(per(c, d(e)))', y: f]"),
    ("a: {b: c(d=[1, 2]), e: 2}", "yaml-comma", 12, "a: {b: 'c(d=[1, 2])', e: 2}"),
    ("a: [f(x=[1, 2])]", "yaml-comma", 9, "a: ['f(x=[1, 2])']"),
    ("score: [a, b] | c", "yaml-bracket", 15, "score: '[a, b] | c'"),
    ("a: {s: [x] | b, w: 1}", "yaml-bracket", 12, "a: {s: '[x] | b', w: 1}"),
    ("score: {a: 1} | c", "yaml-bracket", 15, "score: '{a: 1} | c'"),
    ('score: "x" | lower', "yaml-quote", 12, "score: '\"x\" | lower'"),
    ("- 'x' | lower", "yaml-quote", 7, "- |-\n  'x' | lower"),
    ('a: {s: "x" | b, w: 1}', "yaml-quote", 12, "a: {s: '\"x\" | b', w: 1}"),
    ("score: | lower", "yaml-pipe", 8, "score: lower"),
    ("score:\n    | number(tol=0.1)", "yaml-pipe", 5, "number(tol=0.1)"),
    ("score: > lower", "yaml-pipe", 8, "score: lower"),
    ("by: @x", "yaml-indicator", 5, "by: '@x'"),
    ("by: %x", "yaml-indicator", 5, "by: '%x'"),
    ("by: `x`  # c", "yaml-indicator", 5, "by: '`x`'  # c"),
    ("by: *x", "yaml-unknown-alias", 5, "by: '*x'"),
    ("by: !x", "yaml-tag", 5, "by: '!x'"),
    ('a: x | join(sep=" #")  # c', "yaml-hash", 19, "a: 'x | join(sep=\" #\")'  # c"),
    ("score: switch(f, {Int: int_match})", "yaml-colon", 22, "score: switch(f, {Int=int_match})"),
    ("score:\n  switch(x, {Int: int_match})", "yaml-colon", 17, "switch(x, {Int=int_match})"),
    ("- a(b: c)", "yaml-colon", 6, "- a(b=c)"),
    ("a: {b: c(d: 1)}", "yaml-colon", 11, "a: {b: c(d=1)}"),
    ("a: [f(x: 1)]", "yaml-colon", 8, "a: [f(x=1)]"),
    ("doc: Note: this", "yaml-colon", 10, "doc: 'Note: this'"),
    ("examples: [[Answer: B, B, 1]]", "yaml-colon", 19, "examples: [['Answer: B', B, 1]]"),
    ("a: {response: Answer: B, b: 1}", "yaml-colon", 21, "a: {response: 'Answer: B', b: 1}"),
    ('a: "find(r"x")"', "yaml-quote", 12, "a: 'find(r\"x\")'"),
    ('a: "\\boxed{4}"', "yaml-escape", 5, "a: '\\boxed{4}'"),
    ("a: #### 12", "yaml-hash", 4, "a: '#### 12'"),
]


@pytest.mark.parametrize(("text", "id_", "column", "line"), TRAPS, ids=[trap[0] for trap in TRAPS])
def test_trap_is_named_and_mended(text: str, id_: str, column: int, line: str) -> None:
    with pytest.raises(SpecError) as caught:
        read_yaml(text)
    found = caught.value.diagnostics[0]
    assert (found.id, found.span.column if found.span else None) == (id_, column)
    assert found.help[0] == f"write it like this:\n{line}"
    # The line shown is no trap itself.
    read_yaml(line)


@pytest.mark.parametrize(
    "text",
    [
        "score: switch(record.f, {Int=int_match})  # a comment",
        "score: a | b(x=[1, 2], y={z=1}) | c",
        "doc: it's fine (really) # and so is this",
        "doc: a smile :( here\nby: [x, y]",
        "score:\n  a\n  | b(x=1)\n  | c",
        "score: '[a, b] | c'",
        "score: |\n  [a, b] | c\n",
        "by: [a(x=1), b]",
        'examples: [["The (a", "b) c", 1]]',
    ],
)
def test_well_written_expressions_are_left_alone(text: str) -> None:
    read_yaml(text)


def test_a_tab_is_named() -> None:
    with pytest.raises(SpecError) as caught:
        read_yaml("a:\n\t- b\n")
    assert [(found.id, str(found.span)) for found in caught.value.diagnostics] == [("yaml-tab", "<yaml>:2:1")]


@pytest.mark.parametrize(("text", "id_", "column", "line"), TRAPS, ids=[trap[0] for trap in TRAPS])
def test_the_parser_without_c_says_the_same(
    text: str, id_: str, column: int, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("yaml.CSafeLoader")
    test_trap_is_named_and_mended(text, id_, column, line)
