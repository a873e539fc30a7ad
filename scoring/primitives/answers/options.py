"""Answers that choose among options: the letter that a response gives, or the option whose text it holds."""

from __future__ import annotations

import functools
import re
from collections import deque
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from scoring.primitives.patterns.prepared import ReadyPattern, prepare
from scoring.primitives.text.edit import check_size
from scoring.registry import AtLeast, Says, SettingFault, checks, primitive
from scoring.result import Unparsed, Unscored
from scoring.values import show_type

AnswerOptions: TypeAlias = Annotated[
    Any, Says("The options: a mapping from labels to texts, or a list of texts, whose labels are A, B, C and so on.")
]

MOST_LOOKED_AT = 100_000_000
"""Characters that looking for options may go over: those of the text, for each option."""

# Emphasis, quotes, dollars and LaTeX round a letter say nothing about it.
_DRESS = re.compile(r"""[*_`$"“”]|\\(?:text|textbf|mathrm|mathbf|boxed)\s*\{|[{}]|\\[()\[\]]""")
_BOX = r"\\boxed\s{0,9}\{\s{0,9}(?:\\(?:text|textbf|mathrm|mathbf)\s{0,9}\{)?\s{0,9}\(?(%s)\)?\s{0,9}\}"
_ANNOUNCED = (
    r"(?i:\b(?:answer|choice|option)s?\b(?:\s{1,9}(?:is|would be|should be|must be)\b)?\s{0,9}[:：=]?\s{0,9}"
    r"(?:(?:option|choice|letter)\b\s{0,9}[:：]?\s{0,9})?[(\[]?\s{0,9})"
    r"(?:(%s)(?![\w'’])|(%s)(?=\s{0,9}(?:[.,;:)\]]|$)))"
)
_FIRST = r"\A\s{0,9}[(\[]?(?:(%s)(?:[)\].:,]|\s{0,9}(?:\n|$))|(%s)(?:[)\]]|\s{0,9}$))"
_BRACKETS = r"(?<![Nn]ot )[(\[](%s)[)\]]"
# The article and the pronoun are no letters: `A` and `I` before a small letter.
_ALONE = r"(?<![\w'’.-])(?<![Nn]ot )(?![AI]\s{1,9}[a-zà-ÿ])(%s)(?![\w'’-])"


@primitive(
    topics=("choices", "extraction"),
    aka=("multiple choice", "multi_choice_regex", "answer letter", "option letter", "mcq", "can_infer"),
)
def choice_letter(text: str, /, *, letters: str = "ABCDEFGHIJ") -> str:
    """The letter of the option that a response chooses, as a capital.

    What is looked for, in this order, and of each kind the last: a letter in a box, `\\\\boxed{B}`; one that is
    announced, `the answer is B`, `Answer: (b)`, `option B`; one that the response begins with, `B. Paris`; one in
    brackets, `(B)`; a capital that stands alone, both of these not behind `not`. Emphasis, quotes, dollars and LaTeX
    round it don't matter. The article `A` and the pronoun `I` are no letters, nor is a small letter, unless brackets or
    a full stop follow it.

    Args:
        letters: The letters of the options, as capitals.

    Raises:
        Unparsed: when the response chooses none, or looking could take more steps than a search may.

    Examples:
        >>> choice_letter("Let me think. The answer is **(C)**."), choice_letter("B. Paris"), choice_letter("(d)")
        ('C', 'B', 'D')
        >>> choice_letter("A train leaves. I choose E", letters="ABCDE")
        'E'
    """
    bare = _DRESS.sub("", text)
    for place, pattern in enumerate(_letter_patterns(letters)):
        last = deque(pattern.matches(text if place == 0 else bare), maxlen=1)
        if last:
            return str(next(filter(None, last[0].groups()))).upper()
    raise Unparsed("the response chooses no letter")


@functools.lru_cache(maxsize=64)
def _letter_patterns(letters: str) -> tuple[ReadyPattern, ...]:
    upper, lower = f"[{letters.upper()}]", f"[{letters.lower()}]"
    both = f"[{letters.upper()}{letters.lower()}]"
    filled = (_BOX % both, _ANNOUNCED % (upper, lower), _FIRST % (upper, lower), _BRACKETS % both, _ALONE % upper)
    return tuple(map(prepare, filled))


@checks(choice_letter)
def _(*, letters: str | None) -> SettingFault | None:
    if letters is None or (letters.isalpha() and letters.isascii() and letters.isupper()):
        return None
    return SettingFault("letters", '`letters` are capitals from A to Z, such as "ABCD"', "no capitals")


