"""Whatever is done to a spec, a check ends in findings with places, never in a traceback."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.compiler.tasks.checking import check_spec
from scoring.diagnostics.diagnostic import Diagnostic, SpecError
from scoring.diagnostics.render.formats import render_diagnostics
from scoring.format.load import Loader
from scoring.format.read import read_text
from tests.support.golden import REPOSITORY

TASK = (REPOSITORY / "specs" / "quickstart" / "invoices.yaml").read_text(encoding="utf-8")
PACK = """kind: pack
name: house
version: 1.0.0
doc: A pack.
imports: {mega: megabench@1}
scorers:
  near:
    doc: Near enough.
    params: {threshold: 0.8, measure: {type: pipeline, default: levenshtein}}
    score: lower | measure | zero_below(threshold)
    examples: [[a, b, 0.0], {prediction: a, reference: a, expect: 1}]
  listed: [to_dict, {per_key: {scorer: "to_set | equal", over: union}}]
  chosen: switch(record.kind, text=near, "a set"=to_set | jaccard, default=mega.set_equality)
"""
FORMULAS = """kind: task
name: choices
values: {lengths: record.choices | map_items(length)}
fields:
  acc: argmax(record.lls) == record.gold
  by_length: {score: argmax(record.lls / lengths) == record.gold}
  same: 'combine("2 * a - b / 2", a=equal, b=levenshtein)'
  most: {score: 'max(fields("*a*")) - if(record.kind in ["x", "y"], record."a b"[0], 0.5)'}
aggregate: clip(mean(acc, by_length), 0, 1) * exp(-abs(most)) + 0 * same
pass: score > 0.5 and record.kind != "z" and not (reference == "no")
"""
METRICS = """{"field_score_function": {"a b": "exact_str_match", "##h": "set_equality"},
"aggregation": {"function": "mean", "field_weights": {"a b": 2, "##h": 1}}, "response_parse_function": "json",
"global_aux_metrics": {"all": "dict_equality"}}
"""
PIECES = [
    "|",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ":",
    ",",
    '"',
    "'",
    "\n",
    "\n  ",
    "- ",
    " #",
    "&a ",
    "*a",
    "!!x ",
    "<<: ",
    "%",
    "@",
    "`",
    "null",
    "true",
    "no",
    "1e999",
    "-1",
    "0.5",
    "=",
    "record.x",
    "==",
    " in ",
    "[0]",
    "exp(",
    "argmax",
    "zero_below",
    "equal",
    "mean",
    "sides(prediction=lower)",
    "\t",
    "\u2028",
    "\ufeff",
    "日本",
    "\\u0000",
    "$path",
    "megabench@1",
    "./x.yaml",
    "kind: suite",
    "fields:",
    "score:",
]


@st.composite
def mutated(draw: st.DrawFn, text: str) -> str:
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.sampled_from([0, 0, 1, 1, 3, 10, 60])))
        text = text[:start] + draw(st.one_of(st.sampled_from(PIECES), st.text(max_size=3), st.just(""))) + text[end:]
    return text


def findings(text: str, name: str) -> tuple[Diagnostic, ...]:
    loader = Loader()
    try:
        return check_spec(loader.load(read_text(text, name), name=name), loader)
    except SpecError as error:
        return error.diagnostics


def examined(text: str, name: str) -> None:
    found = findings(text, name)
    for diagnostic in found:
        for label in (diagnostic.primary, *diagnostic.secondary):
            if label.span is not None:
                assert 0 <= label.span.start <= label.span.end <= len(label.span.source.text)
    for form in ("text", "concise", "json", "github"):
        assert isinstance(render_diagnostics(found, form), str)


@pytest.mark.property
@settings(max_examples=300)
@given(mutated(TASK))
def test_a_mutated_task(text: str) -> None:
    examined(text, "task.yaml")


@pytest.mark.property
@settings(max_examples=300)
@given(mutated(FORMULAS))
def test_a_mutated_task_of_formulas(text: str) -> None:
    examined(text, "choices.yaml")


@pytest.mark.property
@settings(max_examples=300)
@given(mutated(PACK))
def test_a_mutated_pack(text: str) -> None:
    examined(text, "pack.yaml")


@pytest.mark.property
@settings(max_examples=200)
@given(mutated(METRICS))
def test_a_mutated_metrics_json(text: str) -> None:
    examined(text, "metrics.json")


def test_the_originals_are_in_order() -> None:
    assert findings(TASK, "task.yaml") == ()
    assert findings(FORMULAS, "choices.yaml") == ()
    assert findings(PACK, "pack.yaml") == ()
