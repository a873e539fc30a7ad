"""Laws of the readers: total on any text, true to the data, true to the places."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.render.formats import render_diagnostics
from scoring.format.nodes import SpecNode
from scoring.format.read_json import read_json
from scoring.format.read_yaml import read_yaml
from scoring.format.yaml_scalars import NotFinite, TooLong, resolve
from tests.support.mutations import mutated

pytestmark = pytest.mark.property

SPEC = """\
# yaml-language-server: $schema=../../schemas/task.schema.json
kind: task
name: invoices/extraction
imports: {mega: megabench@1, house: ./house-metrics.yaml}
record: {id: id, response: output.text}
fields:
  vendor: mega.near_str_match
  total: &t {score: 'number | within(relative=0.01)', weight: 2}
  lines: align(per_key(casefold | levenshtein | zero_below(0.5)), by="optimal")
  again: *t
pass: score >= 0.8 and total == 1
by: [doc_type, "languages[]"]
doc: |
  Prose: with "quotes" # and signs
   and more.
examples:
  - {response: '{"vendor": "ACME"}', expect: {vendor: 1, total: 0}}
"""


def spans_are_inside(node: SpecNode, size: int) -> None:
    for span in (node.span, node.key_span, node.alias):
        if span is not None:
            assert 0 <= span.start <= span.end <= size
            span.source.line_column(span.end)
    for child in [*node.items, *node.entries.values()]:
        spans_are_inside(child, size)


def is_read_or_refused(read: Any, written: str) -> None:
    node, refusal = None, None
    try:
        node = read(written)
    except SpecError as error:
        refusal = error
    if node is not None:
        spans_are_inside(node, len(written))
        return
    assert refusal is not None
    assert refusal.diagnostics
    for found in refusal.diagnostics:
        assert found.span is not None
        assert 0 <= found.span.start <= found.span.end <= len(written)
    assert render_diagnostics(refusal.diagnostics)
    assert render_diagnostics(refusal.diagnostics, "concise").count("\n") == len(refusal.diagnostics) - 1


@settings(max_examples=400)
@given(mutated(SPEC))
@example("&a : 1")
@example("x: &a\ny: 1")
def test_yaml_reader_is_total(written: str) -> None:
    is_read_or_refused(read_yaml, written)


@settings(max_examples=200)
@given(st.one_of(st.text(), mutated(json.dumps({"a": [1, {"b": "\\n\u00e9"}, None, 1.5e3], "c": "x"}, indent=1))))
@example("&a :")
def test_json_reader_is_total(written: str) -> None:
    is_read_or_refused(read_json, written)
    is_read_or_refused(read_yaml, written)


_CONTROLS = re.compile("[\x7f-\x9f\ufeff\ufffe\uffff]")
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@settings(max_examples=300)
@given(PLAIN, st.booleans(), st.sampled_from([None, 1]))
def test_json_reader_gives_back_what_was_written(data: Any, ascii_only: bool, indent: int | None) -> None:
    written = json.dumps(data, ensure_ascii=ascii_only, indent=indent)
    if _CONTROLS.search(written):
        return  # they are refused unless escaped; test_refusals holds that
    node = read_json(written)
    assert node.plain() == data
    spans_are_inside(node, len(written))


EXPRESSION = st.text(alphabet="abz019 |(),=.[]{}'\"\\#日é\t-:", min_size=1, max_size=40).map(str.strip).filter(bool)


def parts_lead_back(node: SpecNode, value: str) -> None:
    """Each character that is no white space stands where the fragment says."""
    fragment = node.fragment()
    assert fragment.text == value
    assert fragment.starts is not None, "no map"
    for index, character in enumerate(value):
        written = fragment.span(index, index + 1).text
        assert written == character or written[:1] in "\\'" or character.isspace(), (written, character)


@settings(max_examples=300)
@given(st.lists(EXPRESSION, min_size=1, max_size=3), st.integers(1, 4))
def test_single_quoted_and_literal_scalars_lead_back(lines: list[str], indent: int) -> None:
    pad = " " * indent
    single = "a: '" + f"\n{pad}".join(line.replace("'", "''") for line in lines) + "'\n"
    parts_lead_back(read_yaml(single)["a"], " ".join(lines))
    literal = "a: |-\n" + "\n".join(pad + line for line in lines) + "\nb: 1\n"
    parts_lead_back(read_yaml(literal)["a"], "\n".join(lines))


@settings(max_examples=300)
@given(EXPRESSION)
def test_double_quoted_scalars_lead_back(value: str) -> None:
    for written in ("a: " + json.dumps(value) + "\n", "a: " + json.dumps(value, ensure_ascii=False) + "\n"):
        parts_lead_back(read_yaml(written)["a"], value)
        parts_lead_back(read_json("{" + written.replace("a", '"a"', 1) + "}")["a"], value)


@settings(max_examples=200)
@given(st.lists(st.text(alphabet="abz|()=", min_size=1, max_size=8), min_size=1, max_size=4), st.integers(1, 4))
def test_plain_and_folded_scalars_lead_back(words: list[str], indent: int) -> None:
    words[0] = "x" + words[0]
    written = f"\n{' ' * indent}".join(words)
    parts_lead_back(read_yaml(f"a: {written}\n")["a"], " ".join(words))
    parts_lead_back(read_yaml(f"a: >-\n{' ' * indent}{written}\n")["a"], " ".join(words))


@settings(max_examples=500)
@given(st.text(alphabet="0123456789.eE+-xoabcdefnulrtsINF~_:", max_size=12))
def test_scalars_that_are_numbers_agree_with_python(written: str) -> None:
    try:
        value = resolve(written)
    except (NotFinite, TooLong):
        return
    if isinstance(value, float):
        assert value == float(written)
    elif isinstance(value, int) and not isinstance(value, bool) and written[:2] not in ("0x", "0o"):
        assert value == int(written)
    elif isinstance(value, str):
        assert value == written


@settings(max_examples=100)
@given(st.dictionaries(st.text("abc", min_size=1), st.lists(st.sampled_from(["x", 1, None, True, 2.5])), max_size=4))
def test_yaml_agrees_with_pyyaml_where_both_versions_of_yaml_do(data: dict[str, Any]) -> None:
    assert (read_yaml(yaml.safe_dump(data)).plain()) == data


def test_the_text_to_mutate_is_a_good_one() -> None:
    assert list(read_yaml(SPEC).plain())[:3] == ["kind", "name", "imports"]
