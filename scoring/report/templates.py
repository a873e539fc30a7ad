"""HTML templates by Jinja2, in which every value is escaped unless it is markup.

Escaping is stricter than Jinja's own: characters that are not seen, or steer a terminal or a reader's eye, are shown as
escapes, and very long texts are cut.
"""

from __future__ import annotations

import html
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from scoring.report.visible import clipped, visible


def escape(text: str) -> str:
    """Return text of the data as HTML text.

    Examples:
        >>> escape("<script>\\u202e")
        '&lt;script&gt;\\\\u202e'
    """
    return html.escape(visible(clipped(text)))


def resource(name: str, package: str = "scoring.report") -> str:
    """Return the text of a file that is shipped in a package."""
    return files(package).joinpath(name).read_text("utf-8")


@cache
def environment(package: str) -> Environment:
    """Return the environment of the templates that are shipped in a package."""
    return Environment(
        loader=FunctionLoader(lambda name: resource(name, package)),
        autoescape=True,
        finalize=_finalized,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def render(package: str, name: str, **values: Any) -> Markup:
    """Return a template that is filled with values.

    Args:
        package: The package that ships the template.
        name: The name of its file.
        values: The names that the template uses.
    """
    return Markup(environment(package).get_template(name).render(values))


def _finalized(value: Any) -> Markup:
    return value if isinstance(value, Markup) else Markup(escape(str(value)))
