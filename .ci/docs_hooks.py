"""Hooks of the documentation site: links to files that it lacks become text, short answers are found first,
and a page may load nothing but what lies beside it."""

from __future__ import annotations

import base64
import hashlib
import posixpath
import re
from typing import Any

_NAMED = re.compile(r"(?m)^(\s*```\w+) ([\w./-]+)$")
_LINK = re.compile(r"\[([^\]]+)\]\(((?:\.\./)+[^)#\s]*)[^)]*\)")
# A script that stands in the page; one of another type is data.
_INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)
_POLICY = (
    "default-src 'none'; script-src 'self'{hashes}; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "worker-src 'self'; base-uri 'none'; form-action 'none'"
)
_serving: list[bool] = []


def on_startup(*, command: str, **_: Any) -> None:
    """Note whether pages are shown while they are written: then a script in each loads it anew."""
    _serving[:] = [command == "serve"]


def on_post_page(output: str, **_: Any) -> str:
    """Give a page its policy: no script but the site's own files and those that the theme wrote into the page."""
    if any(_serving):
        return output
    digests = (hashlib.sha256(script.encode()).digest() for script in _INLINE.findall(output))
    hashes = "".join(f" 'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    policy = f'<meta http-equiv="Content-Security-Policy" content="{_POLICY.format(hashes=hashes)}">'
    return output.replace("<head>", f"<head>{policy}", 1)


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
