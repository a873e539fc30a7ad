"""The tour names files and functions that are there, and pages that the site shows."""

from __future__ import annotations

import re

import yaml

from tests.support.golden import REPOSITORY

TOUR = (REPOSITORY / "docs" / "tour.md").read_text("utf-8")


def test_the_files_and_functions_of_the_tour_are_there() -> None:
    files = re.findall(r"`(scoring/[\w/]+\.py)`", TOUR)
    assert len(files) >= 6
    missing = [file for file in files if not (REPOSITORY / file).is_file()]
    assert missing == []
    text = "".join((REPOSITORY / file).read_text("utf-8") for file in files)
    named = re.findall(r"`([A-Za-z_]+(?:\.[a-z_]+)?)`", TOUR)
    last = [name.rpartition(".")[2] for name in named]
    assert [name for name in last if not re.search(rf"\b(?:def|class) {name}\b", text)] == []


def test_the_site_shows_every_page() -> None:
    site = yaml.safe_load((REPOSITORY / "mkdocs.yml").read_text("utf-8"))
    shown = re.findall(r"[\w/-]+\.md", str(site["nav"]))
    pages = {path.relative_to(REPOSITORY / "docs").as_posix() for path in (REPOSITORY / "docs").rglob("*.md")}
    assert set(shown) == pages
    assert len(shown) == len(pages)
