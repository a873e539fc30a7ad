"""The words of a query, as NLTK's tokeniser for English splits it, with texts in quotes as one word each."""

from __future__ import annotations

from scoring.lazy_pattern import lazy_pattern
from scoring.result import Unparsed

# What NLTK's tokeniser does to text without quotes, in its order.
_STEPS = [
    (lazy_pattern("([«“‘„]|`+)"), r" \1 "),
    (lazy_pattern("``"), r" `` "),
    (lazy_pattern(r"([^.])(\.)([\])}>»”’ ]*+)\s*$"), r"\1 \2 \3 "),
    (lazy_pattern(r"([:,])([^\d])"), r" \1 \2"),
    (lazy_pattern(r"([:,])$"), r" \1 "),
    (lazy_pattern(r"\.{2,}"), r" \g<0> "),
    (lazy_pattern(r"[;@#$%&]"), r" \g<0> "),
    (lazy_pattern(r"[\u2012-\u2015]"), r" \g<0> "),
    (lazy_pattern(r"[?!*\]\[(){}<>]"), r" \g<0> "),
    (lazy_pattern("--"), r" -- "),
    (lazy_pattern("([»”’])"), r" \1 "),
    (lazy_pattern(r"(?i)\b(can)(not)\b|\b(gim)(me)\b|\b(gon)(na)\b|\b(got)(ta)\b|\b(lem)(me)\b|\b(wan)(na)(?=\s)"), ""),
]
_BEFORE_EQUAL = ("!", ">", "<")


def query_words(query: str) -> list[str]:
    """Return the words of a query in lower case; texts in quotes keep theirs, and are in double quotes.

    Raises:
        Unparsed: when a quote is not closed.
    """
    pieces = query.replace("'", '"').split('"')
    if len(pieces) % 2 == 0:
        raise Unparsed("a quote is not closed")
    texts = {f"__val_{place}__": f'"{text}"' for place, text in enumerate(pieces[1::2])}
    marks = [*texts, ""]
    plain = "".join(piece + mark for piece, mark in zip(pieces[::2], marks, strict=True))
    for pattern, by in _STEPS[:-1]:
        plain = pattern.sub(by, plain)
    plain = _STEPS[-1][0].sub(lambda found: f" {' '.join(filter(None, found.groups()))} ", f" {plain} ")
    found: list[str] = []
    for word in plain.lower().split():
        if word == "=" and found and found[-1] in _BEFORE_EQUAL:
            found[-1] += word
        else:
            found.append(texts.get(word, word))
    return found
