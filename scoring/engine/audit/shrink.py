"""Make a fault small: simpler cases than a given one, the simplest first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from scoring.engine.audit.wrong import AuditCase


def smaller(case: AuditCase) -> Iterator[AuditCase]:
    """Simpler cases: fewer other answers, a shorter right one, the answer that was given left out.

    Where the reference is neither the right answer nor a list of it, only the rest can shrink.

    Examples:
        >>> [one.right for one in smaller(AuditCase("one two", "one two"))]
        ['one', 'two', 'one', ' two', 'one tw']
    """
    if case.given is not None:
        yield replace(case, given=None)
    if len(case.others) > 1:
        half = len(case.others) // 2
        yield replace(case, others=case.others[:half])
        yield replace(case, others=case.others[half:])
        if len(case.others) > 2:
            yield replace(case, others=case.others[1:])
            yield replace(case, others=case.others[:-1])
    several = isinstance(case.reference, list) and not isinstance(case.right, list)
    if several and len(case.reference) > 1 and case.right in case.reference:
        yield replace(case, reference=[case.right])
    if case.reference != ([case.right] if several else case.right):
        return
    for right in _shorter(case.right):
        if isinstance(right, str) and _says(case.right) and not _says(right):
            continue  # the `$` of `$12` is no smaller answer, but none
        yield replace(case, right=right, reference=[right] if several else right)


def _says(text: str) -> bool:
    return any(sign.isalnum() for sign in text)


def _shorter(value: Any) -> Iterator[Any]:
    if isinstance(value, str):
        words, half = value.split(), len(value) // 2
        if len(words) > 1:
            yield " ".join(words[: len(words) // 2])
            yield " ".join(words[len(words) // 2 :])
        if half:
            yield value[:half]
            yield value[half:]
        if len(value) > 2:
            yield value[:-1]
    elif isinstance(value, list) and len(value) > 1:
        yield value[: len(value) // 2]
        yield value[len(value) // 2 :]
        yield value[:-1]
    elif isinstance(value, dict) and len(value) > 1:
        names = list(value)
        yield {name: value[name] for name in names[: len(names) // 2]}
        yield {name: value[name] for name in names[:-1]}