def labelled(options: Any) -> dict[str, str]:
    """Return the texts of options by their labels.

    Raises:
        Unscored: for what are no options.

    Examples:
        >>> labelled(["red", "blue"]), labelled({"1": "red"})
        ({'A': 'red', 'B': 'blue'}, {'1': 'red'})
    """
    if isinstance(options, Mapping):
        return {str(label): _plain(option) for label, option in options.items()}
    if isinstance(options, list | tuple) and len(options) <= 26:
        return {chr(ord("A") + place): _plain(option) for place, option in enumerate(options)}
    many = isinstance(options, list | tuple)
    raise Unscored("more than 26 options in a list have no letters" if many else f"no options: {show_type(options)}")


def _plain(option: Any) -> str:
    if isinstance(option, str):
        return option
    if isinstance(option, int | float) and not isinstance(option, bool):
        return str(option)
    raise Unscored(f"an option is a text or a number, and this is {show_type(option)}")


@primitive(topics=("choices",), aka=("letter to text", "index2ans"))
def option_text(label: str, /, *, options: AnswerOptions) -> str:
    """The text of the option that a label stands for.

    Raises:
        Unparsed: when no option has this label.

    Examples:
        >>> option_text("B", options=["red", "blue"])
        'blue'
    """
    known = labelled(options)
    if label not in known:
        raise Unparsed(f"no option has the label {label[:20]!r}")
    return known[label]


@primitive(topics=("choices", "extraction"), aka=("can_infer_text", "choice text"))
def named_option(
    text: str,
    /,
    *,
    options: AnswerOptions,
    pick: Literal["first", "last", "only"] = "last",
    least_words: Annotated[float, AtLeast(0)] = 0,
) -> str:
    """The label of the option whose text stands in a response, whatever its case.

    Args:
        pick: Which one where there are several: that which is mentioned first, or last, or none (`only`).
        least_words: How many words a response must have to be looked through.

    Raises:
        Unparsed: when the response holds no option, or several where only one may be.

    Examples:
        >>> named_option("Not the red one: it is blue.", options=["red", "blue", "green"])
        'B'
        >>> named_option("rouge", options={"A": "Rouge", "B": "noir"}, pick="only")
        'A'

    Source:
        Yue et al., MMMU, 2024, evaluation code: the content of an option in place of its letter.
    """
    known = {label: option.lower() for label, option in labelled(options).items() if option}
    if len(text) * len(known) > MOST_LOOKED_AT:
        raise Unparsed(f"{len(known)} options in {len(text):,} characters are more than are looked for")
    held, find = text.lower(), str.find if pick == "first" else str.rfind
    places = {label: find(held, option) for label, option in known.items() if option in held}
    if not places or len(text.split()) < least_words:
        raise Unparsed("the response holds the text of no option")
    if pick == "only" and len(places) > 1:
        raise Unparsed(f"the response holds the texts of {len(places)} options")
    return (min if pick == "first" else max)(places, key=lambda label: places[label])


@primitive(uses=("rapidfuzz",), topics=("choices",), aka=("get_most_similar", "closest choice", "fuzzy choice"))
def nearest_option(text: str, /, *, options: AnswerOptions) -> str:
    """The label of the option whose text takes the fewest edits from a response, the first of several.

    Raises:
        Unparsed: when there are no options.
        Unscored: when the texts are so long that aligning them would take seconds.

    Examples:
        >>> nearest_option("blu", options=["red", "blue"])
        'B'

    Source:
        Lu et al., MathVista, 2024, evaluation code, get_most_similar.
    """
    from rapidfuzz.distance import Levenshtein

    known = labelled(options)
    if not known:
        raise Unparsed("there are no options")
    for option in known.values():
        check_size(text, option)
    return min(known, key=lambda label: Levenshtein.distance(text, known[label]))


@primitive(topics=("choices",), aka=("random guess", "random baseline", "guessing"))
def chance(options: Any, /) -> float:
    """The score that a guess among options has on average: 1 over how many there are.

    Where a released evaluation guesses when it could not read a choice, this is what the guess is worth, without dice:
    `attempt(…, otherwise=record.options | chance)`.

    Raises:
        Unscored: when there are no options.

    Examples:
        >>> chance(["red", "blue", "green", "white"])
        0.25
    """
    count = len(labelled(options))
    if not count:
        raise Unscored("there are no options to guess among")
    return 1 / count
