"""The YAML reader: values, places, limits and refusals."""

from __future__ import annotations

import pytest

from scoring.diagnostics.diagnostic import Diagnostic, SpecError
from scoring.format.limits import ReadLimits
from scoring.format.read_yaml import read_yaml


def refusal(text: str, limits: ReadLimits | None = None) -> Diagnostic:
    with pytest.raises(SpecError) as caught:
        read_yaml(text, limits or ReadLimits())
    assert len(caught.value.diagnostics) == 1, caught.value
    return caught.value.diagnostics[0]


def test_scalars_follow_yaml_1_2() -> None:
    text = "[no, yes, 12:30, 2024-01-01, 1e3, 012, 0o17, 0x1F, 1_000, ~, null, true, -1.5, .5, 1., '1', \"no\", +7]"
    assert read_yaml(text).plain() == [
        "no",
        "yes",
        "12:30",
        "2024-01-01",
        1000.0,
        12,
        15,
        31,
        "1_000",
        None,
        None,
        True,
        -1.5,
        0.5,
        1.0,
        "1",
        "no",
        7,
    ]


def test_every_value_and_key_knows_its_place() -> None:
    node = read_yaml("a:\n  - x y\n  - {b: 'c'}\nd: |\n  text\n\n# end\n")
    assert str(node["a"][0].span) == "<yaml>:2:5"
    assert node["a"][0].span.text == "x y"
    assert node["a"][1]["b"].span.text == "'c'"
    assert node["a"][1]["b"].key_span is not None
    assert str(node["a"][1]["b"].key_span) == "<yaml>:3:6"
    assert node["a"].span.text == "- x y\n  - {b: 'c'}"
    assert node["d"].span.text == "|\n  text"


def test_positions_count_code_points_after_a_byte_order_mark_and_wide_text() -> None:
    node = read_yaml("\ufeff日本: {é: 𝔘}\r\nb: c")
    assert node["日本"]["é"].span.text == "𝔘"
    assert str(node["b"].span) == "<yaml>:2:4"


def test_unusual_line_separators_do_not_count_as_lines() -> None:
    assert str(read_yaml("a: 'x\u2028y'\nb: 1")["b"].span) == "<yaml>:2:4"


def test_an_alias_repeats_a_value_and_keeps_both_places() -> None:
    node = read_yaml("a: &x [1, 2]\nb: *x\n")
    assert node.plain() == {"a": [1, 2], "b": [1, 2]}
    assert str(node["b"].span) == "<yaml>:1:7"
    assert str(node["b"].alias) == "<yaml>:2:4"
    assert str(node["b"].key_span) == "<yaml>:2:1"
    assert read_yaml("a: &x lower | equal\nb: *x")["b"].span.text == "lower | equal"
    assert read_yaml("a: &x\n  b: 1")["a"].span.text == "b: 1"


def test_duplicate_keys_name_both_places() -> None:
    found = refusal("a: 1\nb: 2\na: 3\n")
    assert found.id == "duplicate-key"
    assert str(found.span) == "<yaml>:3:1"
    assert str(found.secondary[0].span) == "<yaml>:1:1"


