"""Certainly wrong answers, made from right ones, which the laws of wrong answers try.

They are made from the given references, so that finding a fault does not require data in which it happens to show.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import islice
from typing import Any, Final, TypeAlias

from msgspec import Struct

from scoring.extensions.audit.changes import typed_over
from scoring.lazy_pattern import lazy_pattern
from scoring.primitives.parsing.literal import READING_ERRORS, read_literal
from scoring.values import is_number

_SQUARE = r"(?:[KQRBN]?[a-h]?[1-8]?x?[a-h][1-8](?:=[QRBN])?|O-O(?:-O)?)"
_MOVE = lazy_pattern(rf"({_SQUARE})[+#!?]*", re.ASCII)
_MOVES = lazy_pattern(rf"\s*{_MOVE.pattern}(?:[,\s]+{_MOVE.pattern})*\s*\Z", re.ASCII)

JUNK = "zorvak"
"""A word of no language, which no reference holds."""
LONG = 2_000
_ALIKE = 0.5
_COMPARED = 200
_DEEPEST = 20
_MOST = 40
_OTHERS = 12
_WORD = lazy_pattern(r"[^\W_]+")
_NUMBER = lazy_pattern(r"[-+]?(\d{1,15}(\.\d{1,15})?|\.\d{1,15})\Z", re.ASCII)
_STRUCTURE = lazy_pattern(r"\s*[\[{(<]|.*[,;\n\\$]", re.DOTALL)

Wrong: TypeAlias = Iterable[Any]
"""Answers that are wrong for the reference of a case."""


class AuditCase(Struct, frozen=True):
    """A right answer with its reference, on which a law of an audit is tried.

    Args:
        right: A right answer.
        reference: The reference, as the scorer gets it.
        others: Right answers to other records, all clearly different.
        question: The question; None if it is not known.
        is_raw: Whether the answer is a whole response, in which a parser looks for the answer.
        prediction: The given answer; None if there is none.
    """

    right: Any
    reference: Any
    others: tuple[Any, ...] = ()
    question: Any = None
    is_raw: bool = False
    prediction: Any = None


# ---- clearly different answers


def number_or_none(value: Any) -> float | None:
    """Return the number that a value is, or that a string represents; else None.

    Examples:
        >>> number_or_none("-3.5"), number_or_none(True), number_or_none("3 km")
        (-3.5, None, None)
    """
    if isinstance(value, str):
        return float(value) if _NUMBER.match(value.strip()) else None
    return float(value) if is_number(value) and abs(value) < 1e300 else None


def _plain(value: Any) -> str:
    """Return a value as a text of lower-case words without punctuation; a map gives the words of its values."""
    return " ".join(_WORD.findall(_text(value)[: 10 * _COMPARED].casefold()))


def _text(value: Any, depth: int = _DEEPEST) -> str:
    if isinstance(value, str):
        return value
    if depth and isinstance(value, (list, dict)):
        inner = value.values() if isinstance(value, dict) else value
        return " ".join(_text(item, depth - 1) for item in islice(inner, _COMPARED))
    return "" if value is None else str(value)


def differs(one: Any, other: Any) -> bool:
    """Return True if two answers are so different that no tolerance may accept one for the other.

    Examples:
        >>> differs("Paris", "paris."), differs("A", "B"), differs(12, 13), differs("12", "30")
        (False, True, False, True)
    """
    left, right = number_or_none(one), number_or_none(other)
    if left is not None and right is not None:
        return abs(left - right) > _ALIKE * max(abs(left), abs(right))
    first, second = _plain(one), _plain(other)
    if not first or not second or first == second:
        return False
    if min(len(first), len(second)) <= 2:
        return first != second and (len(first) == len(second) or set(first.split()).isdisjoint(second.split()))
    if first in second or second in first:
        return False
    words = set(first.split()), set(second.split())
    shared = len(words[0] & words[1]) / min(map(len, words))
    return shared <= _ALIKE / 2 and SequenceMatcher(None, first[:_COMPARED], second[:_COMPARED]).ratio() <= _ALIKE


# ---- forms of answers


def is_prose(value: Any) -> bool:
    """Return True if a value is a plain text made of words and letters, and not the text of a list, map or formula."""
    return isinstance(value, str) and bool(value.strip()) and not _STRUCTURE.match(value)


def is_moves(value: Any) -> bool:
    """Return True if a value is a text of chess moves.

    Examples:
        >>> is_moves("Qh5#, Ra1"), is_moves("e4"), is_moves("a1b2c")
        (True, True, False)
    """
    return isinstance(value, str) and bool(_MOVES.match(value))


def marked(moves: str, mark: str) -> str:
    """Return a text of chess moves with the marks after each, such as `#`, replaced by `mark`.

    Examples:
        >>> marked("Qh5#, Ra1", "+")
        'Qh5+, Ra1+'
    """
    return _MOVE.sub(lambda found: found[1] + mark, moves)


def structure_of(value: Any) -> Any:
    """Return a list or map as it is, or the one that a string represents; None for any other value."""
    if isinstance(value, (list, dict)):
        return value
    if not isinstance(value, str) or len(value) > 10 * _COMPARED or value.lstrip()[:1] not in ("[", "{"):
        return None
    try:
        found = read_literal(value)
    except READING_ERRORS:
        return None
    return found if isinstance(found, (list, dict)) else None


def write_like_reference(value: Any, like: Any) -> Any:
    """Return a list or map written as a string if `like` is a string; else unchanged."""
    return repr(value) if isinstance(like, str) else value


# ---- the laws


def _empty(case: AuditCase) -> Wrong:
    return ["", [], {}, None, " ", "\n"] if _plain(case.right) else []


def _empty_reference(case: AuditCase) -> Iterator[tuple[Any, Any]]:
    """Return an iterator over pairs of an answer and an empty reference, for which the answer is wrong; the reference
    ("", [], [""] or {}) has the type of the case's reference."""
    is_text = isinstance(case.right, str)
    if isinstance(case.reference, list):
        nothing: list[Any] = [[""], []] if is_text else [[]]
    else:
        nothing = [{}] if isinstance(case.reference, dict) else [""]
    # A single letter may be an article, which a scorer may ignore.
    answers = ([JUNK] if is_text else []) + ([case.right] if len(_plain(case.right)) > 1 else [])
    return ((answer, empty) for empty in nothing for answer in answers)


