"""The parts of a primitive's docstring: summary, prose and sections."""

from __future__ import annotations

import inspect
import re

from scoring.lazy_pattern import lazy_pattern
from scoring.registry.model import Docstring

_SECTION = lazy_pattern(r"^(Args|Returns|Raises|Examples|Source):[^\S\n]*$", re.MULTILINE)
_ARGUMENT = lazy_pattern(r"^(\w+):\s*(.*)$")


def parse_docstring(text: str) -> Docstring:
    """Return the parts of a docstring with the sections Args, Returns, Raises, Examples and Source.

    Examples:
        >>> parse_docstring("Lower it.\\n\\nArgs:\\n    x: The text.\\n").arguments
        {'x': 'The text.'}
    """
    prose, *parts = _SECTION.split(inspect.cleandoc(text))
    sections = {name: inspect.cleandoc(f"\n{lines}").strip() for name, lines in zip(*[iter(parts)] * 2, strict=True)}
    summary, _, body = prose.strip().partition("\n\n")
    source, raises = (" ".join(sections.get(name, "").split()) for name in ("Source", "Raises"))
    arguments = _arguments(sections.get("Args", ""))
    return Docstring(" ".join(summary.split()), body.strip(), arguments, sections.get("Examples", ""), source, raises)


def _arguments(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    name = ""
    for line in text.splitlines():
        match = _ARGUMENT.match(line)
        if match and not line.startswith(" "):
            name = match[1]
            found[name] = match[2].strip()
        elif name and line.strip():
            found[name] = f"{found[name]} {line.strip()}".strip()
    return found
