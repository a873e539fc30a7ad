"""The quick reader of JSON lines gives what the strict one gives, whatever the bytes."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.data import json_lines
from scoring.data.json_lines import parse_once, values_of_lines

NUMBERS = [
    "0", "-0", "-0.0", "1e400", "-1e400", "1e-400", "NaN", "-Infinity", "18446744073709551615", "18446744073709551616",
    "-9223372036854775808", "-9223372036854775809", "9999999999999999999", "-9999999999999999999", "1E5", "01", "1.",
    "0.1234567890123456789", "12345678901234567890.5", "1" * 4301, "123456789012345678901e-2",
]  # fmt: skip
TEXTS = [
    '"a"', '"b"', '""', '"\\ud800"', '"\\ud83d\\ude00"', '"é"', '"a\\":"', '"a\\\\"', '"\\\\\\":"', '"{\\"a\\": 1}"',
    '"x : y"', '"\x01"', '"12345678901234567890"', '":x"', '"\\u003ax"',
]  # fmt: skip
SPACE = st.sampled_from(["", "", "", " ", "\t", " " * 9, "\r"])


def joined(marks: str, parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(st.lists(parts, max_size=4), SPACE).map(
        lambda found: marks[0] + f",{found[1]}".join(found[0]) + found[1] + marks[1]
    )


def inner(values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pairs = st.tuples(st.sampled_from(TEXTS), SPACE, SPACE, values).map(lambda p: f"{p[0]}{p[1]}:{p[2]}{p[3]}")
    return joined("[]", values) | joined("{}", pairs)


LEAVES = st.sampled_from([*NUMBERS, *TEXTS, "true", "false", "null", "", "nul", "[" * 1010 + "]" * 1010])
JSONS = st.recursive(LEAVES, inner, max_leaves=12).map(str.encode)
BROKEN = st.sampled_from([b"", b"  ", b"\xff", b'"\xed\xa0\x80"', b'{"a":1}\x00', b'{"a":1} {"a":1}', b"\xef\xbb\xbf1"])
LINES = st.lists(JSONS | BROKEN | st.binary(max_size=8).map(lambda b: b.replace(b"\n", b"")), max_size=5)


def told(value: Any) -> str:
    """A value with its types, so that 1 is not 1.0, 0.0 is not -0.0, and NaN is itself."""
    return repr(value)


@given(LINES)
@settings(max_examples=400)
def test_values_are_those_of_the_strict_reader(lines: list[bytes]) -> None:
    strict = [told(parse_once(line)) for line in lines]
    assert list(map(told, values_of_lines(b"\n".join(lines), lines))) == strict


@given(LINES)
def test_values_are_those_of_the_strict_reader_without_orjson(lines: list[bytes]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_lines, "_reader", lambda: lambda line: json.loads(line.decode()))
        strict = [told(parse_once(line)) for line in lines]
        assert list(map(told, values_of_lines(b"\n".join(lines), lines))) == strict


def test_a_line_that_needs_care_does_not_hide_a_repeated_key_in_another() -> None:
    for other in (b'{"a" :1}', b'{"b\\\\":1}', b'{"b":"\\":"}', b'{"n":12345678901234567890}'):
        lines = [other, b'{"a":1,"a":2}', other]
        assert str(values_of_lines(b"\n".join(lines), lines)[1]) == "the key `a` appears twice"
    assert str(values_of_lines(line := b'{"a\\\\":1,"b":1,"b":2}', [line])[0]) == "the key `b` appears twice"


def test_a_record_as_deep_as_the_strict_reader_goes_is_read() -> None:
    line = b'{"a":' + b"[" * 199 + b'{"b":1}' + b"]" * 199 + b"}"
    assert values_of_lines(line, [line]) == [parse_once(line)]


def test_whole_numbers_have_all_their_digits_and_signs() -> None:
    lines = [b'{"n":18446744073709551616}', b'{"n":-9223372036854775809}', b'{"n":-0.0}']
    big, low, zero = (value["n"] for value in values_of_lines(b"\n".join(lines), lines))
    assert (big, low, math.copysign(1, zero)) == (2**64, -(2**63) - 1, -1)


def test_a_text_that_begins_with_an_escaped_colon_stands_for_no_lost_key() -> None:
    text = rb'{"id": 1, "id": [2]}' + b"\n" + rb'{"id": ["\u003ax"]}'
    twice, fine = values_of_lines(text, text.split(b"\n"))
    assert (str(twice), fine) == ("the key `id` appears twice", {"id": [":x"]})
