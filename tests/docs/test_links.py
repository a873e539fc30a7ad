"""Every link of the pages leads to a file of the repository, and to a heading in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.support.golden import REPOSITORY

PAGES = sorted([*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").rglob("*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    dead = [link for link in links(page) if not leads_somewhere(page, link)]
    assert not dead, f"{page.name} links to what is not there: {', '.join(sorted(set(dead)))}"


def links(page: Path) -> Iterator[str]:
    for target in re.findall(r"\]\(([^)\s]+)\)", _prose(page)):
        if "://" not in target and not target.startswith("mailto:"):
            yield target


def leads_somewhere(page: Path, link: str) -> bool:
    name, _, anchor = link.partition("#")
    target = (page.parent / name).resolve() if name else page
    return target.exists() and (not anchor or anchor in anchors(target))


@cache
def anchors(page: Path) -> frozenset[str]:
    """The anchors of a page's headings, as hosts of repositories make them."""
    headings = re.findall(r"^#+ +(.+)$", _prose(page), re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", heading.replace("`", "").strip().lower()) for heading in headings)
    return frozenset(heading.replace(" ", "-") for heading in plain)


@cache
def _prose(page: Path) -> str:
    """The page without its blocks of code."""
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
