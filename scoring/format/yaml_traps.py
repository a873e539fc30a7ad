"""Traps of YAML in text that YAML accepts, but with another meaning than its author's."""

from __future__ import annotations

from collections.abc import Sequence

from scoring.diagnostics.diagnostic import Diagnostics
from scoring.diagnostics.source import Span
from scoring.format.brackets import closes_more, unclosed
from scoring.format.nodes import SpecNode
from scoring.lazy_pattern import lazy_pattern

COMMENT = lazy_pattern(r"(?<![ \t])[ \t]+#([^\r\n]*)")
_NO_COMMENT = lazy_pattern(r"#|\d")
_STEP = lazy_pattern(r"[a-z_][\w./-]*")
# Escapes in double quotes that nobody writes on purpose: control characters, and those that begin a LaTeX command.
_ESCAPES = lazy_pattern(
    r"\\(?:\\|(b|[fvae](?=[A-Za-z])|t(?=ext|heta|imes|frac)|r(?=ight|ho(?![a-z])|angle)|n(?=eq(?![a-z])|abla(?![a-z]))))"
)


def check_comment(node: SpecNode, found: Diagnostics) -> None:
    """Report a ` #` that cuts off an expression as a comment, and `##` or `#1` after a text or in place of a value."""
    source, text, end = node.span.source, node.span.source.text, node.span.end
    # Most values are at the end of their line, which is checked first.
    comment = COMMENT.match(text, end) if text[end : end + 1] in (" ", "\t") else None
    if comment is None:
        return
    span = Span(source, comment.start(1) - 1, comment.start(1))
    is_odd = _NO_COMMENT.match(comment[1]) is not None
    closer = {"(": ")", "[": "]", "{": "}", '"': '"'}.get(unclosed(node.span.text)[-1:])
    if is_odd or (closer and closer in comment[1]):
        from scoring.format.yaml_findings import cut_off, hash_trap

        found.append(hash_trap(node, span) if is_odd else cut_off(node, span))


def check_commas(written: Sequence[SpecNode], found: Diagnostics) -> None:
    """Report the first comma or colon that ends an unquoted text inside `(…)`; `written` are the values of a `{…}` or
    `[…]`."""
    closers = [index for index, node in enumerate(written) if node.style == "plain" and closes_more(node.span.text)]
    for index, node in enumerate(written[: closers[-1] if closers else 0]):
        if node.style != "plain" or "(" not in node.span.text or "(" not in unclosed(node.span.text):
            continue
        from scoring.format.yaml_findings import colon_trap, comma_trap

        source, end = node.span.source, node.span.end
        between = source.text[end : written[index + 1].span.start]
        if between.lstrip().startswith(":"):
            found.append(colon_trap(source, end + between.index(":"), node.span.start, flow=True))
        else:
            found.append(comma_trap(source, end + max(between.find(","), 0), node.span.start))
        return


def check_pair(written: Sequence[SpecNode], found: Diagnostics) -> None:
    """Report a text in a list, such as `Answer: B`, read as key and value, unless the key may be a step's name."""
    if len(written) != 2 or any(node.style != "plain" or not isinstance(node.value, str) for node in written):
        return
    key = written[0]
    if not _STEP.fullmatch(str(key.value)):
        from scoring.format.yaml_findings import colon_trap

        source = key.span.source
        found.append(colon_trap(source, source.text.index(":", key.span.end), key.span.start, flow=True))


def check_key(node: SpecNode, found: Diagnostics) -> None:
    """Report a `: ` inside an expression, which turns the text before it into a key."""
    source, end = node.span.source, node.span.end
    if "(" not in node.span.text and "{" not in node.span.text:
        return
    colon = source.text.find(":", end)
    if unclosed(node.span.text) and not source.text[end:colon].strip():
        from scoring.format.yaml_findings import colon_trap

        found.append(colon_trap(source, colon, node.span.start, flow=False))


def check_escapes(node: SpecNode, flow: bool, found: Diagnostics) -> None:
    r"""Report an escape such as the `\b` of `\boxed` in double quotes, which YAML reads as a backspace."""
    escape = next((one for one in _ESCAPES.finditer(node.span.text) if one[1]), None)
    if escape is None:
        return
    from scoring.format.yaml_findings import escape_trap

    found.append(escape_trap(node, escape, flow))
