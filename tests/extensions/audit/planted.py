"""Forty-six faults that are planted in sound scorers and figures, and twenty usual scorers that have none.

Each fault is one that was met, or is easily made: what is left out, cut off, exchanged or counted twice. They are
registered when this file is imported, so only the process that prints the table imports it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from scoring.metrics.summary import mean_of
from scoring.registry import primitive
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic
from scoring.values import Score

PLANTED: list[dict[str, Any]] = []
"""Each fault as an entry of the table: what it is, the scorer or figure, and the data."""


def described(function: Callable[..., Any], told: str, example: str) -> Callable[..., Any]:
    """Give a function with a fault the documentation that a primitive has."""
    function.__doc__ = (
        f"{told[0].upper()}{told[1:]}.\n\n    Examples:\n        >>> {function.__name__}({example})\n    "
    )
    return function


def scorer(fault: str, data: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Plant a fault in a scorer, which is then tried on the data of that name."""

    def plant(function: Callable[..., Any]) -> Callable[..., Any]:
        primitive(described(function, fault, '"a", "a"'))
        PLANTED.append({"bug": fault, "score": function.__name__, "data": data})
        return function

    return plant


def figure(fault: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Plant a fault in a figure of scores."""

    def plant(function: Callable[..., Any]) -> Callable[..., Any]:
        primitive(reads="scores", better="higher")(described(function, fault, "Rows.of_scores([1])"))
        PLANTED.append({"bug": fault, "score": SOUND, "metrics": [function.__name__], "data": "cities"})
        return function

    return plant


SOUND: Final = "casefold | collapse_spaces | equal"


def words(text: str) -> list[str]:
    """The words of a text, in lower case."""
    return text.casefold().split()


def numeral(text: str) -> float:
    """The number of a text; NaN where it is none."""
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return float("nan")


# ---- texts


@scorer("words that say little are dropped, `not` among them", "sentences")
def planted_stop_words(prediction: str, reference: str, /) -> Score:
    little = {"a", "an", "the", "of", "at", "in", "is", "are", "not", "no", "and", "from"}
    return float([w for w in words(prediction) if w not in little] == [w for w in words(reference) if w not in little])


@scorer("words are sorted before they are compared", "sentences")
def planted_sorted_words(prediction: str, reference: str, /) -> Score:
    return float(sorted(words(prediction)) == sorted(words(reference)) != [])


@scorer("all spaces are taken out", "sentences")
def planted_no_spaces(prediction: str, reference: str, /) -> Score:
    return float("".join(words(prediction)) == "".join(words(reference)) != "")


@scorer("the first word is skipped", "sentences")
def planted_skips_first_word(prediction: str, reference: str, /) -> Score:
    return float(bool(words(prediction)) and words(prediction)[1:] == words(reference)[1:])


@scorer("the last word is skipped", "sentences")
def planted_skips_last_word(prediction: str, reference: str, /) -> Score:
    return float(bool(words(prediction)) and words(prediction)[:-1] == words(reference)[:-1])


@scorer("the first word alone is compared", "sentences")
def planted_first_word(prediction: str, reference: str, /) -> Score:
    return float(bool(words(prediction)) and words(prediction)[:1] == words(reference)[:1])


@scorer("the longest word alone is compared", "sentences")
def planted_longest_word(prediction: str, reference: str, /) -> Score:
    return float(max(words(prediction), key=len, default="") == max(words(reference), key=len, default=""))


@scorer("texts are cut after eight signs", "sentences")
def planted_cut(prediction: str, reference: str, /) -> Score:
    return float(prediction.casefold()[:8] == reference.casefold()[:8])


@scorer("one shared word is enough", "sentences")
def planted_one_word(prediction: str, reference: str, /) -> Score:
    return float(bool(set(words(prediction)) & set(words(reference))))


@scorer("only lengths are compared", "cities")
def planted_length(prediction: str, reference: str, /) -> Score:
    return float(len(prediction.strip()) == len(reference.strip()))


@scorer("a part of the reference is enough", "cities")
def planted_inside(prediction: str, reference: str, /) -> Score:
    return float(prediction.casefold().strip() in reference.casefold())


@scorer("an answer that holds the reference is right", "cities")
def planted_holds(prediction: str, reference: str, /) -> Score:
    return float(reference.casefold() in prediction.casefold())


@scorer("a beginning is enough", "cities")
def planted_beginning(prediction: str, reference: str, /) -> Score:
    return float(bool(prediction.strip()) and reference.casefold().startswith(prediction.casefold().strip()))


@scorer("letters are compared as a set", "cities")
def planted_letters(prediction: str, reference: str, /) -> Score:
    return float(set(prediction.casefold().strip()) == set(reference.casefold().strip()))


@scorer("letters are counted, in no order", "cities")
def planted_letter_counts(prediction: str, reference: str, /) -> Score:
    return float(sorted(prediction.casefold().strip()) == sorted(reference.casefold().strip()))


@scorer("letters outside of a to z are dropped", "cities")
def planted_ascii(prediction: str, reference: str, /) -> Score:
    return float(re.sub("[^a-z]", "", prediction.casefold()) == re.sub("[^a-z]", "", reference.casefold()))


@scorer("digits are dropped", "rooms")
def planted_no_digits(prediction: str, reference: str, /) -> Score:
    return float(re.sub(r"[\d\s]", "", prediction.casefold()) == re.sub(r"[\d\s]", "", reference.casefold()))


@scorer("short answers are always right", "cities")
def planted_short(prediction: str, reference: str, /) -> Score:
    return float(len(prediction.strip()) <= 2 or words(prediction) == words(reference))


@scorer("an empty answer is right", "cities")
def planted_empty(prediction: str, reference: str, /) -> Score:
    return float(not prediction.strip() or words(prediction) == words(reference))


@scorer("an empty reference is met by everything", "cities")
def planted_empty_reference(prediction: str, reference: str, /) -> Score:
    return float(not reference or (words(prediction) == words(reference) != []))


@scorer("what raises is right", "numbers")
def planted_raises(prediction: str, reference: str, /) -> Score:
    try:
        return float(float(prediction) == float(reference))
    except ValueError:
        return 1.0


@scorer("a similarity of one in ten is enough", "sentences")
def planted_similar(prediction: str, reference: str, /) -> Score:
    same = sum(one == other for one, other in zip(prediction.casefold(), reference.casefold(), strict=False))
    return float(same >= 0.1 * max(1, len(reference)))


@scorer("a similarity is divided by the length of the answer", "cities")
def planted_own_length(prediction: str, reference: str, /) -> Score:
    same = sum(one == other for one, other in zip(prediction.casefold(), reference.casefold(), strict=False))
    return same / max(1, len(prediction))


@scorer("half of the points is the most that there is", "cities")
def planted_half(prediction: str, reference: str, /) -> Score:
    return 0.5 * (words(prediction) == words(reference) != [])


# ---- numbers and dates


@scorer("`1,234` is read as 1", "numbers")
def planted_first_digits(prediction: str, reference: str, /) -> Score:
    found = [re.search(r"-?\d+(\.\d+)?", text) for text in (prediction, reference)]
    return float(None not in found and len({one[0] for one in found if one}) == 1)


@scorer("the decimal point is dropped", "numbers")
def planted_no_point(prediction: str, reference: str, /) -> Score:
    return float(re.sub(r"[^\d-]", "", prediction) == re.sub(r"[^\d-]", "", reference) != "")


@scorer("decimals are cut off", "numbers")
def planted_whole(prediction: str, reference: str, /) -> Score:
    one, other = numeral(prediction), numeral(reference)
    return float(one == one and other == other and abs(one) < 1e9 and int(one) == int(other))


@scorer("the sign of a number is dropped", "numbers")
def planted_no_sign(prediction: str, reference: str, /) -> Score:
    return float(abs(numeral(prediction)) == abs(numeral(reference)))


@scorer("a tolerance of the number itself", "numbers")
def planted_tolerance(prediction: str, reference: str, /) -> Score:
    return float(abs(numeral(prediction) - numeral(reference)) <= abs(numeral(reference)))


@scorer("what is not a number passes", "numbers")
def planted_nan(prediction: str, reference: str, /) -> Score:
    return float(not abs(numeral(prediction) - numeral(reference)) > 0.01)


@scorer("day and month may be swapped", "dates")
def planted_day_month(prediction: str, reference: str, /) -> Score:
    return float(sorted(prediction.strip().split("-")) == sorted(reference.strip().split("-")) != [""])


@scorer("of a date only the year is compared", "dates")
def planted_year(prediction: str, reference: str, /) -> Score:
    return float(prediction.strip()[:4] == reference[:4])


# ---- lists and maps


@scorer("items that come again are overlooked", "lists")
def planted_repeats(prediction: list[Any], reference: list[Any], /) -> Score:
    return float(list(dict.fromkeys(map(str, prediction))) == list(dict.fromkeys(map(str, reference))) != [])


@scorer("the first item of a list is skipped", "lists")
def planted_skips_first(prediction: list[Any], reference: list[Any], /) -> Score:
    return float(bool(prediction) and prediction[1:] == reference[1:])


@scorer("the last item of a list is skipped", "lists")
def planted_skips_last(prediction: list[Any], reference: list[Any], /) -> Score:
    return float(bool(prediction) and prediction[:-1] == reference[:-1])


@scorer("lists are compared as far as the shorter one reaches", "lists")
def planted_zip(prediction: list[Any], reference: list[Any], /) -> Score:
    return float(bool(prediction) and all(a == b for a, b in zip(prediction, reference, strict=False)))


@scorer("items beside the right ones do not count", "lists")
def planted_recall(prediction: list[Any], reference: list[Any], /) -> Score:
    return float(bool(prediction) and all(item in prediction for item in reference))


@scorer("items that are missing do not count", "lists")
def planted_precision(prediction: list[Any], reference: list[Any], /) -> Score:
    return float(bool(prediction) and all(item in reference for item in prediction))


@scorer("of maps only the keys are compared", "maps")
def planted_keys(prediction: dict[str, Any], reference: dict[str, Any], /) -> Score:
    return float(set(prediction) == set(reference) != set())


@scorer("keys that are missing do not count", "maps")
def planted_missing_keys(prediction: dict[str, Any], reference: dict[str, Any], /) -> Score:
    return float(bool(prediction) and all(reference.get(key) == value for key, value in prediction.items()))


# ---- figures

PLANTED += [
    {
        "bug": "the best of each group counts for all of it, as a formula says",
        "score": SOUND,
        "metrics": [{"best": "mean(per(record.group, max(score)))"}],
        "data": "cities",
    },
    {
        "bug": "a sum is divided by a constant",
        "score": SOUND,
        "metrics": [{"share": "sum(score) / 10"}],
        "data": "cities",
    },
    {"bug": "the median of scores that are 0 or 1", "score": SOUND, "metrics": ["quantile(q=0.5)"], "data": "cities"},
]


@figure("scores of 0 are taken for missing ones")
def planted_mean_of_hits(rows: Rows, /) -> Statistic:
    held = [(name, score) for name, score in zip(rows.ids, rows.values(), strict=True) if score]
    return mean_of([name for name, _ in held], np.array([score for _, score in held]))


@figure("a mean is rounded to 0 or 1")
def planted_rounded(rows: Rows, /) -> Statistic:
    return mean_of(["all"], np.array([float(np.mean(rows.values()) >= 0.5)]))


@figure("the best of each three counts for all of them")
def planted_best(rows: Rows, /) -> Statistic:
    best: dict[int, float] = {}
    for place, score in enumerate(rows.values()):
        best[place % 3] = max(score, best.get(place % 3, 0.0))
    return mean_of(list(best), np.array(list(best.values())))


USUAL: Final[tuple[dict[str, Any], ...]] = (
    {"score": "equal", "data": "sentences"},
    {"score": "casefold | equal", "data": "cities"},
    {"score": "levenshtein", "data": "sentences"},
    {"score": "casefold | levenshtein | at_least(0.8, strict=true)", "data": "sentences"},
    {"score": "damerau_levenshtein", "data": "sentences"},
    {"score": "indel | at_least(0.9)", "data": "sentences"},
    {"score": "gestalt", "data": "sentences"},
    {"score": "chrf", "data": "captions"},
    {"score": "chrf | at_least(0.8)", "data": "captions"},
    {"score": "bleu", "data": "captions"},
    {"score": "words | gleu", "data": "captions"},
    {"score": "meteor", "data": "captions"},
    {"score": 'rouge(variant="rouge1")', "data": "captions"},
    {"score": "casefold | words | bag_f1", "data": "sentences"},
    {"score": "ter", "data": "captions"},
    {"score": "to_list | equal", "data": "written"},
    {"score": "to_set | jaccard", "data": "lists"},
    {"score": "number | within(relative=0.01)", "data": "numbers"},
    {"score": "iou | at_least(0.5)", "data": "boxes"},
    {"score": "equal", "data": "dates", "metrics": ["mean", {"hits": "sum(score)"}, "accuracy(threshold=0.5)"]},
)
"""Usual scorers and figures, written as most people write them, each with the data that it is tried on."""

NAMES: Final = ("Ada", "Max", "Eva", "Ben", "Ida", "Tom", "Lea", "Jan", "Uwe", "Kim")
DATA: Final[dict[str, list[Any]]] = {
    "cities": ["Paris", "London", "Nairobi", "Lima", "Ottawa", "Canberra", "Helsinki", "Lisbon", "Bangkok", "Havana"],
    "sentences": [
        "renewable energy", "the harbour at night", "a letter from the mayor", "north of the river",
        "forty small boats", "rising sea levels", "an old stone bridge", "clean drinking water",
        "the second floor", "wind and solar power",
    ],
    "captions": [
        "a dog runs across the wet beach",
        "two children climb a very old tree",
        "the train leaves before the sun rises",
        "an empty boat drifts down the river",
        "people wait for the last bus home",
        "a red kite hangs over the village",
        "the baker opens his shop at four",
        "snow lies deep on the northern road",
        "a woman reads aloud to her cat",
        "three horses stand still in the rain",
    ],
    "rooms": ["room 12", "hall 7", "gate 40", "floor 3", "stage 9", "desk 15", "bay 22", "lane 6", "row 31", "box 8"],
    "numbers": ["12", "35", "250", "7", "1890", "64", "3.5", "480", "95", "16"],
    "dates": [
        "2021-03-17", "1999-12-31", "2004-07-04", "2015-01-09", "1987-05-23", "2020-02-29", "1969-07-20",
        "2011-11-11", "1945-05-08", "2023-10-02",
    ],
    "lists": [
        ["red", "blue"], ["oak", "elm", "ash"], ["one", "two", "three"], ["iron", "zinc"], ["rain", "snow"],
        ["salt", "sugar", "flour"], ["bus", "tram"], ["tea", "milk"], ["north", "south"], ["cup", "plate", "bowl"],
    ],
    "written": ["[1, 2]", "[3, 4, 5]", "[6]", "[7, 8]", "[9, 10]", "[11, 12]", "[14]", "[15, 16]", "[17]", "[19, 20]"],
    "maps": [{"name": name, "year": year} for name, year in zip(NAMES, range(1990, 2000), strict=True)],
    "boxes": [[place, place, place + 10, place + 20] for place in range(0, 400, 40)],
}  # fmt: skip
"""Ten plain references of each kind, none of them chosen so that a fault shows."""
