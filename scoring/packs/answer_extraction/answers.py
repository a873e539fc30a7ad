"""Extracting answers from responses like released code: open ones of MMMU, options of VLMEvalKit."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

from scoring.extensions.answers.options import AnswerOptions, options_by_label
from scoring.primitives.patterns.prepared import prepare
from scoring.registry import primitive
from scoring.result import Unparsed, Unscored
from scoring.values import Score, show_type

_INDICATORS = ("could be ", "so ", "is ", "thus ", "therefore ", "final ", "answer ", "result ")
_END_MARKS = (":", ",", ".", "!", "?", ";", "'")
_NUMBERS = (
    r"-?\b\d{1,3}(?:,\d{3})+\b",
    r"-?\d+(?:\.\d+)?[eE][+-]?\d+",
    r"-?(?:\d+\.\d+|\.\d+|\d+\b)(?![eE][+-]?\d+)(?![,\d])",
)


@primitive
def mmmu_upstream_open(prediction: str, reference: object, /) -> Score:
    """Return 1 if an answer in the response is a number equal to a reference, or a text that contains it; else 0.

    Answers are the end of each line, and the numbers in it. The end of a line is the shortest text that follows `is`,
    `so`, `answer` and the like, in the last line also `=`. Numbers are equal at two decimals.

    Raises:
        Unparsed: when looking for numbers could take too many steps.
        Unscored: when a reference is not a string.

    Examples:
        >>> mmmu_upstream_open("The sum is 1,200.004", "1200"), mmmu_upstream_open("It is red", ["Red", "blue"])
        (1.0, 1.0)
        >>> mmmu_upstream_open("x = 4", "5")
        0.0

    Source:
        Yue et al., MMMU, 2024, eval_utils.py, parse_open_response and eval_open.
    """
    references = reference if isinstance(reference, list) else [reference]
    wanted: set[str | float] = set()
    for text in references:
        if not isinstance(text, str):
            raise Unscored(f"a reference is a text, and this is {show_type(text)}")
        wanted.update(_normal(text))
    texts = {one for one in wanted if isinstance(one, str)}
    ends = _ends(prediction)
    found = [*ends, *(one[0] for end in ends for pattern in _NUMBERS for one in prepare(pattern).matches(end))]
    for answer in (one for text in found for one in _normal(text)):
        if any(text in answer for text in texts) if isinstance(answer, str) else answer in wanted:
            return 1.0
    return 0.0


def _ends(response: str) -> list[str]:
    """Return for each line the shortest text after an indicator such as `so`; the whole response if there is none."""
    text = response.strip().strip(".").lower()
    *lines, last = text.split("\n")
    found = [*(_end(line, _INDICATORS) for line in lines), _end(last, (*_INDICATORS, "="))]
    return [end for end in found if end and end not in _END_MARKS] or [text]


def _end(line: str, indicators: tuple[str, ...]) -> str:
    shortest = ""
    for indicator in indicators:
        if indicator in line:
            tail = line.rpartition(indicator)[2].strip()
            shortest = tail if not shortest or len(tail) < len(shortest) else shortest
    return shortest


def _normal(text: str) -> Iterator[str | float]:
    """Yield the number that a string represents, rounded to two decimals, or else the string in lower case.

    A single character is yielded twice: with a space before it, and with one after it.
    """
    text = text.strip()
    with contextlib.suppress(ValueError):
        yield round(float(text.replace(",", "")), 2)
        return
    text = text.lower()
    yield from (f" {text}", f"{text} ") if len(text) == 1 else (text,)


_MARKS = str.maketrans(dict.fromkeys(".()[],:;!*#{}", " "))
_ANNOUNCED = re.compile(r"(?i)(?:correct\s{1,99})?answer\s{1,99}is\s{1,99}\**([ABCD])")
_REFUSALS = (
    "Sorry, I can't help with images of people yet.",
    "I can't process this file.",
    "I'm sorry, but without the image provided",
    "Cannot determine the answer",
)


@primitive
def vlmevalkit_upstream_choice(text: str, /, *, options: AnswerOptions) -> str:
    """Return the label that a response chooses: its only label, that after `answer is`, or that of the only option in
    it.

    The only label must first occur among the last four words, with punctuation treated as spaces. A response that
    refuses gives `Z`. Options are looked for by their texts if the response is at most twice as long as all of them.

    Raises:
        Unparsed: when nothing can be inferred, where the released code asks a judge.

    Examples:
        >>> vlmevalkit_upstream_choice("I would say (B).", options={"A": "cat", "B": "dog"})
        'B'
        >>> vlmevalkit_upstream_choice("It's a dog", options={"A": "cat", "B": "dog"})
        'B'

    Source:
        VLMEvalKit, matching_util.py, can_infer with can_infer_option and can_infer_text.
    """
    known = options_by_label(options)
    label = _label(text, known) or _mentioned(text.lower(), known)
    if not label:
        raise Unparsed("no option can be inferred from the response")
    return label


def _label(text: str, known: dict[str, str]) -> str:
    if "Failed to obtain answer via API" in text:
        return ""
    if any(refusal in text for refusal in _REFUSALS):
        return "Z"
    words = text.translate(_MARKS).split()
    labels = known.keys() & set(words)
    if len(labels) == 1:
        (only,) = labels
        if words.index(only) > len(words) - 5:
            return only
    elif not labels and "Z" in words:
        return "Z"
    announced = _ANNOUNCED.search(text)
    return announced[1].upper() if announced and announced[1].upper() in known else ""


def _mentioned(text: str, known: dict[str, str]) -> str:
    if len(text) > 2 * sum(map(len, known.values())):
        return ""
    labels = [label for label, option in known.items() if option.lower() in text]
    return labels[0] if len(labels) == 1 else ""
