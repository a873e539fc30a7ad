"""Reads the pages of a site as a strict reader would: tags that match, one meaning for each anchor."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

VOID = {"wbr", "br", "hr", "input", "link", "meta", "img"}
# What may stand inside a paragraph, a heading, a label or code: words of a line, and controls.
_INLINE = {
    "wbr",
    "a",
    "b",
    "br",
    "code",
    "em",
    "input",
    "mark",
    "select",
    "small",
    "span",
    "strong",
    "textarea",
    "button",
    "label",
}
_LINES = {"p", "h1", "h2", "h3", "h4", "code", "span", "a", "b", "strong", "label"}


class SitePage(HTMLParser):
    """A page: its tags in order, its links, anchors, and what is not as HTML wants it."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.anchors: list[str] = []
        self.faults: list[str] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(text)
        self.close()
        self.faults += [f"<{tag}> is never closed" for tag in self._open]
        self.faults += [f"the anchor {one} stands twice" for one in {*self.anchors} if self.anchors.count(one) > 1]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        names = [name for name, _ in attrs]
        if len(names) != len({*names}):
            self.faults.append(f"<{tag}> says an attribute twice")
        for name, value in attrs:
            self.attributes.append((tag, name, value or ""))
            if name == "id":
                self.anchors.append(value or "")
        if self._open and self._open[-1] in _LINES and tag not in _INLINE:
            # A link around a card and a label around its control hold lines of their own.
            self.faults.append(f"<{tag}> stands inside <{self._open[-1]}>")
        if self._open and self._open[-1] in ("ul", "ol") and tag != "li":
            self.faults.append(f"<{tag}> stands right inside a list")
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open[-1] != tag:
            self.faults.append(f"</{tag}> closes {self._open[-1:]}")
        else:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        self.text += data

    @property
    def links(self) -> Iterator[tuple[str, str]]:
        """What the page refers to: the attribute, and the address."""
        yield from ((name, value) for _, name, value in self.attributes if name in ("href", "src", "action", "srcset"))


def read_site(folder: Path) -> dict[str, SitePage]:
    """The pages of a site by their paths."""
    found = sorted(folder.rglob("*.html"))
    return {str(path.relative_to(folder)): SitePage(path.read_text("utf-8")) for path in found}


def broken_links(folder: Path, pages: Mapping[str, SitePage]) -> list[str]:
    """Every link that leads to no file of the site, or to no anchor of its page; those to the web are left out."""
    found = []
    for name, page in pages.items():
        for _, address in page.links:
            if address.startswith(("https://", "http://", "data:,")):
                continue
            path, sign, anchor = address.partition("#")
            target = (folder / name).parent.joinpath(unquote(path)).resolve() if path else (folder / name).resolve()
            if not target.is_file() or not target.is_relative_to(folder.resolve()):
                found.append(f"{name}: {address} leads to no file")
                continue
            where = str(target.relative_to(folder.resolve()))
            if sign and unquote(anchor) not in pages[where].anchors:
                found.append(f"{name}: {address} leads to no anchor")
    return found
