"""The documentation page of each finding: its meaning, why it matters, a spec that causes it and one that does not.

The tests execute these specs, so a page can't become outdated.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from scoring.lazy_pattern import lazy_pattern

_ID = lazy_pattern(r"[a-z0-9]+(?:-[a-z0-9]+)*\Z")


@cache
def ids() -> tuple[str, ...]:
    """Return the ids of all findings that have a page in the catalog, sorted.

    Examples:
        >>> "unknown-name" in ids()
        True
    """
    pages = (entry.name for entry in files(__name__).iterdir())
    return tuple(sorted(name.removesuffix(".md") for name in pages if name.endswith(".md")))


def page(id: str) -> str | None:
    """Return the page of a finding in Markdown; None when no finding has that id.

    Examples:
        >>> page("duplicate-key").splitlines()[0]
        '# duplicate-key'
        >>> page("../secret") is None
        True
    """
    if not _ID.match(id):
        return None
    found = files(__name__) / f"{id}.md"
    return found.read_text(encoding="utf-8") if found.is_file() else None


def title(id: str) -> str:
    """Return the meaning of a finding, the first paragraph of its page; empty when no finding has that id.

    Examples:
        >>> title("duplicate-key")
        'A key appears twice in one mapping.'
    """
    paragraphs = (page(id) or "").split("\n\n", 2)
    return paragraphs[1].replace("\n", " ") if len(paragraphs) > 1 else ""
