"""The list and mapping form gives the tree of the text form, and its own mistakes have their own places."""

from __future__ import annotations

from typing import Any

import pytest

from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.source import Source
from scoring.format.read_yaml import read_yaml
from scoring.lang.from_data import from_data
from scoring.lang.parser import parse_pipeline
from scoring.lang.tree import Pipeline

PIPELINE_PARAMS = {
    ("per_key", "scorer"),
    ("per_key", 0),
    ("any_of", 0),
    ("any_of", 1),
    ("switch", "Int"),
    ("switch", "No answer"),
    ("tree", "leaf"),
    ("sides", "prediction"),
    ("align", 0),
}

SAME = [
    ("lower", "lower"),
    ("lower | strip", "lower | strip"),
    ("[lower, strip]", "lower | strip"),
    ("[lower | strip, equal]", "lower | strip | equal"),
    ("[[lower, strip], equal]", "lower | strip | equal"),
    ("[a, {b: {x: 1}}, c]", "a | b(x=1) | c"),
    ("{zero_below: 0.5}", "zero_below(0.5)"),
    ("[lower, zero_below: 0.5]", "lower | zero_below(0.5)"),
    ("{identity: null}", "identity"),
    ("{identity: {}}", "identity"),
    ("{default: [null]}", "default(null)"),
    ("{f: [1, two, [3], {x: 4}]}", 'f(1, "two", [3], {x=4})'),
    ("{f: {x: {a b: [true, -1.5]}}}", 'f(x={"a b"=[true, -1.5]})'),
    ("{any_of: [p, q | r]}", "any_of(p, q | r)"),
    ("{any_of: [[p, s], {q: 1}]}", "any_of(p | s, q(1))"),
    ("{per_key: equal}", "per_key(equal)"),
    ("{per_key: {scorer: to_set | equal, over: union}}", 'per_key(scorer=to_set | equal, over="union")'),
    ("{per_key: {scorer: [to_set, equal]}}", "per_key(scorer=to_set | equal)"),
    (
        "{switch: {value: {$path: record.t}, Int: int_match, No answer: refusal}}",
        'switch(value=record.t, Int=int_match, "No answer"=refusal)',
    ),
    ("{run_tests: {cases: {$path: 'context.cases[0].\"in put\"'}}}", 'run_tests(cases=context.cases[0]."in put")'),
    ("{switch: [{$path: record}]}", "switch(record)"),
    ("{load: {$text: reference.json}}", 'load("reference.json")'),
    ("{f: the reference.json}", 'f("the reference.json")'),
    ("{mega.near: {threshold: 0.9}}", "mega.near(threshold=0.9)"),
    ("{acme/near: 1}", "acme/near(1)"),
    ("{per_key: {scorer: 3}}", "per_key(scorer=3)"),
]


def is_pipeline_param(name: str, parameter: str | int) -> bool:
    return (name, parameter) in PIPELINE_PARAMS


def read(text: str) -> Pipeline:
    return from_data(read_yaml(Source("spec.yaml", f"score: {text}\n"))["score"], is_pipeline_param)


@pytest.mark.parametrize(("data", "text"), SAME)
def test_data_form_gives_the_tree_of_the_text_form(data: str, text: str) -> None:
    assert read(data) == parse_pipeline(text)


@pytest.mark.parametrize(
    ("data", "finding", "place"),
    [
        ("[lower, {a: 1, b: 2}]", "syntax-data-call", "{a: 1, b: 2}"),
        ("{}", "syntax-data-call", "{}"),
        ("[]", "syntax-empty", "[]"),
        ("{two words: 1}", "syntax-data-call", "two words"),
        ("{record.x: 1}", "syntax-data-call", "record.x"),
        ("{f: record.x}", "syntax-ambiguous-path", "record.x"),
        ("{f: {x: [reference.json]}}", "syntax-ambiguous-path", "reference.json"),
        ("{f: {$path: the text}}", "syntax-unexpected", "the"),
        ("{f: {$path: 3}}", "syntax-data-call", "3"),
        ("[lower, strip equal]", "syntax-missing-pipe", "equal"),
        ("{any_of: [a ||  b]}", "syntax-operator", "||"),
        ("[lower, 5]", "syntax-value-as-step", "5"),
        ("{f: 100000000000000000000000000000000000000000}", "syntax-number", "1" + "0" * 41),
    ],
)
def test_mistakes_name_their_place(data: str, finding: str, place: str) -> None:
    with pytest.raises(SpecError) as refused:
        read(data)
    (found,) = refused.value.diagnostics
    assert found.id == finding
    assert found.span is not None
    assert found.span.text == place


class Plain:
    """A value without a file, such as one given from Python."""

    def __init__(self, value: Any) -> None:
        self.value, self.span, self.key_span = value, None, None


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 10**41, 1 << 200_000], ids=range(4))
def test_numbers_without_a_text_are_refused(value: float) -> None:
    with pytest.raises(SpecError, match="syntax-number"):
        from_data(Plain({"f": Plain(value)}), is_pipeline_param)  # type: ignore[arg-type]


@pytest.mark.parametrize("shape", ["[]", "{f: }", "{align: }"])
def test_deep_data_is_refused_before_it_recurses(shape: str) -> None:
    node = Plain({"x": Plain(1)})
    for _ in range(5_000):
        node = Plain([node] if shape == "[]" else {shape[1:-3]: node})
    with pytest.raises(SpecError, match="syntax-limit"):
        from_data(node, is_pipeline_param)  # type: ignore[arg-type]


def test_data_says_no_more_than_a_text_can() -> None:
    node = Plain([Plain({"a" * 200: Plain(None)}) for _ in range(150)])
    with pytest.raises(SpecError, match="syntax-limit"):
        from_data(node, is_pipeline_param)  # type: ignore[arg-type]
