"""Transforms of addresses of the web (URLs): their parts, their parameters, and percent-encoding."""

from __future__ import annotations

from typing import Literal
from urllib.parse import SplitResult, parse_qsl, unquote, unquote_plus, urlsplit

from scoring.registry import primitive
from scoring.result import Unparsed
from scoring.values import show_value

MOST_PARAMETERS = 1_000
"""The limit on parameters in the query of a URL."""


@primitive(topics=("text", "extraction"), aka=("url", "domain", "hostname", "parse url", "link"))
def url_part(text: str, /, *, part: Literal["scheme", "host", "port", "path", "query", "fragment"] = "host") -> str:
    """Return one part of a URL as a text.

    Scheme and host are in lower case. A part that the URL does not have is the empty text. Nothing is decoded.

    Args:
        part: The part, such as ``"host"``.

    Raises:
        Unparsed: when the text is no URL: without a scheme and a host, or with a port that is no number.

    Examples:
        >>> url_part("https://Example.org:8080/a?b=c#d"), url_part("https://example.org/a?b=c#d", part="path")
        ('example.org', '/a')

    Source:
        RFC 3986, section 3, as Python's `urllib.parse.urlsplit` reads it.
    """
    found = _split(text)
    if part == "port":
        return "" if found.port is None else str(found.port)
    return (found.hostname or "") if part == "host" else str(getattr(found, part))


@primitive(topics=("text", "extraction"), aka=("query parameter", "query string", "url argument"))
def url_parameter(text: str, /, *, name: str) -> str:
    """Return the first value of a parameter in the query of a URL, decoded.

    Args:
        name: The name of the parameter.

    Raises:
        Unparsed: when the text is no URL, has no such parameter, or has more than 1,000.

    Examples:
        >>> url_parameter("https://example.org/?q=tea+cups&page=2", name="q")
        'tea cups'

    Source:
        WHATWG URL Standard, section 5.1, as Python's `urllib.parse.parse_qsl` reads it.
    """
    query = _split(text).query
    try:
        parameters = parse_qsl(query, keep_blank_values=True, max_num_fields=MOST_PARAMETERS)
    except ValueError:
        raise Unparsed(f"the URL has more than {MOST_PARAMETERS:,} parameters") from None
    found = next((value for key, value in parameters if key == name), None)
    if found is None:
        raise Unparsed(f"the URL has no parameter {show_value(name)}")
    return found


@primitive(topics=("text",), aka=("url decode", "unquote url", "percent-encoding"))
def percent_decode(text: str, /, *, plus: bool = False) -> str:
    """Replace percent-encoded bytes, such as `%20`, by the characters that they are in UTF-8.

    A percent sign that no two hexadecimal digits follow stays as it is.

    Args:
        plus: Whether `+` means a space, as in forms.

    Raises:
        Unparsed: when the bytes are not UTF-8.

    Examples:
        >>> percent_decode("caf%C3%A9%20cr%C3%A8me"), percent_decode("a+b", plus=True), percent_decode("5%")
        ('café crème', 'a b', '5%')

    Source:
        RFC 3986, section 2.1.
    """
    try:
        return (unquote_plus if plus else unquote)(text, errors="strict")
    except UnicodeDecodeError:
        raise Unparsed("the percent-encoded bytes are not UTF-8") from None


def _split(text: str) -> SplitResult:
    """Return the parts of a URL; raise Unparsed for a text that is none."""
    try:
        found = urlsplit(text.strip())
        port = found.port  # read here, since a wrong one is refused only then
    except ValueError as error:
        raise Unparsed(f"{show_value(text)} is no URL: {error}") from None
    if not found.scheme or (found.hostname is None and port is None):
        raise Unparsed(f"{show_value(text)} is no URL with a scheme and a host, such as https://example.org")
    return found
