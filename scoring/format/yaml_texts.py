"""Texts that YAML reads otherwise than they look: escapes of double quotes, and line ends that a block keeps."""

from __future__ import annotations

from collections.abc import Iterator

from scoring.diagnostics.diagnostic import Diagnostic, Diagnostics, diagnostic
from scoring.diagnostics.source import Span
from scoring.diagnostics.words import shown
from scoring.format.nodes import SpecNode
from scoring.format.yaml_advice import written
from scoring.late import pattern

# Escapes of double quotes that nobody writes on purpose: controls, and what else begins a command of LaTeX.
_ESCAPES = pattern(
    r"\\(?:\\|(b|[fvae](?=[A-Za-z])|t(?=ext|heta|imes|frac)|r(?=ight|ho(?![a-z])|angle)|n(?=eq(?![a-z])|abla(?![a-z]))))"
)
_NAMES_OF_ESCAPES = {
    "b": "a backspace", "f": "a form feed", "v": "a vertical tab", "a": "a bell", "e": "an escape character",
    "t": "a tab", "r": "a carriage return", "n": "a line end",
}  # fmt: skip


def check_escapes(node: SpecNode, flow: bool, found: Diagnostics) -> None:
    r"""In double quotes YAML reads `\boxed` as a backspace and `oxed`."""
    source, text = node.span.source, node.span.text
    escape = next((one for one in _ESCAPES.finditer(text) if one[1]), None)
    if escape is None:
        return
    place = node.span.start + escape.start()
    inner = text[1:-1].replace("\\\\", "\\").replace('\\"', '"')
    found.add(
        diagnostic(
            "error",
            "yaml-escape",
            f"in double quotes {shown(escape[0])} is {_NAMES_OF_ESCAPES[escape[1]]}",
            Span(source, place, place + 2),
            "YAML reads this before we do",
            help=written(source, node.span.start, node.span.end, inner, flow=flow or "\n" in text),
            note="in single quotes and in blocks every backslash is itself",
        )
    )


def kept_line_ends(node: SpecNode, every: bool = False) -> Iterator[Diagnostic]:
    """A block that is written with `|` ends in a line end, which a pattern of one line does not mean.

    Args:
        node: Where arguments are written as data.
        every: Whether it is a parameter, whatever its name; otherwise only what is called a pattern.
    """
    waiting = [(node, every)]
    while waiting:
        node, every = waiting.pop()
        waiting += [(one, every or name == "pattern") for name, one in node.entries.items()]
        waiting += [(one, False) for one in (node.value if isinstance(node.value, list) else ())]
        value = node.value if isinstance(node.value, str) else ""
        if (
            every
            and node.style in ("literal", "folded")
            and value.endswith("\n")
            and value.find("\n") == len(value) - 1 > 0
        ):
            place = node.span.start
            yield diagnostic(
                "error",
                "yaml-line-end",
                f"this text ends with a line end, which `{node.span.text[0]}` keeps",
                node.span.source.span(place, place + 1),
                "of a text of one line",
                help=f"write `{node.span.text[0]}-`, which leaves it out",
                note="where the line end is meant, write the text in double quotes, with `\\n` at its end",
            )
