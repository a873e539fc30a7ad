"""State what authors most likely meant by parts of files, in a form from which fixes are made."""

from __future__ import annotations

from msgspec import Struct

from scoring.diagnostics.source import Span
from scoring.diagnostics.suggest import candidate_in


class Meant(Struct, frozen=True):
    """State what an author most likely meant by a part of a file; an extension makes a `Fix` of it.

    Args:
        span: The part: a key, a value, or a part of a text.
        text: The text that was meant in its place.
        is_source: Whether `text` is YAML, such as a number or a mapping, and not the content of a text.
        is_sure: Whether nothing else can be meant.
    """

    span: Span
    text: str
    is_source: bool = False
    is_sure: bool = True


class Advice(str):
    """A help text that says what was meant; `meant` says it in a form from which fixes are made."""

    meant: tuple[Meant, ...] = ()

    @classmethod
    def of(cls, text: str, span: Span | None, meant: str, *, is_source: bool = False, is_sure: bool = True) -> Advice:
        """Return the advice `text` to write `meant` at `span`, if that is known."""
        found = cls(text)
        if span is not None and text:
            found.meant = (Meant(span, meant, is_source, is_sure),)
        return found


def meant_by(question: str, span: Span) -> tuple[Meant, ...]:
    """Return the name that a question made by `did_you_mean` names, as what was meant at `span`."""
    name = candidate_in(question)
    return (Meant(span, name),) if name else ()
