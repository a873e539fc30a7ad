"""Render a document in a form: as text, or in one that an extension provides; and find what extensions draw in it.

A form is a plug-in of the group ``scoring.forms``: the name of its entry point is the form, and its value is a function
that takes a `Document` and returns a text.

A part of a result is drawn by a plug-in of the group ``scoring.documents``, whose value is a function that returns an
iterable of the blocks of `scoring.report.document`. The name of its entry point says what it draws:

- ``metric.NAME``: the detail NAME of a metric. The function takes the title of the metric and the detail.
- ``summary.NAME``: the key NAME of a run's summary. The function takes the summary.
- ``run.NAME``: all of a run whose summary has the key NAME, except records and signature. The function takes the
  summary and, for each task of several, the tags by which it is selected on a page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, TypeAlias, get_args

from scoring.registry import plugins
from scoring.registry.extension import provided
from scoring.report.document import Document, DocumentBlock
from scoring.report.style import Style

GROUP = "scoring.forms"
DRAWERS = "scoring.documents"
Form: TypeAlias = Literal["text", "html", "markdown", "notebook"]
"""The forms of the core and of our extensions."""
FORMS = ("text", *sorted(plugin.name for plugin in plugins.own(GROUP)))


def render(document: Document, form: Form = "text", style: Style | None = None) -> str:
    """Return a document as text in one of the output forms.

    Args:
        document: The document to render.
        form: ``text`` for a terminal, ``html`` for a separate page, ``markdown`` for comments and notes, ``notebook``
            for a fragment of HTML; or a form that another package provides.
        style: The colours of a terminal; none by default.

    Raises:
        ValueError: when there is no such form.
        InputError: when the form is one of those named above, and its extension is not installed.

    Examples:
        >>> from scoring.report.document import Title
        >>> render(Document((Title("desk", "4 tasks"),)), "markdown")
        '# desk\\n\\n4 tasks\\n'
    """
    if not isinstance(form, str) or (form not in get_args(Form) and plugins.find_plugin(GROUP, form) is None):
        found = f"{form!r:.40}" if isinstance(form, str) else f"of the kind `{type(form).__name__}`"
        raise ValueError(f"there is no form {found}; the forms are {', '.join(FORMS)}")
    if form == "text":
        from scoring.report.text import render_text

        return render_text(document, style or Style())
    return str(provided(GROUP, form, f"the form `{form}`")(document))


def drawer_of(part: Literal["metric", "summary", "run"], name: str) -> Callable[..., Iterable[DocumentBlock]] | None:
    """Return an extension's function that draws the metric detail, summary key or run `name`; None if none draws it.

    Examples:
        >>> drawer_of("metric", "tea_leaves") is None
        True
    """
    wanted = f"{part}.{name}"
    found = next((plugin for plugin in plugins.noticed(DRAWERS) if plugin.name == wanted), None)
    return None if found is None else found.load()
