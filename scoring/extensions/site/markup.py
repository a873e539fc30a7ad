"""Markup of a site: its templates, and descriptive texts in which names and addresses are links."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, TypeAlias

from markupsafe import Markup

from scoring.extensions.pages.templates import escape_html, render_template, template_environment
from scoring.lazy_pattern import lazy_pattern

Child: TypeAlias = "str | Markup | None"
"""Content of an element: text, which is escaped, or markup; None for nothing."""
_ADDRESS = lazy_pattern(r"https?://[^\s<>\"'`\x00-\x1f\x7f\\)\]}]{1,500}")
_ARXIV = lazy_pattern(r"\barXiv:(\d{4}\.\d{4,5})\b")
_CODE = lazy_pattern(r"``([^`\n]+)``|`([^`\n]+)`")
_BULLET = lazy_pattern(r"[-*] +")


def text_to_markup(text: str) -> Markup:
    """Return a text escaped for HTML, with its line breaks; invisible characters are shown as escapes.

    Examples:
        >>> text_to_markup("a\\n<b>\\u202e")
        Markup('a\\n&lt;b&gt;\\\\u202e')
    """
    return Markup("\n".join(map(escape_html, text.split("\n"))))


class SiteParts:
    """The macros of the template `parts.jinja`, callable as methods that take values and return markup."""

    @cached_property
    def _environment(self) -> Any:
        found = template_environment("scoring.extensions.site", text_to_markup)
        found.filters["attribute"] = lambda value: Markup(escape_html(str(value)))
        # The value of an attribute that a script reads: escaped without truncating or replacing anything.
        found.filters["machine"] = lambda value: Markup(html.escape(value))
        return found

    @cached_property
    def _macros(self) -> Any:
        return self._environment.get_template("parts.jinja").module

    def page(self, **values: Any) -> Markup:
        """Return a whole page, rendered by `page.jinja` with the given values."""
        return render_template(self._environment, "page.jinja", **values)

    def __getattr__(self, name: str) -> Callable[..., Markup]:
        found: Callable[..., Markup] = getattr(self._macros, name)
        return found


parts = SiteParts()


def with_addresses(text: str) -> Markup:
    """Return a text as markup in which web addresses and arXiv numbers are links; no other scheme becomes one.

    Examples:
        >>> with_addresses("javascript:alert(1)")
        Markup('javascript:alert(1)')
    """
    found: list[Child] = []
    at = 0
    matches = sorted([*_ADDRESS.finditer(text), *_ARXIV.finditer(text)], key=lambda match: match.start())
    for match in matches:
        if match.start() < at:
            continue
        end = match.end() - (len(match[0]) - len(match[0].rstrip(".,;:!?")))
        whole = text[match.start() : end]
        address = whole if whole.startswith("http") else f"https://arxiv.org/abs/{match[1]}"
        found += [text[at : match.start()], parts.outside(address, whole)]
        at = end
    return parts.joined([*found, text[at:]])


def prose_to_markup(text: str, leads_to: Callable[[str], str | None]) -> Markup:
    """Return paragraphs, headings and lists as markup; text in backticks is code, and a link if it is a known name.

    Args:
        text: The text, whose paragraphs are separated by empty lines; list items begin with `-`.
        leads_to: Returns the address to which a name is linked; None for an unknown one.
    """
    apart = re.sub(r"(?m)^(#{1,6} .*)$", r"\n\1\n", text)
    blocks = (block for block in re.split(r"\n\s*\n", apart.strip()) if block.strip())
    return parts.joined([_block(block, leads_to) for block in blocks])


def _block(block: str, leads_to: Callable[[str], str | None]) -> Markup:
    lines = [line.strip() for line in block.split("\n")]
    heading = re.match(r"(#{1,6}) +(.+)", lines[0])
    if heading is not None:
        return parts.heading(min(len(heading[1]) + 2, 6), inline(heading[2], leads_to))
    if not any(_BULLET.match(line) for line in lines):
        return parts.paragraph(inline(" ".join(lines), leads_to))
    before: list[str] = []
    items: list[str] = []
    for line in lines:
        if _BULLET.match(line):
            items.append(_BULLET.sub("", line, count=1))
        elif items:
            items[-1] += f" {line}"
        else:
            before.append(line)
    listed = parts.listed([inline(item, leads_to) for item in items])
    return parts.joined([parts.paragraph(inline(" ".join(before), leads_to)) if before else None, listed])


def inline(text: str, leads_to: Callable[[str], str | None] = lambda name: None) -> Markup:
    """Return one line of text as markup; text in backticks is code, and a link if it is a known name.

    Args:
        text: The line.
        leads_to: Returns the address to which a name is linked; None for an unknown one.
    """
    found: list[Child] = []
    at = 0
    for match in _CODE.finditer(text):
        code = match[1] or match[2]
        found += [with_addresses(text[at : match.start()]), parts.code(code, leads_to(code))]
        at = match.end()
    return parts.joined([*found, with_addresses(text[at:])])


def coded(names: Iterable[str]) -> Markup:
    """Return names as markup, each in a code element followed by a space."""
    return parts.joined([part for name in names for part in (parts.code(name), " ")])
