"""Tables of HTML, read by `lxml` as browsers would: tags that are missing or stray are borne, nothing is fetched."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from scoring.primitives.extras import optional

MOST_CHARACTERS = 2_000_000
"""The most characters of a text in which a table is searched."""


MOST_ATTRIBUTES = 10_000
"""Attributes of one tag: the parser compares each with all before it."""

# A tag as the parser takes it, where a `>` in quotes ends none; quotes stand right behind an equals sign. What is not
# closed reaches to the end, and possessive loops never look at a character twice.
_TAG = re.compile(r"""<[a-z_:](?:=\s*+"[^"]*+"|=\s*+'[^']*+'|[^>])*+""", re.IGNORECASE)
_QUOTED = re.compile(r"""=\s*+(?:"[^"]*+"|'[^']*+')""")
_BEFORE_ATTRIBUTE = re.compile(r"[=\s/]")


class NoTable(ValueError):
    """A text without a readable table, and the reason."""


def document(text: str) -> Any:
    """Return the root element of an HTML text.

    Raises:
        NoTable: when it is too long, has a tag of too many attributes, or is nothing that HTML could be.
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
    bare = _QUOTED.sub("=", tag)
    return sum(1 for _ in _BEFORE_ATTRIBUTE.finditer(bare)) > MOST_ATTRIBUTES


def tables(text: str) -> list[Any]:
    """Return all tables of a text, in order of their beginnings.

    Raises:
        NoTable: when there is none.
    """
    found = [*document(text).iter("table")]
    if not found:
        raise NoTable("there is no table in the text")
    return found


def table_in_body(text: str) -> Any | None:
    """Return the first table directly in the body of a document; None if there is none.

    Raises:
        NoTable: when the text is nothing that HTML could be.
    """
    return next(iter(document(text).xpath("body/table")), None)


def tag_of(element: Any) -> str:
    """Return the name of an element; of what is none, such as an instruction, `?`."""
    return element.tag if isinstance(element.tag, str) else "?"


def span(element: Any, name: str) -> int:
    """Over how many rows or columns a cell reaches.

    Raises:
        NoTable: when that is no whole number.
    """
    written = element.attrib.get(name, "1")
    try:
        return int(written)
    except ValueError:
        raise NoTable(f"a {name} of {written[:20]!r} is no whole number") from None


def pieces(cell: Any) -> list[str]:
    """Return the content of a cell as pieces: its characters, and each tag within it."""
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


def text_of(cell: Any) -> str:
    """Return the text of a cell, every run of white space one space."""
    return " ".join("".join(cell.itertext()).split())


def rows_of(table: Any) -> Iterator[list[Any]]:
    """Yield the cells of each row of a table, those of tables within it aside."""
    for row in table.iter("tr"):
        if next(row.iterancestors("table"), None) is table:
            yield [cell for cell in row if tag_of(cell) in ("td", "th")]
