"""Hooks of the documentation site: links to files that it lacks become text, and short answers are found first."""

from __future__ import annotations

import posixpath
import re
from typing import Any

_NAMED = re.compile(r"(?m)^(\s*```\w+) ([\w./-]+)$")
_LINK = re.compile(r"\[([^\]]+)\]\(((?:\.\./)+[^)#\s]*)[^)]*\)")


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Write each link that leads out of the folder of pages as its text, with the path behind it."""
    if page.file.src_uri == "questions.md":  # who asks gets the short answer first, and from there the long one
        page.meta["search"] = {"boost": 4}
    folder = posixpath.dirname(page.file.src_uri)

    def plain(link: re.Match[str]) -> str:
        text, target = link.groups()
        path = posixpath.normpath(posixpath.join(folder, target))
        if not path.startswith("../"):
            return link.group()
        path = path.removeprefix("../")
        return text if text.strip("`") == path else f"{text} (`{path}`)"

    # A block that is a file has the file's name behind its language, which Markdown of the site takes as a title alone.
    return _NAMED.sub(r'\1 title="\2"', _LINK.sub(plain, markdown))
