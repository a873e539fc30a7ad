"""Corrections found by trial: every one with which a text can be read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

MOST_TRIALS = 60
MOST_READ = 120_000
"""The characters that are read in all: where more would have to be, no correction is known to be the only one."""
_CLOSES = {"(": ")", "[": "]", "{": "}"}


def completed(kind: str, text: str, is_read: Callable[[str], bool]) -> tuple[str, ...]:
    """Return the texts that are made of an expression by adding or leaving out one bracket or quote, and can be read.

    Args:
        kind: The finding: ``syntax-unclosed-bracket``, ``syntax-unopened-bracket`` or ``syntax-unclosed-text``.
        text: The expression.
        is_read: A function that tells whether an expression can be read.

    Examples:
        >>> from scoring.lang.parser import pipeline_or_none
        >>> from scoring.diagnostics.source import Fragment
        >>> def reads(text: str) -> bool:
        ...     return pipeline_or_none(Fragment.of(text)) is not None
        >>> completed("syntax-unclosed-bracket", "any_of(equal, lower | equal", reads)
        ('any_of(equal, lower | equal)', 'any_of(equal, lower) | equal')
        >>> completed("syntax-unclosed-text", 'find("abc) | equal', reads)
        ('find("abc") | equal',)
    """
    made: dict[str, None] = {}
    for tried, number in zip(_tries(kind, text), range(MOST_TRIALS), strict=False):
        if (number + 1) * len(tried) > MOST_READ:
            return ()
        if is_read(tried):
            made[tried] = None
    return tuple(made)


def _tries(kind: str, text: str) -> Iterator[str]:
    if kind == "syntax-unopened-bracket":
        yield from (text[:at] + text[at + 1 :] for at in range(len(text) - 1, -1, -1) if text[at] in ")]}")
    elif kind == "syntax-unclosed-text":
        quote = next((mark for mark in ('"', "'") if text.count(mark) % 2), '"')
        ends = [at for at in range(text.rfind(quote) + 1, len(text)) if text[at] in "),|]}"]
        yield from (f"{text[:at].rstrip()}{quote}{' ' * (text[at] == '|')}{text[at:]}" for at in ends)
        yield text + quote
    else:
        lacking = [_CLOSES[mark] for mark in _CLOSES if text.count(mark) > text.count(_CLOSES[mark])]
        for closer in lacking:
            yield text + closer
            yield from (f"{text[:at].rstrip()}{closer} {text[at:]}" for at in range(len(text)) if text[at] == "|")
            yield text + closer * 2


def kind_of_keys(keys: Collection[str]) -> str:
    """Return the kind of a spec file, judging by its keys; "" if they are those of no kind alone.

    Examples:
        >>> kind_of_keys(["name", "score"]), kind_of_keys(["scorers"]), kind_of_keys(["doc"])
        ('task', 'pack', '')
    """
    if "tasks" in keys:
        return "suite"
    if {"score", "fields", "records", "record"} & {*keys}:
        return "task"
    return "pack" if {"scorers", "parsers", "transforms", "aggregators"} & {*keys} else ""
