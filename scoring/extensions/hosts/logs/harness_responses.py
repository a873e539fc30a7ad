"""Read the model's responses in a line of samples of lm-evaluation-harness: texts, or log-likelihoods of options."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

_TRUTHS = ("True", "False", True, False)


class NoResponse(ValueError):
    """The error that a line has nothing of the model that could be scored; the message says what it has."""


class Option(NamedTuple):
    """An option of multiple choice: its number, which is what targets have, as a text, and its own text."""

    number: str
    text: Any


def responses_of(line: dict[str, Any], filtered: bool) -> list[Any]:
    """Return the texts of a line in order, as the model gave them or as the filter left them.

    Raises:
        NoResponse: when it has likelihoods in place of texts.

    Examples:
        >>> responses_of({"resps": [["a", "b"]], "filtered_resps": ["A"]}, False)
        ['a', 'b']
        >>> responses_of({"resps": [["a", "b"]], "filtered_resps": ["A"]}, True)
        ['A']
    """
    requests = line.get("filtered_resps" if filtered else "resps")
    found = requests[0] if isinstance(requests, list) and requests else None
    responses = found if isinstance(found, list) else [found]
    if _is_likelihood(responses) or any(map(_is_likelihood, responses)) or _is_rolling(line):
        raise NoResponse("the sample has the log-likelihood of a text, and no response")
    return responses


def chosen_option(line: dict[str, Any], filtered: bool) -> Option | None:
    """Return the likeliest option of a line of multiple choice, the first of several; None for other lines.

    Raises:
        NoResponse: when a likelihood is no number.

    Examples:
        >>> resps = [[["-3.5", "False"]], [["-1.25", "True"]]]
        >>> asked = {f"gen_args_{place}": {"arg_0": "Two?", "arg_1": text} for place, text in enumerate((" 1", " 2"))}
        >>> chosen_option({"resps": resps, "arguments": asked}, False)
        Option(number='1', text='2')
    """
    requests = line.get("filtered_resps" if filtered else "resps")
    if not isinstance(requests, list) or len(requests) < 2:
        return None
    pairs: list[Any] = [one if filtered else one[0] if isinstance(one, list) and one else None for one in requests]
    if not all(map(_is_likelihood, pairs)):
        return None
    metrics = line.get("metrics")
    if isinstance(metrics, list) and "acc_mutual_info" in metrics:  # the options follow once more, without the question
        pairs = pairs[: len(pairs) // 2]
    likelihoods = [float(pair[0]) for pair in pairs]
    if any(map(math.isnan, likelihoods)):
        raise NoResponse("the log-likelihood of an option is not a number")
    place = likelihoods.index(max(likelihoods))
    return Option(str(place), _text_of(line, place))


def _text_of(line: dict[str, Any], place: int) -> Any:
    arguments = line.get("arguments")
    asked = arguments.get(f"gen_args_{place}") if isinstance(arguments, dict) else None
    text = asked.get("arg_1") if isinstance(asked, dict) else None
    return text.strip() if isinstance(text, str) else None  # the delimiter before it is no part of the option


def _is_likelihood(pair: Any) -> bool:
    """Return whether a value is a log-likelihood and whether it is that of the greedy text, which files have as
    texts."""
    if not (isinstance(pair, list) and len(pair) == 2 and pair[1] in _TRUTHS):
        return False
    try:
        float(pair[0])
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def _is_rolling(line: dict[str, Any]) -> bool:
    """Return whether a line has the likelihood of a whole text: its request has nothing but that text."""
    arguments = line.get("arguments")
    asked = arguments.get("gen_args_0") if isinstance(arguments, dict) else None
    return isinstance(asked, dict) and list(asked) == ["arg_0"]
