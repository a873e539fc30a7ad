"""The frame of every page of a site: head, policy, search, navigation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import quote

from markupsafe import Markup

from scoring.extensions.site.markup import Child, parts, prose_to_markup
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
        self.up = "../" * path.count("/")

    def linked(self, target: str) -> str:
        """Return the address of a target from this page.

        Examples:
            >>> PageFrame("packs/a-1.html", "Scoring", {}).linked("primitives/equal.html")
            '../primitives/equal.html'
        """
        page, sign, anchor = target.partition("#")
        if page == self.path and sign:
            return f"#{quote(anchor)}"
        return f"{self.up}{quote(page)}{sign}{quote(anchor)}"

    def link(self, link: SiteLink) -> Markup:
        """Return a link, or its name where it leads nowhere on this site."""
        return parts.link(link.name, self.linked(link.target) if link.target else "", link.beside)

    def links(self, links: Iterable[SiteLink]) -> Markup:
        """Return links with commas between."""
        return parts.joined([self.link(one) for one in links], ", ")

    def prose(self, given: str) -> Markup:
        """Return a text for people in which the names that this site knows are links."""

        def leads_to(name: str) -> str | None:
            target = self.names.get(name)
            return None if target is None or target == self.path else self.linked(target)

        return prose_to_markup(given, leads_to)

    def parameters(self, params: Sequence[tuple[str, str, Child, str, str]]) -> Markup | None:
        """Return a table of parameters: the name of each, what it takes, its default, what it does, its anchor."""
        rows = [(*row[:3], self.prose(row[3]) if row[3] else "", row[4]) for row in params]
        return parts.parameters(rows) if rows else None

    def page(self, title: str, body: Iterable[Child], crumbs: Iterable[SiteLink] = ()) -> str:
        """Return the whole page; the crumbs lead to the pages above it."""
        return parts.page(
            frame=self,
            title=title,
            body=list(body),
            crumbs=list(crumbs),
            ways=_WAYS,
            policy=STATIC_POLICY,
            version=VERSION,
        )
