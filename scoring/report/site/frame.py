"""What every page of a site has around it: head, policy, search, ways to other pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from urllib.parse import quote

from scoring.report.site.markup import Child, Markup, el, join, prose, text
from scoring.report.site.model import ShownExpression, SiteContent, SiteLink

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


class PageFrame:
    """Draws pages of one site; knows where the page that is drawn stands, by its path from the root."""

    def __init__(self, content: SiteContent, path: str) -> None:
        self.content, self.path = content, path
        self._up = "../" * path.count("/")

    def linked(self, target: str) -> str:
        """The address of a target from this page.

        Examples:
            >>> PageFrame(None, "packs/a-1.html").linked("primitives/equal.html")
            '../primitives/equal.html'
        """
        page, sign, anchor = target.partition("#")
        if page == self.path and sign:
            return f"#{quote(anchor)}"
        return f"{self._up}{quote(page)}{sign}{quote(anchor)}"

    def link(self, link: SiteLink) -> Markup:
        """A link, or its name where it leads nowhere on this site."""
        beside = [" ", el("span", link.beside, class_="dim")] if link.beside else None
        return join([el("a", link.name, href=self.linked(link.target)) if link.target else link.name, beside])

    def links(self, links: Iterable[SiteLink]) -> Markup:
        """Links with commas between."""
        found: list[Child] = []
        for link in links:
            found += [", ", self.link(link)] if found else [self.link(link)]
        return join(found)

    def expression(self, shown: ShownExpression) -> Markup:
        """An expression as a block of code, its parts marked and its names as links."""
        return el("pre", el("code", self.marked(shown)), class_="expression")

    def marked(self, shown: ShownExpression) -> Markup:
        """The same as code in a line."""
        parts: list[Child] = []
        at = 0
        for mark in shown.marks:
            part, look = text(shown.text[mark.start : mark.end]), f"x-{mark.look}"
            marked = el("span", part, class_=look)
            if mark.target:
                marked = el("a", part, href=self.linked(mark.target), class_=look, title=mark.title or None)
            parts += [text(shown.text[at : mark.start]), marked]
            at = mark.end
        return join([*parts, text(shown.text[at:])])

    def prose(self, given: str, own: Callable[[str], str | None] | None = None) -> Markup:
        """A text for people in which the names of primitives are links.

        Args:
            given: The text.
            own: Where names of the page itself lead, which go first.
        """

        def leads_to(name: str) -> str | None:
            target = (own(name) if own is not None else None) or self.content.names.get(name)
            return None if target is None or target == self.path else self.linked(target)

        return prose(given, leads_to)

    def page(self, title: str, body: Iterable[Child], crumbs: Iterable[SiteLink] = ()) -> str:
        """The whole page; the crumbs lead to the pages above it."""
        content = self.content
        ways = [el("a", name, href=self.linked(target)) for name, target in _WAYS]
        trail = [join([self.link(link), " › "]) for link in crumbs]
        scripts = ["search.js", *(["try.js"] if content.serving else [])]
        head = el(
            "head",
            el("meta", charset="utf-8"),
            None if content.serving else el("meta", http_equiv="Content-Security-Policy", content=STATIC_POLICY),
            el("meta", name="viewport", content="width=device-width, initial-scale=1"),
            el("meta", name="referrer", content="no-referrer"),
            el("title", f"{title} · {content.title}" if title != content.title else title),
            el("link", rel="icon", href="data:,"),
            el("link", rel="stylesheet", href=f"{self._up}site.css"),
            [el("script", src=f"{self._up}{name}", defer=True) for name in scripts],
        )
        top = el(
            "header",
            el("a", content.title, href=self.linked("index.html"), class_="home"),
            el("nav", ways, aria_label="Parts of this site"),
            el("div", class_="search", id="search", data_root=self._up),
        )
        body_ = el(
            "body",
            el("a", "Skip to the content", href="#main", class_="skip"),
            top,
            el("main", el("p", trail, class_="crumbs") if trail else None, body, id="main"),
            el("footer", f"Written by {content.made_by}; examples were run when it was written."),
            class_="scoring site",
        )
        return f"<!doctype html>\n{el('html', head, body_, lang='en')}\n"
