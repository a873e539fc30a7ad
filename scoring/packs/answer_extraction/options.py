"""The option that a response chooses, by the rules of released toolkits."""

from __future__ import annotations

import re

from scoring.primitives.answers.options import AnswerOptions, labelled
from scoring.registry import primitive
from scoring.result import Unparsed

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
    """The label that a response chooses: the only one among its words, or behind `answer is`, or the only option named.

    The only label has to stand among the last four words when it first occurs, marks being spaces. A response that
    refuses gives `Z`. Options are looked for by their texts in a response that is at most twice as long as all of them.

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
    known = labelled(options)
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
    held = known.keys() & set(words)
    if len(held) == 1:
        (only,) = held
        if words.index(only) > len(words) - 5:
            return only
    elif not held and "Z" in words:
        return "Z"
    announced = _ANNOUNCED.search(text)
    return announced[1].upper() if announced and announced[1].upper() in known else ""


def _mentioned(text: str, known: dict[str, str]) -> str:
    if len(text) > 2 * sum(map(len, known.values())):
        return ""
    named = [label for label, option in known.items() if option.lower() in text]
    return named[0] if len(named) == 1 else ""
