"""Builders of HTML elements: the only place where tags of a site are written; texts are escaped."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable
from typing import TypeAlias

from scoring.report.templates import escape


class Markup(str):
    """HTML that was made here; every other text is escaped where it is put into one."""

    __slots__ = ()


class MachineText(str):
    """The value of an attribute that a script reads: kept to the character, whatever its length."""

    __slots__ = ()


Child: TypeAlias = "str | Markup | Iterable[Child] | None"
_ADDRESS = re.compile(r"https?://[^\s<>\"'`\x00-\x1f\x7f\\)\]}]{1,500}")
_ARXIV = re.compile(r"\barXiv:(\d{4}\.\d{4,5})\b")
_CODE = re.compile(r"``([^`\n]+)``|`([^`\n]+)`")
_BULLET = re.compile(r"[-*] +")
_EMPTY = frozenset({"br", "hr", "input", "link", "meta", "wbr"})


def el(tag: str, *children: Child, **attributes: str | bool | None) -> Markup:
    """Return an element; `class_` and `for_` avoid keywords of Python, `_` in other names becomes `-`.

    An attribute that is False or None is left out, one that is True stands alone.

    Examples:
        >>> el("a", "<b>", href="x.html", class_="name")
        '<a href="x.html" class="name">&lt;b&gt;</a>'
    """
    given = ""
    for name, value in attributes.items():
        written = f" {name.rstrip('_').replace('_', '-')}"
        if isinstance(value, str):
            given += f'{written}="{html.escape(value) if isinstance(value, MachineText) else escape(value)}"'
        elif value:
            given += written
    return Markup(f"<{tag}{given}>" if tag in _EMPTY else f"<{tag}{given}>{join(children)}</{tag}>")


def join(children: Iterable[Child]) -> Markup:
    """Pieces one after the other, escaped where they are no markup.

    Examples:
        >>> join(["a & b", el("br"), None])
        'a &amp; b<br>'
    """
    return Markup("".join(map(_child, children)))


def _child(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Markup):
        return child
    return text(child) if isinstance(child, str) else join(child)


def dim(*shown: Child) -> Markup:
    """Return de-emphasised text."""
    return el("span", shown, class_="dim")


def tag(*shown: Child) -> Markup:
    """Return a label for the preceding text."""
    return el("span", shown, class_="tag")


def section(heading: str, *body: Child) -> Markup:
    """Return a part of a page under a heading."""
    return el("section", el("h2", heading), body)


def details(summary: Child, *body: Child) -> Markup:
    """Return what is seen on demand."""
    return el("details", el("summary", summary), body)


def code_block(*shown: Child, look: str | None = None) -> Markup:
    """Return code as a block."""
    return el("pre", el("code", shown), class_=look)


def facts_list(rows: Iterable[tuple[str, Child]]) -> Markup:
    """Names with what is so, those left out of which nothing is known."""
    return el("dl", [el("div", el("dt", name), el("dd", told)) for name, told in rows if told], class_="facts")


def text(given: str) -> Markup:
    """Return an escaped text with its line breaks; invisible characters are shown as escapes.

    Examples:
        >>> text("a\\n<b>\\u202e")
        'a\\n&lt;b&gt;\\\\u202e'
    """
    return Markup("\n".join(map(escape, given.split("\n"))))


def breakable(name: str) -> Markup:
    """Return a name that may go on in another line behind each `_`.

    Examples:
        >>> breakable("edit_rate")
        'edit_<wbr>rate'
    """
    first, *rest = name.split("_")
    return join([first, *(["_", el("wbr"), part] for part in rest)])


def outside(address: str, shown: str = "") -> Markup:
    """Return a link to an address elsewhere, which learns nothing of the reader before it is followed."""
    return el("a", shown or address, href=address, rel="noopener noreferrer nofollow external")


def with_addresses(given: str) -> Markup:
    """Return a text in which web addresses, and those of arXiv, are links; no other scheme is.

    Examples:
        >>> with_addresses("javascript:alert(1)")
        'javascript:alert(1)'
    """
    found: list[Child] = []
    at = 0
    places = sorted([*_ADDRESS.finditer(given), *_ARXIV.finditer(given)], key=lambda match: match.start())
    for match in places:
        if match.start() < at:
            continue
        end = match.end() - (len(match[0]) - len(match[0].rstrip(".,;:!?")))
        whole = given[match.start() : end]
        address = whole if whole.startswith("http") else f"https://arxiv.org/abs/{match[1]}"
        found += [text(given[at : match.start()]), outside(address, whole)]
        at = end
    return join([*found, text(given[at:])])


def prose(given: str, leads_to: Callable[[str], str | None]) -> Markup:
    """Return paragraphs and lists; text in backticks is code, and a link if it is a known name.

    Args:
        given: Paragraphs, with an empty line between; lines of lists begin with `-`.
        leads_to: Where a name leads, None for what is no name here.
    """
    apart = re.sub(r"(?m)^(#{1,6} .*)$", r"\n\1\n", given)
    return join(_block(block, leads_to) for block in re.split(r"\n\s*\n", apart.strip()) if block.strip())


def _block(block: str, leads_to: Callable[[str], str | None]) -> Markup:
    lines = [line.strip() for line in block.split("\n")]
    heading = re.match(r"(#{1,6}) +(.+)", lines[0])
    if heading is not None:
        return el(f"h{min(len(heading[1]) + 2, 6)}", inline(heading[2], leads_to))
    if not any(_BULLET.match(line) for line in lines):
        return el("p", inline(" ".join(lines), leads_to))
    before: list[str] = []
    items: list[str] = []
    for line in lines:
        if _BULLET.match(line):
            items.append(_BULLET.sub("", line, count=1))
        elif items:
            items[-1] += f" {line}"
        else:
            before.append(line)
    listed = el("ul", [el("li", inline(item, leads_to)) for item in items])
    return join([el("p", inline(" ".join(before), leads_to)) if before else None, listed])


def inline(given: str, leads_to: Callable[[str], str | None]) -> Markup:
    """Return one line of such a text."""
    found: list[Child] = []
    at = 0
    for match in _CODE.finditer(given):
        code = match[1] or match[2]
        target = leads_to(code)
        shown = el("code", code)
        found += [with_addresses(given[at : match.start()]), el("a", shown, href=target) if target else shown]
        at = match.end()
    return join([*found, with_addresses(given[at:])])
