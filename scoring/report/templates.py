"""HTML templates by Jinja2, in which every value is escaped unless it is markup.

Escaping is stricter than Jinja's own: characters that are not seen, or steer a terminal or a reader's eye, are shown as
escapes, and very long texts are cut.
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
    """Return text of the data as HTML text.

    Examples:
        >>> escape_html("<script>\\u202e")
        '&lt;script&gt;\\\\u202e'
    """
    return html.escape(visible(clipped(text)))


def resource(name: str, package: str = "scoring.report") -> str:
    """Return the text of a file that is shipped in a package."""
    return files(package).joinpath(name).read_text("utf-8")


def template_environment(package: str, finalize: Callable[[str], str] = escape_html) -> Environment:
    """Return an environment for the templates that are shipped in a package.

    Args:
        package: The package.
        finalize: Escapes a value that is no markup.
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
    """Return a template that is filled with values.

    Args:
        found: The environment of the template.
        name: The name of its file.
        values: The names that the template uses.
    """
    return Markup(found.get_template(name).render(values))
