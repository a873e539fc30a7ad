"""Templates: every value is escaped, and none can switch that off."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from jinja2 import UndefinedError
from markupsafe import Markup

from scoring.extensions.pages.templates import template_environment

TEMPLATES = sorted(Path("scoring").rglob("*.jinja"))


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_no_template_takes_a_value_as_markup(path: Path) -> None:
    assert re.findall(r"\|\s*safe|autoescape|Markup", path.read_text("utf-8")) == []


def rendered(source: str, **values: object) -> str:
    return template_environment("scoring.extensions.pages").from_string(source).render(values)


def test_a_value_is_escaped_wherever_it_comes_from() -> None:
    hostile = "<script>\u202e\x1b[2J"
    shown = "&lt;script&gt;\\u202e\\x1b[2J"
    assert rendered("{{ one }}", one=hostile) == shown
    assert rendered("{{ one.text }} {{ two[0] }}", one={"text": hostile}, two=[hostile]) == f"{shown} {shown}"
    assert rendered("{% macro m(x) %}<b>{{ x }}</b>{% endmacro %}{{ m(one) }}", one=hostile) == f"<b>{shown}</b>"
    assert rendered("{% set x %}{{ one }}{% endset %}{{ x }}", one=hostile) == shown
    assert rendered("{{ one }}", one=Markup("<b>")) == "<b>"


def test_a_name_that_is_not_given_is_an_error() -> None:
    with pytest.raises(UndefinedError, match="'one' is undefined"):
        rendered("{{ one }}")
