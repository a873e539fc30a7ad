"""The frame of every page of a site: HTML head, security policy, search, navigation."""

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
"""Allows only the site's own files; `file:`, because for some browsers a page opened from a disk has no origin."""
_WAYS = tuple((name, f"{name}.html") for name in ("packs", "tasks", "primitives", "metrics"))


class SiteLink(NamedTuple):
    """A name that may be a link: its target ("" for none on this site), and a remark to show next to it.

    A target is the path of a page from the root of the site, perhaps with an anchor.
    """

    name: str
    target: str = ""
    remark: str = ""


class PageFrame:
    """A writer of one page of a site, which knows the page's path, and so the relative addresses of links.

    Args:
        path: The path of the page from the root of the site.
        title: The title of the site.
        names: The targets of the names that become links in texts.
        serving: Whether the site is served, so that definitions can be tried.
    """

    def __init__(self, path: str, title: str, names: Mapping[str, str], serving: bool = False) -> None:
        self.path, self.title, self.names, self.serving = path, title, names, serving
        self.up = "../" * path.count("/")

    def linked(self, target: str) -> str:
        """Return the address of a target relative to this page, for use in a link.

        Examples:
            >>> PageFrame("packs/a-1.html", "Scoring", {}).linked("primitives/equal.html")
            '../primitives/equal.html'
        """
        page, sign, anchor = target.partition("#")
        if page == self.path and sign:
            return f"#{quote(anchor)}"
        return f"{self.up}{quote(page)}{sign}{quote(anchor)}"

    def link(self, link: SiteLink) -> Markup:
        """Return a link as markup; only its name if it has no target."""
        return parts.link(link.name, self.linked(link.target) if link.target else "", link.remark)

    def links(self, links: Iterable[SiteLink]) -> Markup:
        """Return links as markup, separated by commas."""
        return parts.joined([self.link(one) for one in links], ", ")

    def prose(self, text: str) -> Markup:
        """Return a descriptive text as markup, in which the names known to this site are links."""

        def leads_to(name: str) -> str | None:
            target = self.names.get(name)
            return None if target is None or target == self.path else self.linked(target)

        return prose_to_markup(text, leads_to)

    def parameters(self, params: Sequence[tuple[str, str, Child, str, str]]) -> Markup | None:
        """Return the table of parameters as markup, given the name, accepted values, default, description and anchor of
        each; None if there are none."""
        rows = [(*row[:3], self.prose(row[3]) if row[3] else "", row[4]) for row in params]
        return parts.parameters(rows) if rows else None

    def page(self, title: str, body: Iterable[Child], crumbs: Iterable[SiteLink] = ()) -> str:
        """Return the whole page as HTML.

        Args:
            title: The title of the page.
            body: The parts of the page.
            crumbs: Links to the pages above it.
        """
        return parts.page(
            frame=self,
            title=title,
            body=list(body),
            crumbs=list(crumbs),
            ways=_WAYS,
            policy=STATIC_POLICY,
            version=VERSION,
        )
