"""Render a document in a given output format."""

from __future__ import annotations

from importlib import import_module
from typing import Literal, TypeAlias

from scoring.report.document import Document
from scoring.report.style import Style

Form: TypeAlias = Literal["text", "html", "markdown", "notebook"]
_HOMES: dict[Form, tuple[str, str]] = {
    "text": ("text", "render_text"),
    "html": ("html", "render_page"),
    "markdown": ("markdown", "render_markdown"),
    "notebook": ("html", "render_notebook"),
}
FORMS = tuple(_HOMES)


def render(document: Document, form: Form = "text", style: Style | None = None) -> str:
    """Return a document rendered in an output format.

    Args:
        document: The document to render.
        form: ``text`` for a terminal, ``html`` for a separate page, ``markdown`` for comments and notes, ``notebook``
            for a fragment of HTML.
        style: The colours of a terminal; none by default.

    Raises:
        ValueError: when the form is not one of these.

    Examples:
        >>> from scoring.report.document import Title
        >>> render(Document((Title("desk", "4 tasks"),)), "markdown")
        '# desk\\n\\n4 tasks\\n'
    """
    if not isinstance(form, str) or form not in _HOMES:
        found = f"{form!r:.40}" if isinstance(form, str) else f"of the kind `{type(form).__name__}`"
        raise ValueError(f"there is no form {found}; the forms are {', '.join(FORMS)}")
    module, function = _HOMES[form]
    draw = getattr(import_module(f"scoring.report.{module}"), function)
    drawn: str = draw(document, style or Style()) if form == "text" else draw(document)
    return drawn
