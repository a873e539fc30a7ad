"""Wrong answers that are near the right one: with an additional `not`, exchanged words or digits, a skipped item.

A lenient scorer may overlook them like any small difference. So each comes with a control, another fault of the same
size: only if the scorer notices the control, it must notice the wrong answer, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from scoring.compiler.programs.program import Program, primitives_of
from scoring.extensions.audit.rules import AuditRules
from scoring.extensions.audit.wrong import (
    JUNK,
    AuditCase,
    is_prose,
    more_like,
    number_or_none,
    structure_of,
    write_like_reference,
)
from scoring.lazy_pattern import lazy_pattern

NOT_PROSE: Final = frozenset(
    ("code", "extraction", "instructions", "mathematics", "numbers", "places", "plans", "rubrics", "tables", "verse")
)
"""Topics of primitives that read more, or less, than the words of a text, so that laws of words don't apply."""
_WORD = lazy_pattern(r"[^\W\d_]{2,}\Z|\d+\Z")
_DATES = (
    lazy_pattern(r"\s*(?P<year>[12]\d{3})(?P<a>[-/.])(?P<month>\d{2})(?P<b>[-/.])(?P<day>\d{2})\s*\Z", re.ASCII),
    lazy_pattern(r"\s*(?P<day>\d{1,2})(?P<a>[-/.])(?P<month>\d{1,2})(?P<b>[-/.])(?P<year>[12]\d{3})\s*\Z", re.ASCII),
)
_FEWEST_LETTERS = 4
_SEVERAL = ("List", "Set")
_READING = ("transform", "comparator")


class Near(NamedTuple):
    """A wrong and a right answer to `reference`, and `control`, a wrong answer to `instead` with an error of the same
    size, which shows whether the scorer detects such errors at all."""

    wrong: Any
    right: Any
    reference: Any
    control: Any
    instead: Any


Nearby: TypeAlias = Iterable[Near]


def make_near_answers(law: str, case: AuditCase) -> Iterator[Near]:
    """Yield the wrong answers near the right one that the law named `law` tries on a case; none if the case's answer is
    a whole response.

    Examples:
        >>> [one.wrong for one in make_near_answers("negation", AuditCase("open water", "open water"))]
        ['open not water', 'open water']
        >>> [(one.wrong, one.reference) for one in make_near_answers("dates", AuditCase("2021-03-17", "2021-03-17"))][0]
        ('2021-03-04', '2021-04-03')
    """
    if not case.is_raw:
        yield from _NEAR[law](case)


def _like(case: AuditCase, right: Any) -> Any:
    """Return the answer `right` as a reference like that of `case`: in a list if that is a list of right answers."""
    return [right] if isinstance(case.reference, list) and not isinstance(case.right, list) else right


def _of(case: AuditCase, wrong: Any, control: Any, right: Any = None) -> Near:
    """Return a wrong answer with a control, another wrong answer, both to the reference of `case` or, if another right
    answer `right` is given, to that answer as the reference."""
    right = case.right if right is None else right
    reference = case.reference if right is case.right else _like(case, right)
    return Near(wrong, right, reference, control, reference)


def _words(value: Any) -> list[str]:
    """Return the words of a text that consists of words only; [] for any other value, or for too few letters."""
    words = value.split() if is_prose(value) else []
    letters = sum(map(str.isalpha, value)) if words else 0
    return words if letters >= _FEWEST_LETTERS and all(map(_WORD.match, words)) else []


def _typed(word: str, *, last: bool) -> str:
    """Return a word with one typo at its beginning or end: a letter that no normalisation removes, or a digit."""
    position = len(word) - 1 if last else 0
    others = "38" if word.isdecimal() else "qk"
    return word[:position] + others[word[position].casefold() == others[0]] + word[position + 1 :]


def _typo(words: Sequence[str]) -> str:
    """Return words as a text with one typo, the smallest possible error, in the last word."""
    return " ".join([*words[:-1], _typed(words[-1], last=True)])


def _negation(case: AuditCase) -> Nearby:
    words = _words(case.right)
    if len(words) < 2:
        return
    said, other = (" ".join([words[0], more, *words[1:]]) for more in ("not", "zot"))
    plain = " ".join(words)
    yield Near(said, plain, _like(case, plain), other, _like(case, plain))
    yield Near(plain, said, _like(case, said), plain, _like(case, other))


def _word_order(case: AuditCase) -> Nearby:
    words = _words(case.right)
    if len({word.casefold() for word in words}) == len(words) > 2:
        yield _of(case, " ".join(reversed(words)), _typo(words))


def _spaces(case: AuditCase) -> Nearby:
    words = _words(case.right)
    if len(words) >= 2:
        yield _of(case, "".join(words), _typo(words))


def _position(case: AuditCase) -> Nearby:
    yield from _position_of_words(case)
    yield from _position_of_lines(case)
    yield from _position_of_items(case)
    for date in _dates(case):
        yield _of(case, date("8", "04", "2021"), date("3", "04", "2027"), date("3", "04", "2021"))
        yield _of(case, date("3", "04", "2027"), date("8", "04", "2021"), date("3", "04", "2021"))


def _position_of_words(case: AuditCase) -> Nearby:
    words = _words(case.right)
    for position in _positions(words):
        if sum(word.casefold() == words[position].casefold() for word in words) > 1:
            continue  # repeated words may count once
        wrong = (
            "47"[words[position][:1] == "4"] * len(words[position])
            if words[position].isdecimal()
            else _junk(words[position])
        )
        # The control is the smallest fault at the other end; a scorer that overlooks it is lenient and not at fault.
        typed = [_typed(words[0], last=False), *words[1:]] if position == len(words) - 1 else [*words[:-1], ""]
        typed[-1] = typed[-1] or _typed(words[-1], last=True)
        yield _of(case, " ".join([*words[:position], wrong, *words[position + 1 :]]), " ".join(typed))


