"""Rendering of documents in the requested form."""

from __future__ import annotations

from importlib import import_module
from typing import Literal, TypeAlias

from scoring.report.document import Document
from scoring.report.style import Style

Form: TypeAlias = Literal["text", "html", "markdown", "notebook"]
_HOMES = {
    "text": ("text", "render_text"),
    "html": ("html", "render_page"),
    "markdown": ("markdown", "render_markdown"),
    "notebook": ("html", "render_notebook"),
}
FORMS = tuple(_HOMES)


def render(document: Document, form: Form = "text", style: Style | None = None) -> str:
    """Return the document as text of that form.

    Args:
        document: What to show.
        form: ``text`` for a terminal, ``html`` for a page of its own, ``markdown`` for comments and notes,
            ``notebook`` for a fragment of HTML that stands among others.
        style: The colours of a terminal; none by default.

    Raises:
        ValueError: for a form that is none of these.

    Examples:
        >>> from scoring.report.document import Title
        >>> render(Document((Title("desk", "4 tasks"),)), "markdown")
        '# desk\\n\\n4 tasks\\n'
    """
    if not isinstance(form, str) or form not in _HOMES:
        found = f"{form!r:.40}" if isinstance(form, str) else f"of the kind `{type(form).__name__}`"
        raise ValueError(f"there is no form {found}; there are {', '.join(FORMS)}")
    module, function = _HOMES[form]
    draw = getattr(import_module(f"scoring.report.{module}"), function)
    drawn: str = draw(document, style or Style()) if form == "text" else draw(document)
    return drawn
