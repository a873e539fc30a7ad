"""The refusal of texts that say where a field's value comes from in another language than that of expressions."""

from __future__ import annotations

from collections.abc import Sequence

from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.meant import Advice
from scoring.format.nodes import SpecNode
from scoring.lang.places import segments_of

_OWN = {"prediction": ("parsed", "the parsed answer"), "reference": ("reference", "the reference")}
# What JMESPath has and expressions have not.
_COMPUTING = ("||", "&&", "[?", "[*", "[]", "[:", "@", "`", "&", "{", ".*")


def refuse_place(node: SpecNode) -> None:
    """Report the `prediction` or `reference` of a field in a node that is a key alone, such as `lines[0].total`, or a
    JMESPath; other texts, which are meant as expressions, are left to their parser.

    Raises:
        SpecError: with the text to write.
    """
    text = str(node.value)
    key = node.key_span.text.strip("'\"") if node.key_span is not None else "prediction"
    root, what = _OWN.get(key, _OWN["prediction"])
    if text.strip() == "@":
        message = f"`@` is the whole only in a JMESPath, and {what} is `{root}`"
        advice: list[str] = [Advice.of(f"write `{root}`", node.span, root)]
        raise _refused(message, node, [*advice, "or leave it out where nothing else could be meant"])
    place, bar, steps = text.partition("|")
    place = f"{root}{'' if text.startswith('[') else '.'}{place.strip()}"
    written = f"{place} | {steps.strip()}" if bar else place
    computes = any(sign in text for sign in _COMPUTING)
    if segments_of(place) is not None and not (bar and computes):
        raise _refused(f"{what} is called `{root}` here", node, [Advice.of(f"write `{written}`", node.span, written)])
    if computes:
        message = "this is a JMESPath, which stands under `record:` alone"
        advice = [f"for a part of the record: `record: {{{key}_of: '{text}'}}`, and `record.{key}_of` here"]
        raise _refused(message, node, [*advice, f"for a part of {what}: a pipeline that begins with `{root}`"])


def _refused(message: str, node: SpecNode, advice: Sequence[str]) -> SpecError:
    return SpecError.of("bad-path", message, node.span, "a path begins with what it reads", help=advice)
