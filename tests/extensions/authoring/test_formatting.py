"""`fmt` changes expressions only, and what it writes means the same."""

from __future__ import annotations

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from scoring.diagnostics.diagnostic import SpecError
from scoring.extensions.authoring.formatting import format_text
from scoring.format.build import build_spec
from scoring.format.model import TaskSpec
from scoring.format.read import read_text

HEAD = "kind: task\nname: t\nfields:\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("  a: lower|equal   # why\n", "  a: lower | equal   # why\n"),
        ('  a: "lower|equal"\n', "  a: lower | equal\n"),
        ('  a: \'replace(old="x",new="y") | equal\'\n', '  a: replace(old="x", new="y") | equal\n'),
        ("  a: [lower, equal]\n", "  a: lower | equal\n"),
        (
            "  a:\n    - lower\n    - replace: {old: x, new: 'y'}\n    - equal\n",
            '  a: lower | replace(old="x", new="y") | equal\n',
        ),
        ("  a: {score: lower|equal, weight: 2}\n", "  a: {score: lower | equal, weight: 2}\n"),
        ("  a: {score: 'zero_below(  0.5 )'}\n", "  a: {score: zero_below(0.5)}\n"),
        (
            '  a: {score: \'replace(old="x",new="y") | equal\'}\n',
            '  a: {score: \'replace(old="x", new="y") | equal\'}\n',
        ),
        (
            "  a: any_of(\n      lower | equal,\n      upper|equal)\n",
            "  a: any_of(\n      lower | equal,\n      upper|equal)\n",
        ),
        ("  a: >-\n    lower |\n    equal\n", "  a: >-\n    lower |\n    equal\n"),
        ("  a: lower|equal\r\n", "  a: lower | equal\r\n"),
    ],
)
def test_fields(before: str, after: str) -> None:
    assert format_text(HEAD + before, "t.yaml") == HEAD + after


def test_every_kind_of_expression() -> None:
    before = (
        "kind: task\nname: t\nparse: strip|json\nscore: lower|equal\npass: (score>=0.5)\n"
        "metrics: [ mean,'quantile( 0.5 )' ]\n"
        "scorers:\n  x: lower|equal\n  y: {doc: why, score: upper|equal}\n"
    )
    after = (
        "kind: task\nname: t\nparse: strip | json\nscore: lower | equal\npass: score >= 0.5\n"
        "metrics: [ mean,quantile(0.5) ]\n"
        "scorers:\n  x: lower | equal\n  y: {doc: why, score: upper | equal}\n"
    )
    assert format_text(before, "t.yaml") == after
    assert format_text(after, "t.yaml") == after


def test_json_files() -> None:
    fields = {"a": "lower|equal", "b": ["lower", "equal"]}
    before = json.dumps({"kind": "task", "name": "t", "fields": fields}, indent=1)
    after = format_text(before, "t.json")
    assert json.loads(after)["fields"] == {"a": "lower | equal", "b": "lower | equal"}


def test_the_meaning_stays() -> None:
    text = HEAD + "  a: [lower, {align: {scorer: 'lower|levenshtein', by: optimal}}]\n  b: lower|zero_below(0.50)\n"
    before, after = build_spec(read_text(text, "t.yaml")), build_spec(read_text(format_text(text, "t.yaml"), "t.yaml"))
    assert isinstance(before, TaskSpec)
    assert isinstance(after, TaskSpec)
    assert [field.pipeline for field in before.fields] == [field.pipeline for field in after.fields]


def test_a_byte_order_mark_stays() -> None:
    assert format_text("\ufeff" + HEAD + "  a: lower|equal\n", "t.yaml") == "\ufeff" + HEAD + "  a: lower | equal\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "kind: suite\nname: s\ntasks: .\nscore: quantile( 0.50 )\nmetrics: [macro,{quantile: {q: 0.5}}]\n",
            "kind: suite\nname: s\ntasks: .\nscore: quantile(0.5)\nmetrics: [macro,quantile(q=0.5)]\n",
        ),
        (
            "kind: task\nname: t\nrecords: detection\nmetrics: ['detection_ap( )', 'detection_ar()']\n",
            "kind: task\nname: t\nrecords: detection\nmetrics: [detection_ap, detection_ar]\n",
        ),
        (
            "kind: pack\nname: p\nversion: 1.0.0\nscorers:\n"
            "  x: {params: {by: {type: pipeline, default: lower|equal}}, score: by}\n",
            "kind: pack\nname: p\nversion: 1.0.0\nscorers:\n"
            "  x: {params: {by: {type: pipeline, default: lower | equal}}, score: by}\n",
        ),
        (
            "kind: task\nname: t\nscorers: {a: &a lower|equal, b: *a}\nscore: a\n",
            "kind: task\nname: t\nscorers: {a: &a lower | equal, b: *a}\nscore: a\n",
        ),
    ],
    ids=["a suite", "a task over a data set", "a parameter's default", "an alias"],
)
def test_every_kind_of_file(before: str, after: str) -> None:
    assert format_text(before, "t.yaml") == after
    assert format_text(after, "t.yaml") == after


@pytest.mark.property
@given(
    pattern=st.lists(st.sampled_from([": ", " #", "\\d", "\\b", "'", "[a, b]", "{1,2}", "é", "x"]), min_size=1).map(
        "".join
    ),
    style=st.sampled_from(["plain", "single", "double", "literal", "folded", "flow"]),
)
def test_the_formatter_keeps_what_every_style_means(pattern: str, style: str) -> None:
    expression = f'replace_pattern(r"{pattern}")|strip|equal'
    written = {
        "plain": expression,
        "single": "'" + expression.replace("'", "''") + "'",
        "double": json.dumps(expression),
        "literal": f"|\n  {expression}",
        "folded": f">-\n  {expression}",
        "flow": "'" + expression.replace("'", "''") + "'",
    }[style]
    line = f"fields: {{a: {{score: {written}, weight: 2}}}}" if style == "flow" else f"score: {written}"
    text = f"kind: task\nname: t\n{line}\n"
    try:
        before = build_spec(read_text(text, "t.yaml"))
    except SpecError:
        assume(False)
    after = build_spec(read_text(format_text(text, "t.yaml"), "t.yaml"))
    assert isinstance(before, TaskSpec)
    assert isinstance(after, TaskSpec)
    assert [field.pipeline for field in before.fields] == [field.pipeline for field in after.fields]
    assert format_text(format_text(text, "t.yaml"), "t.yaml") == format_text(text, "t.yaml")