def _others(case: AuditCase) -> Wrong:
    return case.others[:_OTHERS]


def _letter(case: AuditCase) -> Wrong:
    letters = [letter for letter in str(case.right).casefold() if letter.isalpha()]
    if not is_prose(case.right) or len(letters) < 4:
        return []
    often = [letter for letter, _ in Counter(letters).most_common(2)]
    # The reference of a whole response may be a letter itself.
    same = _plain(case.reference)
    return [one for one in dict.fromkeys((*often, str(case.right).strip()[0], "e")) if one.casefold() != same]


def _part(case: AuditCase) -> Wrong:
    whole = structure_of(case.right)
    if isinstance(whole, list) and len(whole) >= 2 and any(item != whole[0] for item in whole):
        return [write_like_reference(whole[:1], case.right)]
    if isinstance(whole, dict) and len(whole) >= 2:
        return [write_like_reference(dict(islice(whole.items(), 1)), case.right)]
    words = _WORD.findall(case.right) if is_prose(case.right) else []
    return dict.fromkeys((words[0], words[-1], max(words, key=len))) if len(words) >= 3 else []


def _glued(right: str) -> Iterator[str]:
    """Yield texts that contain the right answer within a longer word or number, or among other words."""
    if number_or_none(right) is not None:
        more = "7" * max(3, len(right))
        yield from ([f"{right}{more}"] if right.strip().isdecimal() else [])  # further decimals change little
        yield f"{more}{right.strip().lstrip('+-')}"
        return
    if not any(sign.isalpha() for sign in right):
        return  # a letter after 1/2 or 2021-05 may be read as a unit
    if right.strip() == "A":
        yield from ("Apple", "A better look is needed")
    more = (JUNK * (1 + len(right) // len(JUNK)))[: max(4, len(right))]
    yield from (f"{right}{more}", f"{more}{right}")
    if len(right) > 1:  # a single letter among words is a common form of answer
        words = " ".join([JUNK] * (2 + len(right) // len(JUNK)))
        yield from (f"{words} {right}", f"{right} {words}")


def _affix(case: AuditCase) -> Wrong:
    is_short = is_prose(case.right) and _WORD.search(case.right) and len(case.right) <= _COMPARED
    # A parse stage allows words around an answer, but must not find a choice within a longer word.
    return _glued(case.right) if is_short and (not case.is_raw or len(case.right.strip()) == 1) else []


def _stuffing(case: AuditCase) -> Wrong:
    if case.is_raw:
        return []
    whole, others = structure_of(case.right), [one for one in case.others if type(one) is type(case.right)]
    everything = [*others[: _MOST // 2], case.right, *others[_MOST // 2 : _MOST]]
    if isinstance(whole, list) and whole:
        lists = (found for one in everything if isinstance(found := structure_of(one), list))
        more = list({repr(item): item for one in lists for item in one}.values())
        longer = (answer for answer in ([*whole, *more_like(whole)], more) if len(answer) > len(whole))
        return [write_like_reference(answer, case.right) for answer in longer]
    if isinstance(whole, dict) and whole:
        return [write_like_reference({**{f"{JUNK} {place}": JUNK for place in range(2)}, **whole}, case.right)]
    if len(others) >= 2 and all(map(is_prose, everything)) and any(number_or_none(one) is None for one in everything):
        return [between.join(everything) for between in (" ", ", ", "\n")]
    return []


def more_like(items: Sequence[Any]) -> list[Any]:
    """Return made-up items of the same type as the given ones, all different; [] for types other than strings and
    numbers."""
    size = 2 + len(items)
    if all(isinstance(item, str) for item in items):
        return [f"{JUNK} {place}" for place in range(size)]
    numbers = [number_or_none(item) for item in items]
    if None in numbers:
        return []
    return [int(max(map(abs, filter(None, numbers)), default=0)) + 10 + place for place in range(size)]


def _long(case: AuditCase) -> Wrong:
    if not is_prose(case.right) or number_or_none(case.right) is not None:
        return
    yield " ".join([JUNK] * (LONG // len(JUNK)))
    yield "abcdefghijklmnopqrstuvwxyz " * (LONG // 27)
    if not case.is_raw and len(_plain(case.right)) > 1:
        yield " ".join([case.right] * (LONG // max(1, len(case.right)) + 2))


def _anagram(case: AuditCase) -> Wrong:
    if not is_prose(case.right) or case.is_raw:
        return
    letters = [sign for sign in case.right if sign.isalnum()]
    for other in (case.right[::-1], "".join(sorted(letters))):
        plain, same = _plain(other), _plain(case.right)
        if len(set(letters)) >= 4 and SequenceMatcher(None, plain[:_COMPARED], same[:_COMPARED]).ratio() <= 0.7:
            yield other


def _question(case: AuditCase) -> Wrong:
    right = _plain(case.right)
    is_long = isinstance(case.question, str) and right and len(_plain(case.question)) >= 2 * len(right)
    return [case.question] if is_long else []


def _threshold(case: AuditCase) -> Wrong:
    """Return answers of which half is wrong; for a number, twice the number, its negative, 0, NaN and infinity; [] if
    that is impossible."""
    number, whole = number_or_none(case.right), structure_of(case.right)
    if number is not None:
        # Every comparison with NaN is false, so a scorer that tests for too large differences accepts it.
        wrong = (2 * number, -number, 0 * number, math.nan, math.inf) if number and not case.is_raw else ()
        return [f"{one:g}" for one in wrong] if isinstance(case.right, str) else wrong
    if isinstance(whole, list) and len(whole) >= 2:
        half = len(whole) // 2
        return [write_like_reference([*whole[:half], *[JUNK] * (len(whole) - half)], case.right)]
    if isinstance(whole, dict) and len(whole) >= 2:
        kept = list(whole)[: len(whole) // 2]
        return [write_like_reference({name: whole[name] if name in kept else JUNK for name in whole}, case.right)]
    letters = sum(sign.isalnum() for sign in case.right) if is_prose(case.right) and not case.is_raw else 0
    return [typed_over(case.right, (letters + 1) // 2)] if letters >= 4 else []


def make_half_wrong_texts(right: Any) -> tuple[Any, ...]:
    """Return three copies of a text, with a little less than half, exactly half, and a little more mistyped; () if that
    is impossible.

    Examples:
        >>> [one.count("თ") for one in make_half_wrong_texts("London")], make_half_wrong_texts([0, 0, 4, 2])
        ([2, 3, 4], ())
    """
    if is_prose(right) and len(right) % 2 == 0 and 6 <= len(right) <= 40:
        half = len(right) // 2
        enough = sum(letter.isalnum() for letter in right) > half
        return tuple(typed_over(right, half + step) for step in (-1, 0, 1)) if enough else ()
    return ()


LIKE_RIGHT: Final[Mapping[str, Callable[[AuditCase], Wrong]]] = {
    "empty": _empty,
    "empty_reference": _empty_reference,
    "others": _others,
    "letter": _letter,
    "part": _part,
    "affix": _affix,
    "stuffing": _stuffing,
    "long": _long,
    "anagram": _anagram,
    "question": _question,
    "threshold": _threshold,
}
"""The wrong answers of each law: none of them may score like the right answer."""


def like_right(law: str, case: AuditCase) -> Iterator[tuple[Any, Any]]:
    """Yield the wrong answers that the law named `law` tries on a case, each with the reference for which it is
    wrong."""
    several: Sequence[Any] = case.reference if isinstance(case.reference, list) else ()
    for found in LIKE_RIGHT[law](case):
        if law == "empty_reference":
            yield found
        elif found not in several:  # another right answer
            yield found, case.reference


# ---- own references


OWN_TEXTS = ("A", "London", "renewable energy", "the harbour at night", "東京", "Αθήνα")
OWN_NUMBERS = (0, 7, 120)


def own_cases(cases: Sequence[AuditCase]) -> list[tuple[int, AuditCase]]:
    """Return cases with built-in right answers and references of the same form (text, number, list) as the given ones.

    Each comes with the index of the first given case that has its form.

    Examples:
        >>> own_cases([AuditCase("Paris", ["Paris"])])[0][1].reference
        ['A']
    """
    found: dict[str, tuple[int, AuditCase]] = {}
    for place, case in enumerate(cases):
        several = isinstance(case.reference, list) and not isinstance(case.right, list)
        forms: Sequence[Any] = ()
        if number_or_none(case.right) is not None:
            forms = [str(one) if isinstance(case.right, str) else one for one in OWN_NUMBERS]
        elif is_prose(case.right) and not case.is_raw:
            forms = OWN_TEXTS
        elif case.is_raw and len(str(case.right).strip()) == 1:
            forms = ("A",)
        for right in forms:
            reference = [right] if several else right
            rest = tuple(one for one in forms if one != right and differs(one, right))
            found.setdefault(repr(reference), (place, AuditCase(right, reference, rest, is_raw=case.is_raw)))
    return list(found.values())
