"""The bounded reader of literals gives what Python's own gives, faster, and withstands hostile texts."""

from __future__ import annotations

import ast
import unicodedata
import warnings
from typing import Any
from unittest import mock

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scoring.primitives.parsing.literal import MAX_LENGTH, read_literal
from scoring.primitives.parsing.literal_fast import NOTHING, fast_literal
from tests.support.waiting import cpu_time_below

_PIECES = [
    "[",
    "]",
    "(",
    ")",
    "{",
    "}",
    ",",
    ":",
    " ",
    "\n",
    "\t",
    "'",
    '"',
    "\\",
    "\\n",
    "#",
    "+",
    "-",
    ".",
    "a",
    "1",
    "0",
    "1.5",
    "'a'",
    '"b"',
    "'it''s'",
    "True",
    "None",
    "true",
    "null",
    "set()",
    "...",
    "b'x'",
    "r'\\d'",
    "1j",
    "é",
    "ｓet()",
    "\ud800",
    "'''",
    "[1, 2]",
    "(1, 2)",
    "{'a': 1}",
]
TEXTS = st.one_of(st.lists(st.sampled_from(_PIECES), max_size=9).map("".join), st.text(max_size=12))


def _outcome(read: Any, text: str) -> tuple[str, str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = read(text)
        except (SyntaxError, ValueError):
            return "error", "no literal"
        except Exception as error:  # whatever Python raises, the reader should raise too
            return "error", type(error).__name__
    # A set prints in the order of its hashes.
    return "value", "".join(sorted(repr(found))) if "{" in text or "set" in text else repr(found)


@pytest.mark.property
@settings(max_examples=2000)
@given(TEXTS)
@example("(1, 2)\n ")
@example("(4, 5, 3]")
@example("[(1)]")
@example('{"b", [], null}')
@example('["\\ud83d\\ude00", "\\/"]')
@example("['O''Neil', \"it's\", True]")
@example("{set(), a}")
@example("{ｓet(), a}")
@example("{\\\nset(), a}")
@example('{"k": null ,\n"k": "v"}')
@example('{"a": "it\'s None", "b": "true"}')
@example("{'a', 1.5}")
@example("{1,\xa02}")
@example("1,299")
@example("1,\n2")
@example("(1," * 199 + "a" + ")" * 199)
@example("+" * 3000 + "a")
def test_it_reads_what_python_reads(text: str) -> None:
    assert _outcome(read_literal, text) == _outcome(ast.literal_eval, text)


@pytest.mark.parametrize(
    "text",
    [
        "[1, 2]",
        "['a', \"it's\"]",
        '{"a": [1.5, -2]}',
        "(1, 2.5)",
        "[(0, 1), (2, 3)]",
        "-7",
        "0.25",
        "[True, None]",
        "{1, 2}",
        "1,299",
        "None",
        '{"a": "it\'s None", "b": "true"}',
    ],
)
def test_common_literals_need_no_compiler(text: str) -> None:
    assert fast_literal(text) == ast.literal_eval(text)
    assert fast_literal(text) is not NOTHING


def test_the_exact_reader_tells_the_two_errors_apart() -> None:
    with pytest.raises(SyntaxError):
        read_literal("two words", exact=True)
    with pytest.raises(ValueError, match="malformed"):
        read_literal("word", exact=True)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 5000 + "]" * 5000,
        "-" * 50_000 + "1",
        "1+" * 20_000 + "1",
        "[" + "9" * 99_000 + "]",
        "'" + "\\'" * 49_000,
        "é" * 99_000,
        "{" * 90_000,
        "[1]" * 30_000,
    ],
    ids=lambda text: text[:6],
)
def test_hostile_texts_fail_quickly(text: str) -> None:
    with cpu_time_below(2), pytest.raises((SyntaxError, ValueError, MemoryError, RecursionError)):
        read_literal(text)


def test_a_text_beyond_the_bound_is_refused_unread() -> None:
    with pytest.raises(SyntaxError, match="more than"):
        read_literal("1," * MAX_LENGTH)


def test_it_does_not_warn_about_escapes() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_literal("'\\d'") == "\\d"


MARKS = "\u0301\u0327" * 20_000


@pytest.mark.parametrize("start", ["a", "'x'a", "'''x'''a", "#\na", "[1, a"])
def test_accents_on_a_name_are_put_in_order_before_python_does_it(start: str) -> None:
    taken = []

    def literal(text: str) -> object:
        taken.append(text)
        raise ValueError("a name")

    with mock.patch("ast.literal_eval", literal), pytest.raises(ValueError, match="a name"):
        read_literal(start + MARKS, exact=True)
    assert taken == [start + "".join(sorted(MARKS, key=unicodedata.combining))]


@pytest.mark.parametrize("quote", ["'", '"', "'''", '"""'])
def test_accents_within_a_text_stay_as_they_are(quote: str) -> None:
    text = f"a\\{quote[0]}{MARKS}"
    assert read_literal(f"[{quote}{text}{quote}, 1]") == [text.replace("\\", ""), 1]
