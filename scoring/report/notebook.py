"""A document as a fragment of HTML that stands among others in a notebook: its own style, no script."""

from __future__ import annotations

from scoring.report.document import Document
from scoring.report.html import HtmlFragment, resource


def render_notebook(document: Document) -> str:
    """The fragment, with the first rows of long tables."""
    body = HtmlFragment(document, full=False).html()
    return f'<div class="scoring">\n<style>{resource("page.css")}</style>\n{body}\n</div>\n'
