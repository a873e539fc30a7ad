"""Reading of HTML tables with `lxml`, tolerant as browsers are of missing and stray tags; nothing is fetched."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from scoring.extensions.extras import optional
from scoring.lazy_pattern import lazy_pattern

MOST_CHARACTERS = 2_000_000
"""The limit on characters of a text that is searched for tables."""


MOST_ATTRIBUTES = 10_000
"""The limit on attributes of a tag: the parser compares each attribute with all before it."""

# A tag as the parser reads it: a `>` in quotes does not end it, and quotes directly follow an equals sign. An unclosed
# tag extends to the end of the text. The loops are possessive, so each character is read only once.
_TAG = lazy_pattern(r"""<[a-z_:](?:=\s*+"[^"]*+"|=\s*+'[^']*+'|[^>])*+""", re.IGNORECASE)
_QUOTED = lazy_pattern(r"""=\s*+(?:"[^"]*+"|'[^']*+')""")
_BEFORE_ATTRIBUTE = lazy_pattern(r"[=\s/]")


class NoTable(ValueError):
    """The error that a text contains no readable table, with the reason."""


def document(text: str) -> Any:
    """Parse a text as HTML and return its root element.

    Raises:
        NoTable: when the text is too long, has a tag with too many attributes, or can't be read as HTML.
    """
    html = optional("lxml.html", extra="tables", purpose="reading a table of HTML")
    if len(text) > MOST_CHARACTERS:
        raise NoTable(f"a text of more than {MOST_CHARACTERS:,} characters")
    if any(map(_has_too_many_attributes, _TAG.findall(text))):
        raise NoTable(f"a tag with more than {MOST_ATTRIBUTES:,} attributes")
    try:
        return html.fromstring(text, parser=html.HTMLParser(remove_comments=True, encoding="utf-8"))
    except (ValueError, html.etree.LxmlError) as error:
        raise NoTable(f"the text can't be read as HTML: {str(error)[:80]}") from None


def _has_too_many_attributes(tag: str) -> bool:
    if len(tag) < 2 * MOST_ATTRIBUTES:
        return False
    unquoted = _QUOTED.sub("=", tag)
    return sum(1 for _ in _BEFORE_ATTRIBUTE.finditer(unquoted)) > MOST_ATTRIBUTES


def tables(text: str) -> list[Any]:
    """Return all tables of an HTML text, in the order of their opening tags.

    Raises:
        NoTable: when there is no table.
    """
    found = [*document(text).iter("table")]
    if not found:
        raise NoTable("there is no table in the text")
    return found


def table_in_body(text: str) -> Any | None:
    """Return the first table that is a direct child of the body of an HTML document; None if there is none.

    Raises:
        NoTable: when the text can't be read as HTML.
    """
    return next(iter(document(text).xpath("body/table")), None)


def tag_of(element: Any) -> str:
    """Return the tag of an element, such as `td`; `?` for a node that is not an element, such as a processing
    instruction.
    """
    return element.tag if isinstance(element.tag, str) else "?"


def span(element: Any, name: str) -> int:
    """Return how many columns (`name` is colspan) or rows (rowspan) a cell spans; 1 if it does not say.

    Raises:
        NoTable: when the value of the attribute is not an integer.
    """
    written = element.attrib.get(name, "1")
    try:
        return int(written)
    except ValueError:
        raise NoTable(f"a {name} of {written[:20]!r} is no whole number") from None


def pieces(cell: Any) -> list[str]:
    """Return the content of a cell as a list of pieces: each character of its text, and each tag inside it."""
    found: list[str] = []
    waiting: list[Any] = [cell]
    while waiting:
        one = waiting.pop()
        if isinstance(one, list):
            found += one
            continue
        tag = tag_of(one)
        behind = [] if tag == "unk" else [f"</{tag}>"]
        tail = [] if tag == "td" or one.tail is None else list(one.tail)
        waiting.append(behind + tail)
        waiting.extend(reversed(one))
        found.append(f"<{tag}>")
        found += one.text or ""
    return found[1:-1]


def cell_text(cell: Any) -> str:
    """Return the text of a cell, with every run of white space replaced by a single space."""
    return " ".join("".join(cell.itertext()).split())


def table_rows(table: Any) -> Iterator[list[Any]]:
    """Yield the cells of each row of a table, without those of nested tables."""
    for row in table.iter("tr"):
        if next(row.iterancestors("table"), None) is table:
            yield [cell for cell in row if tag_of(cell) in ("td", "th")]