def _position_of_lines(case: AuditCase) -> Nearby:
    lines = [line.split() for line in case.right.splitlines()] if isinstance(case.right, str) else []
    if not _words(" ".join(word for line in lines for word in line)) or not all(lines):
        return
    for position in _positions(lines):
        other = 0 if position else len(lines) - 1
        wrong = [*lines[:position], [_junk(word) for word in lines[position]], *lines[position + 1 :]]
        typed = [*lines[:other], [_typo(lines[other])], *lines[other + 1 :]]
        yield _of(case, *("\n".join(map(" ".join, changed)) for changed in (wrong, typed)))


def _positions(items: Sequence[Any]) -> list[int]:
    """Return the indexes of the first, the middle and the last item; [] for a single item."""
    return sorted({0, len(items) // 2, len(items) - 1}) if len(items) > 1 else []


def _junk(word: str) -> str:
    return (JUNK * (1 + len(word) // len(JUNK)))[: len(word)]


def _position_of_items(case: AuditCase) -> Nearby:
    whole = structure_of(case.right)
    if not isinstance(whole, list) or not (more := more_like(whole)):
        return
    for position in _positions(whole):
        other = 0 if position else len(whole) - 1
        least = _typed(whole[other], last=True) if isinstance(whole[other], str) and whole[other] else more[0]
        yield _of(
            case,
            write_like_reference([*whole[:position], more[0], *whole[position + 1 :]], case.right),
            write_like_reference([*whole[:other], least, *whole[other + 1 :]], case.right),
        )


def _repeats(case: AuditCase) -> Nearby:
    whole = structure_of(case.right)
    if isinstance(whole, list) and whole and (more := more_like(whole)):
        yield _of(case, *(write_like_reference([*whole, item], case.right) for item in (whole[0], more[0])))


def _digits(case: AuditCase) -> Nearby:
    if not isinstance(case.right, str) or number_or_none(case.right) is None:
        return
    for wrong, right, control in (
        ("1", "1,234", "4"),
        ("1,234", "1", "1234"),
        ("35", "3.5", "3."),
        ("3.5", "35", "365"),
        ("2.0", "2.9", "3.9"),
        ("1.234", "1,234", "19234"),  # as near as the wrong answer, by a substitution at the same position
    ):
        yield _of(case, wrong, control, right)


def _dates(case: AuditCase) -> Iterator[Callable[[str, str, str], str]]:
    """Yield a function that writes a day, month and year in the form of the case's right answer; nothing if that is not
    a date."""
    found = isinstance(case.right, str) and next(filter(None, (form.match(case.right) for form in _DATES)), None)
    if not found:
        return
    least = min(len(found["day"]), len(found["month"]))  # 17/3 has no leading zeros
    widths = {"day": least, "month": least, "year": 4}
    names = sorted(widths, key=found.start)

    def date(*parts: str) -> str:
        said = {part: one.lstrip("0").zfill(widths[part]) for part, one in zip(widths, parts, strict=True)}
        return found["a"].join(said[part] for part in names)

    yield date


def _dates_swapped(case: AuditCase) -> Nearby:
    for date in _dates(case):
        yield _of(case, date("4", "3", "2021"), date("7", "5", "2021"), date("3", "4", "2021"))


_NEAR: Final[Mapping[str, Callable[[AuditCase], Nearby]]] = {
    "negation": _negation,
    "word_order": _word_order,
    "spaces": _spaces,
    "position": _position,
    "repeats": _repeats,
    "digits": _digits,
    "dates": _dates_swapped,
}
NEAR_LAWS: Final = tuple(_NEAR)
"""The laws of answers that are near the right one."""


# ---- laws excused by declarations of primitives


def excused(programs: Sequence[Program]) -> AuditRules:
    """Return, as exceptions, the laws that need not hold for a scorer because of what its steps declare, each with the
    reason."""
    found: dict[str, str] = {}
    for primitive in primitives_of(programs):
        name = f"`{primitive.name}`"
        if primitive.kind in _READING and (about := NOT_PROSE.intersection(primitive.topics)):
            why = f"{name} is about {min(about)}, not about the words of a text"
            found |= dict.fromkeys(("negation", "word_order", "spaces"), why)
            if primitive.output.name not in _SEVERAL:  # every item of a list counts
                found |= dict.fromkeys(("position", "repeats"), why)
        for law, (laws, why) in _SAID.items():
            if law in primitive.laws:
                found |= dict.fromkeys(laws, f"{name} {why}")
        if primitive.kind != "transform":
            continue
        made, of = primitive.output.name, primitive.inputs[0].name
        if made in _SEVERAL and of not in _SEVERAL:
            found.setdefault("word_order", f"{name} makes a {made.lower()} of a text")
        if made == "Set":
            found["repeats"] = f"{name} makes a set, in which nothing appears twice"
    for node in (node for program in programs for node in program.all_nodes()):
        if node.primitive.kind == "transform" and any(_has_space(value) for value in node.static.values()):
            found.setdefault("spaces", f"`{node.step or node.primitive.name}` is configured for spaces")
    return AuditRules(found)


def _has_space(setting: Any) -> bool:
    return isinstance(setting, str) and (" " in setting or "\\s" in setting)


_SAID: Final[Mapping[str, tuple[tuple[str, ...], str]]] = {
    "unordered": (("word_order",), "compares without an order"),
    "spaceless": (("spaces",), "compares letters without the spaces between them"),
    "unrepeated": (("repeats",), "counts duplicates once"),
    "below_one": (("reference",), "gives equal texts less than 1"),
}
"""The laws that declared properties of a primitive excuse."""
