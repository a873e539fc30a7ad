"""Cut a primitive's docstring into its summary, its prose and its sections."""

from __future__ import annotations

import inspect
import re
from dataclasses import field

from scoring.late import dataclass, pattern

_SECTION = pattern(r"^(Args|Returns|Raises|Examples|Source):[^\S\n]*$", re.MULTILINE)
_ARGUMENT = pattern(r"^(\w+):\s*(.*)$")


@dataclass(frozen=True, slots=True)
class Docstring:
    """The parts of a docstring; ``examples`` is doctest text, ``source`` the origin of the formula."""

    summary: str
    body: str = ""
    arguments: dict[str, str] = field(default_factory=dict)
    examples: str = ""
    source: str = ""
    raises: str = ""


def parse_docstring(text: str) -> Docstring:
    """Parse a docstring with the sections Args, Returns, Raises, Examples and Source.

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
