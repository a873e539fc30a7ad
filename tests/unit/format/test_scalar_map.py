"""From a character of a scalar's value to the character of the file, for each way to write a scalar."""

from __future__ import annotations

import pytest

from scoring.format.nodes import SpecNode
from scoring.format.read_json import read_json
from scoring.format.read_yaml import read_yaml


def written(node: SpecNode, part: str) -> str:
    """What stands in the file where a part of the value came from."""
    fragment = node.fragment()
    start = fragment.text.index(part)
    return fragment.span(start, start + len(part)).text


@pytest.mark.parametrize(
    ("text", "part", "expected"),
    [
        ("a: lower | equal", "equal", "equal"),
        ("a:   lower\n   | equal  # c", "| equal", "| equal"),
        ("a: 'it''s | equal'", "'s |", "''s |"),
        ("a: 'lower\n\n  | equal'", "| equal", "| equal"),
        ('a: "x\\ty | equal"', "\ty", "\\ty"),
        ('a: "\\x41\\u0042\\U00000043 | equal"', "BC", "\\u0042\\U00000043"),
        ('a: "lower \\\n   | equal"', "| equal", "| equal"),
        ('a: "lower\n   | \\"x\\""', '"x"', '\\"x\\"'),
        ("a: |\n  lower\n    | equal\n", "| equal", "| equal"),
        ("a: |2\n    lower\n", "lower", "lower"),
        ("a: |-\r\n  lower\r\n  | equal\r\n", "| equal", "| equal"),
        ("a: >\n  lower\n  | equal\n\n  | x\n", "| x", "| x"),
        ("a: |+\n  lower\n\n\nb: 1\n", "lower", "lower"),
    ],
)
def test_parts_of_yaml_scalars(text: str, part: str, expected: str) -> None:
    assert written(read_yaml(text)["a"], part) == expected


@pytest.mark.parametrize(
    ("text", "part", "expected"),
    [
        ('{"a": "lower | equal"}', "equal", "equal"),
        ('{"a": "\\u00e9\\n | equal"}', "é\n |", "\\u00e9\\n |"),
        ('{"a": "\\ud83d\\ude00 | equal"}', "😀", "\\ud83d\\ude00"),
        ('{"a": "\\/ | equal"}', "/ |", "\\/ |"),
    ],
)
def test_parts_of_json_texts(text: str, part: str, expected: str) -> None:
    assert written(read_json(text)["a"], part) == expected


def test_trailing_line_breaks_of_a_block_stand_at_its_end() -> None:
    node = read_yaml("a: |+\n  lower\n\n\nb: 1\n")["a"]
    assert node.value == "lower\n\n\n"
    assert node.fragment().span(6, 8).end <= len(node.span.source.text)


def test_a_value_that_can_not_be_traced_is_reported_whole() -> None:
    # Which of the blanks after a line break are data, and which indentation, only the parser knows.
    node = read_yaml('a: "x\n   \\ty"')["a"]
    assert node.value == "x \ty"
    assert node.fragment().span(3, 4) == node.span


def test_other_scalars_give_their_text_as_written() -> None:
    node = read_yaml("a: 1.50\nb: true")
    assert node["a"].fragment().text == "1.50"
    assert str(node["b"].fragment().span(1, 2)) == "<yaml>:2:5"


def test_nodes_are_read_like_the_data_they_hold() -> None:
    node = read_yaml("a: [x, {b: 1}]\nc:")
    assert [item.kind for item in (node, node["a"], node["a"][0], node["a"][1]["b"], node["c"])] == [
        "a mapping",
        "a list",
        "text",
        "a number",
        "nothing",
    ]
    assert "a" in node
    assert "b" not in node
    assert node.get("z") is None
    assert len(list(node["a"])) == 2
    assert node.at(["a", 1, "b"]).value == 1
    assert node.at(["a", 7, "b"]) is node["a"]
    assert node["a"].is_list
    assert node["a"][0].is_text
