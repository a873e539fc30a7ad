"""The table of formats in the docs, written from the registry."""

from __future__ import annotations

import re

from scoring.data.file_format import FileFormat
from scoring.data.file_formats import own

_MARKED = re.compile(r"(<!-- formats -->\n).*?(<!-- /formats -->)", re.DOTALL)
_HEAD = "| format | | files | settings | needs |\n|---|---|---|---|---|\n"


def documented(page: str) -> str:
    """The page with its table of formats written anew, between `<!-- formats -->` and `<!-- /formats -->`."""
    table = _HEAD + "".join(_line(form) for form in own().values())
    return _MARKED.sub(lambda found: f"{found[1]}{table}{found[2]}", page)


def _line(form: FileFormat) -> str:
    needs = f"`{form.needs[1]}`" if form.needs else "–"
    return f"| `{form.name}` | {form.title} | {_codes(form.suffixes)} | {_codes(form.settings)} | {needs} |\n"


def _codes(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "–"
