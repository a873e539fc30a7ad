"""Whatever is done to a good spec, checking it gives findings with places, never a traceback."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.api import check_file
from scoring.diagnostics.render.text import render_as_text
from scoring.format.keys import KINDS, TASKS
from tests.support.mutations import mutated

TASK = """\
kind: task
name: invoices/extraction
version: 1.2.0
imports: {text: anls@1}
record: {id: id, response: output.text, format: {path: answer_format, values: [Text, Number]}}
fields:
  vendor: text.anls
  total: {score: 'casefold | levenshtein | zero_below(0.5)', weight: 2}
  lines: align(per_key(casefold | equal), by="optimal")
  kind:
    - lower
    - zero_below: 0.5
  note: switch(record.format, Text=casefold | equal, Number=equal)
aggregate: 0.7 * vendor + 0.3 * min(total, lines)
pass: score >= 0.8 and total == 1
metrics: [mean, pass_rate]
by: [doc_type, "languages[]"]
on_unparsed: zero
examples:
  - {response: '{"vendor": "ACME"}', reference: {vendor: Acme}, expect: {vendor: 1}}
"""
PACK = """\
kind: pack
name: house
version: 1.0.0
scorers:
  near:
    doc: Close texts.
    params: {threshold: 0.5, inner: {default: lower | equal, type: pipeline}}
    score: casefold | levenshtein | zero_below(threshold)
    examples: [["a", "A", 1.0]]
  nearer: near(threshold=0.9)
parsers:
  stripped: strip | lower
"""
PLAIN = json.dumps(
    {
        "kind": "task",
        "name": "a",
        "fields": {"x": {"score": ["lower", {"zero_below": {"threshold": 0.5}}], "weight": 1}},
    },
    indent=1,
)


def is_checked(text: str, suffix: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"spec{suffix}"
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        found = check_file(path)
        for one in found:
            assert one.message
            assert one.span is None or 0 <= one.span.start <= one.span.end <= len(one.span.source.text)
        assert bool(render_as_text(found)) == bool(found)


@pytest.mark.property
@settings(max_examples=300)
@given(mutated(TASK))
def test_a_mutated_task_is_checked(text: str) -> None:
    is_checked(text, ".yaml")


@pytest.mark.property
@settings(max_examples=150)
@given(mutated(PACK))
def test_a_mutated_pack_is_checked(text: str) -> None:
    is_checked(text, ".yaml")


@pytest.mark.property
@settings(max_examples=100)
@given(mutated(PLAIN))
def test_a_mutated_json_task_is_checked(text: str) -> None:
    is_checked(text, ".json")


WORDS = st.sampled_from(
    [
        "kind",
        "task",
        "pack",
        "suite",
        "name",
        "fields",
        "score",
        "scorers",
        "imports",
        "record",
        "parse",
        "equal",
        "lower",
        "weight",
        "examples",
        "by",
        "metrics",
        "params",
        "aggregate",
        "mean",
        "pass",
        "tasks",
        "version",
        "1.0.0",
        "default",
        "zero_below",
        "type",
        "pipeline",
        "path",
        "values",
        "record.x",
        "lower | equal",
        "$path",
    ]
)
DATA = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-2, 2) | WORDS | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=25,
)


@pytest.mark.property
@settings(max_examples=300)
@given(DATA, st.sampled_from(["task", *(kind for kind in KINDS if kind not in TASKS)]))
def test_any_shape_of_a_spec_is_checked(data: object, kind: str) -> None:
    whole = {"kind": kind, "name": "a", "version": "1.0.0", **data} if isinstance(data, dict) else data
    is_checked(json.dumps(whole), ".json")
