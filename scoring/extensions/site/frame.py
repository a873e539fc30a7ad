"""The frame of every page of a site: head, policy, search, navigation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import quote

from scoring.extensions.site.markup import Child, Markup, dim, el, join, prose
from scoring.version import VERSION

STATIC_POLICY = (
    "default-src 'none'; style-src 'self' file:; script-src 'self' file:; img-src data:; base-uri 'none'; "
    "form-action 'none'"
)
"""Nothing but the site's own files; `file:` since a page from a disk is of no origin for some browsers."""
SERVED_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
_WAYS = tuple((name, f"{name}.html") for name in ("packs", "tasks", "primitives", "metrics"))


class SiteLink(NamedTuple):
    """A name, its target ("" for none on this site), and a remark.

    A target is the path of a page from the root of the site, perhaps with an anchor.
    """

    name: str
    target: str = ""
    beside: str = ""


class PageFrame:
    """Draws one page of a site.

    Args:
        path: Where it stands, from the root of the site.
        title: What the site is called.
        names: Where the names lead that stand in texts.
        serving: Whether a server runs definitions for the box to try them.
    """

    def __init__(self, path: str, title: str, names: Mapping[str, str], serving: bool = False) -> None:
        self.path, self.title, self.names, self.serving = path, title, names, serving
        self._up = "../" * path.count("/")

    def linked(self, target: str) -> str:
        """Return the address of a target from this page.

        Examples:
            >>> PageFrame("packs/a-1.html", "Scoring", {}).linked("primitives/equal.html")
            '../primitives/equal.html'
        """
        page, sign, anchor = target.partition("#")
        if page == self.path and sign:
            return f"#{quote(anchor)}"
        return f"{self._up}{quote(page)}{sign}{quote(anchor)}"

    def link(self, link: SiteLink) -> Markup:
        """Return a link, or its name where it leads nowhere on this site."""
        beside = [" ", dim(link.beside)] if link.beside else None
        return join([el("a", link.name, href=self.linked(link.target)) if link.target else link.name, beside])

    def links(self, links: Iterable[SiteLink]) -> Markup:
        """Links with commas between."""
        found: list[Child] = []
        for link in links:
            found += [", ", self.link(link)] if found else [self.link(link)]
        return join(found)

    def prose(self, given: str) -> Markup:
        """Return a text for people in which the names that this site knows are links."""

        def leads_to(name: str) -> str | None:
            target = self.names.get(name)
            return None if target is None or target == self.path else self.linked(target)

        return prose(given, leads_to)

    def parameters(self, params: Sequence[tuple[str, str, Child, str, str]]) -> Markup | None:
        """Return a table of parameters: the name of each, what it takes, its default, what it does, its anchor."""
        if not params:
            return None
        told = any(doc for *_, doc, _ in params)
        columns = ("parameter", "takes", "default", *(("what it does",) if told else ()))
        head = el("tr", [el("th", name, scope="col") for name in columns])
        rows = [
            el(
                "tr",
                el("th", el("code", name), scope="row", id=anchor or None),
                el("td", takes),
                el("td", default),
                el("td", self.prose(doc) if doc else None) if told else None,
            )
            for name, takes, default, doc, anchor in params
        ]
        table = el("table", el("thead", head), el("tbody", rows))
        return el("div", table, class_="wide", tabindex="0", role="region", aria_label="Parameters")

    def page(self, title: str, body: Iterable[Child], crumbs: Iterable[SiteLink] = ()) -> str:
        """Return the whole page; the crumbs lead to the pages above it."""
        ways = [el("a", name, href=self.linked(target)) for name, target in _WAYS]
        trail = [join([self.link(link), " › "]) for link in crumbs]
        scripts = ["search.js", *(["try.js"] if self.serving else [])]
        head = el(
            "head",
            el("meta", charset="utf-8"),
            None if self.serving else el("meta", http_equiv="Content-Security-Policy", content=STATIC_POLICY),
            el("meta", name="viewport", content="width=device-width, initial-scale=1"),
            el("meta", name="referrer", content="no-referrer"),
            el("title", f"{title} · {self.title}" if title != self.title else title),
            el("link", rel="icon", href="data:,"),
            el("link", rel="stylesheet", href=f"{self._up}site.css"),
            [el("script", src=f"{self._up}{name}", defer=True) for name in scripts],
        )
        top = el(
            "header",
            el("a", self.title, href=self.linked("index.html"), class_="home"),
            el("nav", ways, aria_label="Parts of this site"),
            el("div", class_="search", id="search", data_root=self._up),
        )
        body_ = el(
            "body",
            el("a", "Skip to the content", href="#main", class_="skip"),
            top,
            el("main", el("p", trail, class_="crumbs") if trail else None, body, id="main"),
            el("footer", f"Written by scoring {VERSION}; examples were run when it was written."),
            class_="scoring site",
        )
        return f"<!doctype html>\n{el('html', head, body_, lang='en')}\n"