@pytest.mark.parametrize(
    ("text", "id_", "column"),
    [
        ("a: .nan", "number-not-finite", 4),
        ("a: -.inf", "number-not-finite", 4),
        ("a: 1e999", "number-not-finite", 4),
        ("a: " + "9" * 401, "number-too-long", 4),
        ("1: x", "yaml-key-not-text", 1),
        ("true: x", "yaml-key-not-text", 1),
        ("[a]: x", "yaml-key-not-text", 1),
        ("~: x", "yaml-key-not-text", 1),
        ("{{a: b}: c}", "yaml-key-not-text", 2),
        ("a: !!str 5", "yaml-tag", 4),
        ("a: !mine 5", "yaml-tag", 4),
        ("a: !!python/object:os.system x", "yaml-tag", 4),
        ("<<: {a: 1}", "yaml-merge-key", 1),
        ("a: 1\n---\nb: 2", "yaml-many-documents", 1),
        ("a: &x [*x]", "yaml-recursive-alias", 8),
        ("a: *x", "yaml-unknown-alias", 4),
        ("", "empty-file", 1),
        ("# only a comment", "empty-file", 1),
        ("a: \x00", "unprintable-character", 4),
        ("a: \x1b[31m", "unprintable-character", 4),
        ("a: \ud800", "unprintable-character", 4),
        ("a: b\ufeff", "unprintable-character", 5),
        ('a: "never closed\nb: 1', "syntax-yaml", 4),
        ("a: [1, 2\nb: 1", "syntax-yaml", 2),
        ("a: 1\n  b: 2", "syntax-yaml", 4),
        ('a: "\\q"', "syntax-yaml", 5),
        ("a: 1\nb", "syntax-yaml", 1),
    ],
)
def test_refusals(text: str, id_: str, column: int) -> None:
    found = refusal(text)
    assert (found.id, found.span.column if found.span else None) == (id_, column)


@pytest.mark.parametrize(
    ("text", "limits", "id_"),
    [
        ("a: " + "x" * 100, ReadLimits(size=50), "too-large"),
        ("[" * 65 + "]" * 65, ReadLimits(), "too-deep"),
        ("[" * 100_000, ReadLimits(), "too-deep"),
        ("{a: " * 100_000, ReadLimits(), "too-deep"),
        ("[" + "1," * 200 + "]", ReadLimits(nodes=100), "too-many-values"),
        ("a: &a 1\nb: [" + "*a," * 101 + "]", ReadLimits(), "yaml-too-many-aliases"),
    ],
)
def test_limits(text: str, limits: ReadLimits, id_: str) -> None:
    assert refusal(text, limits).id == id_


def test_an_alias_bomb_is_refused_by_the_number_of_values_it_stands_for() -> None:
    lines = ["a0: &a0 [1,1,1,1,1,1,1,1,1]"]
    lines += [f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 9)]
    assert refusal("\n".join(lines)).id == "too-many-values"


def test_aliases_can_not_build_depth_step_by_step() -> None:
    lines = ["a0: &a0 [1]"] + [f"a{i}: &a{i} [*a{i - 1}]" for i in range(1, 70)]
    assert refusal("\n".join(lines)).id == "too-deep"


def test_many_findings_come_at_once_and_stop_at_enough() -> None:
    with pytest.raises(SpecError) as caught:
        read_yaml("1: a\n2: b\nc: .inf\nd: !x y\n")
    assert [found.id for found in caught.value.diagnostics] == [
        "yaml-key-not-text",
        "yaml-key-not-text",
        "number-not-finite",
        "yaml-tag",
    ]
    with pytest.raises(SpecError) as caught:
        read_yaml("\n".join(f"{i}: x" for i in range(10_000)))
    assert len(caught.value.diagnostics) == 50


def test_a_syntax_error_does_not_hide_what_was_found_before_it() -> None:
    with pytest.raises(SpecError) as caught:
        read_yaml("a: 1\na: 2\nb: @x\n")
    assert [found.id for found in caught.value.diagnostics] == ["duplicate-key", "yaml-indicator"]


@pytest.mark.parametrize(
    "text", ["&a : 1", "&a :", "{&a : 1}", "&a  : 1", "? &a\n: 1", "k: {&a }", "[&a ,1]", "x: &a\ny: 1"]
)
def test_an_anchor_before_nothing_has_a_place(text: str) -> None:
    """The value is empty, so its place is the end of its anchor, never a span that ends before it begins."""
    try:
        node = read_yaml(text)
    except SpecError as error:
        spans = [found.span for found in error.diagnostics]
    else:
        spans = [child.span for child in (*node.items, *node.entries.values())]
    assert spans
    for span in spans:
        assert span is not None
        assert 0 <= span.start <= span.end <= len(text)
