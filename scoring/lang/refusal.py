"""From the reader's refusal to a finding: the known mistake if there is one, else what was expected, in words."""

from __future__ import annotations

from collections.abc import Iterable

from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.source import Fragment
from scoring.lang.mistake import Place, find_mistake, short

_ENTRIES = {"pipeline": "a pipeline", "formula": "a formula", "path": "a path"}
# These come before all signs, in this order.
_FIRST = ("a value", "a number, a field or a function", "a name", "arithmetic")


def explain(place: Place, fragment: Fragment, expected: Iterable[str]) -> SpecError:
    """The error to report for an expression that was refused at a place where something else was expected."""
    tokens, index = place.tokens, place.index
    if not tokens:
        message = f"{_ENTRIES[place.entry]} is missing here"
        return SpecError.of("syntax-empty", message, fragment.whole, "nothing but space")
    at_end = index == len(tokens)
    # Nothing stands at the end; the gap after the last token is where something is missing.
    start, end = (tokens[-1].end, tokens[-1].end) if at_end else (tokens[index].start, tokens[index].end)
    span = fragment.span(start, end)
    mistake = find_mistake(place)
    if mistake:
        message, label, help_ = (mistake.say(words, place) for words in (mistake.message, mistake.label, mistake.help))
        return SpecError.of(mistake.id, message, span, label, help=help_, note=mistake.note)
    found = f"{_ENTRIES[place.entry]} cannot end here" if at_end else f"`{short(tokens[index].text)}` cannot stand here"
    return SpecError.of("syntax-unexpected", found, span, f"expected {_in_words(set(expected))}")


def _in_words(expected: set[str]) -> str:
    words = [word for word in _FIRST if word in expected]
    words += sorted(expected.difference(words))
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
