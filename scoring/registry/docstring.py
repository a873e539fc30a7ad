"""Cut a primitive's docstring into its summary, its prose and its sections."""

from __future__ import annotations

import inspect
from dataclasses import field

from scoring.late import dataclass, pattern

_SECTION = pattern(r"^(Args|Returns|Raises|Examples|Source):\s*$")
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
    sections: dict[str, list[str]] = {"": []}
    current = ""
    for line in inspect.cleandoc(text).splitlines():
        heading = _SECTION.match(line)
        if heading:
            current = heading[1]
            sections[current] = []
        else:
            sections[current].append(line)
    summary, body = _split_summary(sections[""])
    return Docstring(
        summary,
        body,
        _arguments(sections.get("Args", [])),
        _block(sections.get("Examples", [])),
        " ".join(_block(sections.get("Source", [])).split()),
        " ".join(_block(sections.get("Raises", [])).split()),
    )


def _split_summary(lines: list[str]) -> tuple[str, str]:
    text = "\n".join(lines).strip()
    summary, _, body = text.partition("\n\n")
    return " ".join(summary.split()), body.strip()


def _block(lines: list[str]) -> str:
    return inspect.cleandoc("\n".join(["", *lines])).strip()


def _arguments(lines: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    name = ""
    for line in _block(lines).splitlines():
        match = _ARGUMENT.match(line)
        if match and not line.startswith(" "):
            name = match[1]
            found[name] = match[2].strip()
        elif name and line.strip():
            found[name] = f"{found[name]} {line.strip()}".strip()
    return found
