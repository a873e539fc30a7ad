"""Fill HTML templates by Jinja2, escaping every value that is not markup.

Escaping is stricter than Jinja's own: invisible characters, and those that affect terminals or the direction of text,
are shown as escapes, and very long texts are cut off.
"""

from __future__ import annotations

import html
from collections.abc import Callable
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from scoring.report.visible import clipped, visible


def escape_html(text: str) -> str:
    """Return a text of the data escaped for HTML, with invisible characters as escapes, and cut off if it is long.

    Examples:
        >>> escape_html("<script>\\u202e")
        '&lt;script&gt;\\\\u202e'
    """
    return html.escape(visible(clipped(text)))


def resource(name: str, package: str = "scoring.extensions.pages") -> str:
    """Return the text of a file that is shipped in a package."""
    return files(package).joinpath(name).read_text("utf-8")


def template_environment(package: str, finalize: Callable[[str], str] = escape_html) -> Environment:
    """Return a Jinja environment for the templates of a package.

    Args:
        package: The name of the package that contains the templates.
        finalize: Escapes a value that is not markup.
    """
    return Environment(
        loader=FunctionLoader(lambda name: resource(name, package)),
        autoescape=True,
        finalize=lambda value: value if isinstance(value, Markup) else Markup(finalize(str(value))),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def render_template(found: Environment, name: str, **values: Any) -> Markup:
    """Return the markup of a template filled with values.

    Args:
        found: The environment that contains the template.
        name: The name of the template's file.
        values: The values of the template's variables.
    """
    return Markup(found.get_template(name).render(values))
