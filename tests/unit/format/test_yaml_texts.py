"""Patterns and texts in YAML: what is written is what is read, or a finding says how to write it so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from scoring.diagnostics.diagnostic import Diagnostic, SpecError
from scoring.format.read_yaml import read_yaml
from scoring.format.yaml_scalars import resolve

PAGE = (Path(__file__).parents[3] / "docs/specs.md").read_text("utf-8")
PIECES = [
    "answer", ": ", ":", " #1", "####", " ####", "\\b", "\\d+", "\\boxed{4}", "\\frac", "'", '"', "(", ")", "[A-D]",
    "{1,2}", "|", " | ", ", ", "*", "?", "-", "- ", "@", "%", "`", "!", "&", ">", " ", "é", "答案：", "x", "12", "\\",
]  # fmt: skip
PLACES = ["{}", "- {}", "key: {}", "- key: {}", "{{key: {}, b: 1}}", "[{}, 1]"]
texts = st.lists(st.sampled_from(PIECES), min_size=1, max_size=7).map("".join).map(str.strip)


def read(text: str) -> object:
    """The data of a file, or what is refused in it."""
    try:
        return read_yaml(text).plain()
    except SpecError as refused:
        return refused.diagnostics[0]


def value_at(place: str, text: str) -> object:
    """What stands in a file at a place for a text."""
    data = read_yaml(place.format(text)).plain()
    if isinstance(data, list):
        data = data[0]
    return data["key"] if isinstance(data, dict) and "key" in data else data


@pytest.mark.property
@given(text=texts, place=st.sampled_from(PLACES))
@example(text="so 3 #### 12", place="key: {}")
@example(text="\\boxed{4}", place="{{key: {}, b: 1}}")
def test_single_quotes_take_every_character_as_it_is(text: str, place: str) -> None:
    quoted = "'" + text.replace("'", "''") + "'"
    assert value_at(place, quoted) == text


@pytest.mark.property
@given(
    text=texts,
    place=st.sampled_from([place for place in PLACES if "{{" not in place and "[" not in place and place != "{}"]),
)
def test_a_block_takes_every_character_as_it_is(text: str, place: str) -> None:
    assume(text)
    assert value_at(place, f"|-\n    {text}") == text


@pytest.mark.property
@given(text=texts)
@example(text="#### (.+)")
@example(text="x #1")
@example(text="(?i)answer: (.+)")
def test_a_text_without_quotes_is_read_as_it_is_or_refused(text: str) -> None:
    assume(text and text[0] not in "[{'\"&|>" and not re.search(r"(^|\s)#(\s|$)", text) and resolve(text) == text)
    # A lone `#` with space behind it is a comment, and `- x` and `? x` begin a list and a key; these are YAML itself.
    assume(not text.startswith(("- ", "? ", "#")) and text not in ("-", "?"))
    found = read(f"key: {text}")
    if isinstance(found, Diagnostic):
        assert found.help
    else:
        assert found == {"key": text} or text.endswith(":") or re.search(r"\s#[^#\d\s]", text)


@pytest.mark.property
@given(text=texts.map(lambda text: f"(?i)answer: {text}x"))
@example(text="answer: it's")
@example(text="a: b (c) d: e")
def test_what_the_advice_says_to_write_is_read_as_the_text(text: str) -> None:
    assume(not re.search(r"\s#", text))
    found = read(f"key: {text}")
    assert isinstance(found, Diagnostic)
    advice = found.help[0]
    assume(advice.startswith("write it like this:\n") and "=" not in advice)  # maps in an expression differ
    assert read(advice.removeprefix("write it like this:\n")) == {"key": text}


RULE = re.search(r"\| what stands in it \|.*?\n\n", PAGE, re.DOTALL)


def test_the_quoting_rule_of_the_page_holds() -> None:
    assert RULE is not None
    rows = [line.split(" | ") for line in RULE[0].strip().splitlines()[2:]]
    assert len(rows) > 5
    for row in rows:
        bare, quoted = (re.sub(r"^`+ ?| ?`+$", "", cell.strip("| ")).replace("\\|", "|") for cell in row[1:3])
        meant, otherwise = read(quoted), read(bare)
        assert not isinstance(meant, Diagnostic), quoted
        assert meant != otherwise
        assert not isinstance(otherwise, Diagnostic) or otherwise.id.startswith("yaml-"), bare
