"""From the parser's refusal to a diagnostic: the known mistake if there is one, else what was expected, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.source import Fragment, Span
from scoring.lang.mistake import Place
from scoring.lang.mistakes import find_mistake
from scoring.lang.scan import Token

if TYPE_CHECKING:
    import lark
    from lark.exceptions import UnexpectedInput

_VALUE = frozenset({"TEXT", "NUMBER", "TRUE", "NULL", "LSQB", "LBRACE", "NAME"})
_OPERAND = frozenset({"TEXT", "NUMBER", "TRUE", "SCORE", "NAME"})
_KEY = frozenset({"TEXT", "TRUE", "NULL", "NAME"})
_OPENERS = frozenset(
    {
        "TEXT",
        "NUMBER",
        "TRUE",
        "FALSE",
        "NULL",
        "LSQB",
        "LBRACE",
        "LPAR",
        "NAME",
        "MINUS",
        "NOT",
        "SCORE",
        "RECORD",
        "CONTEXT",
        "REFERENCE",
        "PREDICTION",
    }
)
_GROUPS = (
    ("a value", _VALUE, _OPENERS),
    ("a number, a field or a function", _OPERAND, _OPENERS),
    ("a name", _KEY, _OPENERS),
    ("arithmetic", frozenset({"PLUS", "MINUS", "STAR", "SLASH"}), frozenset({"PLUS", "MINUS", "STAR", "SLASH"})),
)
_ROOTS = frozenset({"RECORD", "CONTEXT", "REFERENCE", "PREDICTION"})
_WORDS = {
    "NAME": "a name",
    "TEXT": "a text in quotes",
    "NUMBER": "a number",
    "COMPARE": "a comparison",
    "LPAR": "`(`",
    "RPAR": "`)`",
    "LSQB": "`[`",
    "RSQB": "`]`",
    "LBRACE": "`{`",
    "RBRACE": "`}`",
    "VBAR": "`|`",
    "COMMA": "`,`",
    "EQUAL": "`=`",
    "DOT": "`.`",
    "SLASH": "`/`",
    "MINUS": "`-`",
    "$END": "the end",
}
_ENTRIES = {"pipeline": "a pipeline", "formula": "a formula", "path": "a path"}


def explain(
    refused: UnexpectedInput, fragment: Fragment, tokens: list[Token], entry: str, parser: lark.Lark
) -> SpecError:
    """The error to report for an expression that the parser refused."""
    index = _index(refused, tokens)
    if not tokens:
        return SpecError.of("syntax-empty", f"{_ENTRIES[entry]} is missing here", fragment.whole, "nothing but space")
    place = Place(entry, tokens, index, split=_stop(refused) > tokens[index].start if index < len(tokens) else False)
    span = _span(fragment, tokens, index)
    mistake = find_mistake(place)
    if mistake:
        return SpecError.of(
            mistake.id,
            mistake.say(mistake.message, place),
            span,
            mistake.say(mistake.label, place),
            help=mistake.say(mistake.help, place),
            note=mistake.note,
        )
    at_end = index == len(tokens)
    stop = len(fragment.text) if at_end else _stop(refused)
    expected = _in_words(_accepted(parser, fragment.text[:stop], entry))
    found = f"{_ENTRIES[entry]} cannot end here" if at_end else f"`{_short(tokens[index].text)}` cannot stand here"
    return SpecError.of("syntax-unexpected", found, span, f"expected {expected}")


def _index(refused: UnexpectedInput, tokens: list[Token]) -> int:
    from lark.exceptions import UnexpectedToken

    if isinstance(refused, UnexpectedToken) and refused.token.type == "$END":
        return len(tokens)
    offset = _stop(refused)
    return next((index for index, token in enumerate(tokens) if token.end > offset), len(tokens))


def _stop(refused: UnexpectedInput) -> int:
    return refused.pos_in_stream or 0


def _span(fragment: Fragment, tokens: list[Token], index: int) -> Span:
    if index < len(tokens):
        return fragment.span(tokens[index].start, tokens[index].end)
    # Nothing stands at the end; the gap after the last token is where something is missing.
    return fragment.span(tokens[-1].end, tokens[-1].end)


def _accepted(parser: lark.Lark, accepted_text: str, entry: str) -> set[str]:
    # The parser that refused has already reduced what stood before, and may accept less than it did:
    # another one reads the accepted part and is asked there.
    fresh = parser.parse_interactive(accepted_text, start=entry)
    fresh.exhaust_lexer()
    return set(fresh.accepts())  # type: ignore[no-untyped-call]  # Lark leaves it without annotations


def _in_words(accepted: set[str]) -> str:
    if accepted & {"VBAR", "COMPARE"}:
        # After a whole name: what would make it another name is possible, but not what is missing.
        accepted = accepted - {"LPAR", "DOT", "LSQB"} - ({"SLASH"} if "VBAR" in accepted else set())
    words: list[str] = []
    for word, signs, members in _GROUPS:
        if signs <= accepted:
            words.append(word)
            accepted -= members
    if accepted >= _ROOTS:
        words.append("record, context, reference or prediction")
        accepted -= _ROOTS
    words += sorted(_WORDS.get(name, f"`{name.lower()}`") for name in accepted)
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"
