"""The parser for answers that are written as JSON."""

from __future__ import annotations

from json import loads
from typing import Any, Literal

from scoring.depth import in_full_depth, nests_too_deep
from scoring.lazy_pattern import lazy_pattern
from scoring.primitives.parsing.json_scan import MAX_RESPONSE, last_object, last_value, read_value
from scoring.registry import batch, primitive
from scoring.result import Unparsed
from scoring.values import show_type

_MARKER = lazy_pattern(r"\*{0,2}\b(?:Final )?[Aa]nswer:\*{0,2}")
_ACCEPTED: dict[str, set[type]] = {"object": {dict}, "any": {dict, list}}


@primitive(topics=("extraction",), aka=("json parse", "parse json", "json extraction"))
def json(response: Any, /, *, accept: Literal["object", "any"] = "object", strict: bool = False) -> Any:
    """Extract the JSON object of a response from any prose, code fence or marker around it.

    The text after the last marker `Answer:` is searched first, then the whole response. Of several objects the last
    one counts. An object written as a Python literal is read too; nothing is ever evaluated. A response that is not a
    string has been parsed already and is returned unchanged.

    Args:
        accept: Whether only an object counts (object), or also a list where there is no object (any).
        strict: Whether the whole response must be JSON, except for white space around it; "any" then accepts every
            value, strings and numbers too.

    Examples:
        >>> json('Of course!\\n```json\\n{"total": 3}\\n```')
        {'total': 3}
        >>> json("Answer: {'total': 3} as [1] shows")
        {'total': 3}
        >>> json(' [1, "2"] ', accept="any", strict=True)
        [1, '2']

    Raises:
        Unparsed: when the response contains no such value.
    """
    if not isinstance(response, str):
        if response is None:
            raise Unparsed("there is no response")
        return response
    if strict:
        return _whole(response, accept)
    whole = read_value(response) if response.lstrip()[:1] in ("{", "[") else None
    find = last_object if accept == "object" else last_value
    if isinstance(whole, dict) or (accept == "any" and isinstance(whole, list)):
        return whole
    markers = [match.end() for match in _MARKER.finditer(response)]
    found = find(response[markers[-1] :]) if markers else None
    if found is None:
        found = find(response)
    if found is None:
        wanted = "no JSON object" if accept == "object" else "neither a JSON object nor a list"
        raise Unparsed(f"{wanted} in the response ({len(response)} characters)")
    return found


@batch(json)
def _(responses: list[Any], /, *, accept: str = "object", strict: bool = False) -> list[Any]:
    from scoring.data.json_lines import values_of_plain_texts  # numpy, which checking a spec does without

    found = values_of_plain_texts(responses)
    if len(max(responses, key=len)) > MAX_RESPONSE or not set(map(type, found)) <= _ACCEPTED[accept]:
        raise ValueError("some response is searched, or refused")
    return found


def _whole(response: str, accept: str) -> Any:
    if len(response) > MAX_RESPONSE or nests_too_deep(response):
        raise Unparsed(f"a response too long or too deep to be read as JSON ({len(response)} characters)")
    try:
        found = in_full_depth(loads, response)
    except ValueError as error:
        raise Unparsed(f"the response is not JSON: {str(error)[:80]}") from None
    if accept == "object" and not isinstance(found, dict):
        raise Unparsed(f"the response is JSON, but no object: {show_type(found)}")
    return found
