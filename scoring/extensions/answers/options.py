"""Primitives for multiple choice: the letter that a response gives, or the option whose text it contains."""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from scoring.lazy_pattern import lazy_pattern
from scoring.primitives.patterns.prepared import ReadyPattern, prepare
from scoring.primitives.text.edit import check_size
from scoring.registry import AtLeast, Doc, SettingFault, checks, primitive
from scoring.result import Unparsed, Unscored
from scoring.values import show_type

AnswerOptions: TypeAlias = Annotated[
    Any, Doc("The options: a mapping from labels to texts, or a list of texts, whose labels are A, B, C and so on.")
]

MOST_LOOKED_AT = 100_000_000
"""The limit on characters searched for options: the length of the text times the number of options."""

# Emphasis, quotes, dollar signs and LaTeX around a letter are removed before the search.
_DRESS = lazy_pattern(r"""[*_`$"“”]|\\(?:text|textbf|mathrm|mathbf|boxed)\s*\{|[{}]|\\[()\[\]]""")
_BOX = r"\\boxed\s{0,9}\{\s{0,9}(?:\\(?:text|textbf|mathrm|mathbf)\s{0,9}\{)?\s{0,9}\(?(%s)\)?\s{0,9}\}"
_ANNOUNCED = (
    r"(?i:\b(?:answer|choice|option)s?\b(?:\s{1,9}(?:is|would be|should be|must be)\b)?\s{0,9}[:：=]?\s{0,9}"
    r"(?:(?:option|choice|letter)\b\s{0,9}[:：]?\s{0,9})?[(\[]?\s{0,9})"
    r"(?:(%s)(?![\w'’])|(%s)(?=\s{0,9}(?:[.,;:)\]]|$)))"
)
_FIRST = r"\A\s{0,9}[(\[]?(?:(%s)(?:[)\].:,]|\s{0,9}(?:\n|$))|(%s)(?:[)\]]|\s{0,9}$))"
_BRACKETS = r"(?<![Nn]ot )[(\[](%s)[)\]]"
# `A` and `I` before a lower-case word are the article and the pronoun, not the letters of options.
_ALONE = r"(?<![\w'’.-])(?<![Nn]ot )(?![AI]\s{1,9}[a-zà-ÿ])(%s)(?![\w'’-])"


@primitive(
    topics=("choices", "extraction"),
    aka=("multiple choice", "multi_choice_regex", "answer letter", "option letter", "mcq", "can_infer"),
)
def choice_letter(text: str, /, *, letters: str = "ABCDEFGHIJ") -> str:
    """Extract the letter of the option that a response chooses, as a capital.

    The forms are tried in this order, and the last match of the first form that occurs is taken: a letter in a box,
    `\\boxed{B}`; an announced letter, `the answer is B`, `Answer: (b)`, `option B`; a letter at the start of the
    response, `B. Paris`; a letter in brackets, `(B)`; a capital that is a separate word. The last two do not count
    after `not`. Emphasis, quotes, dollar signs and LaTeX around the letter don't matter. The article `A` and the
    pronoun `I` do not count, nor do lower-case letters, except in a box, in brackets or before punctuation.

    Args:
        letters: The letters of the options, as capitals.

    Raises:
        Unparsed: when the response chooses no option, or the search could take more steps than are allowed.

    Examples:
        >>> choice_letter("Let me think. The answer is **(C)**."), choice_letter("B. Paris"), choice_letter("(d)")
        ('C', 'B', 'D')
        >>> choice_letter("A train leaves. I choose E", letters="ABCDE")
        'E'
    """
    plain = _DRESS.sub("", text)
    for position, pattern in enumerate(_letter_patterns(letters)):
        last = deque(pattern.matches(text if position == 0 else plain), maxlen=1)
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


def options_by_label(options: Any) -> dict[str, str]:
    """Return the texts of options by their labels; the options of a list get the labels A, B, C and so on.

    Raises:
        Unscored: when the value is not a mapping or a list of options.

    Examples:
        >>> options_by_label(["red", "blue"]), options_by_label({"1": "red"})
        ({'A': 'red', 'B': 'blue'}, {'1': 'red'})
    """
    if isinstance(options, Mapping):
        return {str(label): _plain(option) for label, option in options.items()}
    if isinstance(options, list | tuple) and len(options) <= 26:
        return {chr(ord("A") + position): _plain(option) for position, option in enumerate(options)}
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
    """Return the text of the option with the given label.

    Raises:
        Unparsed: when no option has this label.

    Examples:
        >>> option_text("B", options=["red", "blue"])
        'blue'
    """
    known = options_by_label(options)
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
    """Return the label of the option whose text occurs in a response, ignoring case.

    Args:
        pick: Which option counts where there are several: the one mentioned first, the one mentioned last, or none
            (`only`).
        least_words: The minimum number of words of a response; a shorter one names no option.

    Raises:
        Unparsed: when the response contains no option, or several although `pick` is `only`.

    Examples:
        >>> named_option("Not the red one: it is blue.", options=["red", "blue", "green"])
        'B'
        >>> named_option("rouge", options={"A": "Rouge", "B": "noir"}, pick="only")
        'A'

    Source:
        Yue et al., MMMU, 2024, evaluation code: the content of an option in place of its letter.
    """
    known = {label: option.lower() for label, option in options_by_label(options).items() if option}
    if len(text) * len(known) > MOST_LOOKED_AT:
        raise Unparsed(f"{len(known)} options in {len(text):,} characters are more than are looked for")
    lowered, find = text.lower(), str.find if pick == "first" else str.rfind
    positions = {label: find(lowered, option) for label, option in known.items() if option in lowered}
    if not positions or len(text.split()) < least_words:
        raise Unparsed("the response holds the text of no option")
    if pick == "only" and len(positions) > 1:
        raise Unparsed(f"the response holds the texts of {len(positions)} options")
    return (min if pick == "first" else max)(positions, key=lambda label: positions[label])


@primitive(uses=("rapidfuzz",), topics=("choices",), aka=("get_most_similar", "closest choice", "fuzzy choice"))
def nearest_option(text: str, /, *, options: AnswerOptions) -> str:
    """Return the label of the option whose text has the smallest edit distance from a response; the first if tied.

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

    known = options_by_label(options)
    if not known:
        raise Unparsed("there are no options")
    for option in known.values():
        check_size(text, option)
    return min(known, key=lambda label: Levenshtein.distance(text, known[label]))


@primitive(topics=("choices",), aka=("random guess", "random baseline", "guessing"))
def chance(options: Any, /) -> float:
    """Return the expected score of a random guess among options: 1 divided by their number.

    Where a released evaluation guesses at random when it cannot read a choice, this is the guess's expected score,
    without randomness: `attempt(…, otherwise=record.options | chance)`.

    Raises:
        Unscored: when there are no options.

    Examples:
        >>> chance(["red", "blue", "green", "white"])
        0.25
    """
    count = len(options_by_label(options))
    if not count:
        raise Unscored("there are no options to guess among")
    return 1 / count
