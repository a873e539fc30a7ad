"""Parts of URLs and percent-encoding, and what is said of texts that are none."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scoring

URL = "HTTPS://User@Example.org:8080/a/b%20c?q=tea+cups&empty=&q=2#end"


def made(expression: str, value: Any) -> Any:
    return scoring.parser(expression).parse(value)


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ("url_part", "example.org"),
        ('url_part("scheme")', "https"),
        ('url_part("port")', "8080"),
        ('url_part("path")', "/a/b%20c"),
        ('url_part("path") | percent_decode', "/a/b c"),
        ('url_part("query")', "q=tea+cups&empty=&q=2"),
        ('url_part("fragment")', "end"),
        ('url_parameter("q")', "tea cups"),
        ('url_parameter("empty")', ""),
    ],
)
def test_the_parts_of_a_url(expression: str, wanted: str) -> None:
    assert made(expression, URL) == wanted


def test_a_part_that_is_not_there_is_empty() -> None:
    assert [made(f'url_part("{part}")', "http://[::1]") for part in ("host", "port", "path", "query")] == [
        "::1",
        "",
        "",
        "",
    ]


@pytest.mark.parametrize(
    ("expression", "text", "told"),
    [
        ("url_part", "example.org/a", "no URL with a scheme and a host"),
        ("url_part", "http://[::1", "Invalid IPv6"),
        ("url_part", "http://a:99999/", "is no URL"),
        ("url_part", "", "no URL"),
        ('url_parameter("x")', URL, "no parameter 'x'"),
        ('url_parameter("x")', "http://a/?" + "a&" * 2_000, "more than 1,000 parameters"),
        ("percent_decode", "%ff", "not UTF-8"),
    ],
)
def test_what_is_none_is_unparsed(expression: str, text: str, told: str) -> None:
    found = scoring.scorer(f"{expression} | equal").score(text, URL)
    assert found.status == "unparsed"
    assert told in str(found.reason)


@pytest.mark.property
@given(st.text())
def test_decoding_takes_encoding_back(text: str) -> None:
    assert made("percent_decode", quote(text)) == text
