"""Write plain data as YAML in block style, in the style of the shipped specs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from scoring.lazy_pattern import lazy_pattern

# Texts that every YAML reader, old or new, reads unchanged as text.
_PLAIN_SCALAR = lazy_pattern(r"(?:[A-Za-z_./(][^\n\t#:]*|\d+\.\d+\.\d+)")
_WORDS = {"true", "false", "null", "yes", "no", "on", "off", "y", "n", "~"}


def yaml_text(data: Mapping[str, Any]) -> str:
    """Return a mapping of plain data as YAML text in block style.

    Examples:
        >>> print(yaml_text({"kind": "task", "fields": {"a": "lower | equal"}, "metrics": ["mean"]}), end="")
        kind: task
        fields:
          a: lower | equal
        metrics:
        - mean
    """
    return "\n".join(_mapping(data, "")) + "\n"


def _mapping(data: Mapping[str, Any], indent: str) -> Iterator[str]:
    for key, value in data.items():
        yield from _entry(f"{indent}{scalar(key)}:", value, indent)


def _entry(head: str, value: Any, indent: str) -> Iterator[str]:
    if isinstance(value, Mapping) and value:
        yield head
        yield from _mapping(value, indent + "  ")
    elif isinstance(value, list) and value:
        yield head
        for item in value:
            # Items of a list stay on one line: JSON is YAML, and lists of specs are short.
            yield f"{indent}- {scalar(item)}"
    else:
        yield f"{head} {scalar(value)}"


def scalar(value: Any) -> str:
    """Return a value as YAML on one line.

    Examples:
        >>> scalar("no"), scalar("lower | equal"), scalar("a: b"), scalar(1.5), scalar("##x")
        ('"no"', 'lower | equal', '"a: b"', '1.5', '"##x"')
    """
    if isinstance(value, str) and is_plain_scalar(value):
        return value
    return json.dumps(value, ensure_ascii=isinstance(value, str) and not value.isprintable())


def flow(value: Any) -> str:
    """Return a value as YAML on one line, with mappings and lists in flow style.

    Examples:
        >>> flow({"response": "Paris", "expect": [1, "a, b"]})
        '{response: Paris, expect: [1, "a, b"]}'
    """
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{flow(name)}: {flow(item)}' for name, item in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(flow, value))}]"
    return scalar(value) if not isinstance(value, str) or "," not in value else json.dumps(value, ensure_ascii=False)


def is_plain_scalar(text: str) -> bool:
    """Return whether a text can be written in YAML without quotes."""
    plain = _PLAIN_SCALAR.fullmatch(text) is not None and text.isprintable()
    return plain and text.lower() not in _WORDS and text == text.strip()
