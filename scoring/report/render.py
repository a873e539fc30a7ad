"""A document in the form that is wanted."""

from __future__ import annotations

from typing import Literal, TypeAlias

from scoring.report.document import Document
from scoring.report.style import Style

Form: TypeAlias = Literal["text", "html", "markdown", "notebook"]
FORMS: tuple[Form, ...] = ("text", "html", "markdown", "notebook")


def render(document: Document, form: Form = "text", style: Style | None = None) -> str:
    """The document as text of that form.

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
    if form == "text":
        from scoring.report.text import render_text

        return render_text(document, style or Style())
    if form == "markdown":
        from scoring.report.markdown import render_markdown

        return render_markdown(document)
    if form == "html":
        from scoring.report.html import render_page

        return render_page(document)
    if form == "notebook":
        from scoring.report.notebook import render_notebook

        return render_notebook(document)
    raise ValueError(f"there is no form {form!r}; there are {', '.join(FORMS)}")
