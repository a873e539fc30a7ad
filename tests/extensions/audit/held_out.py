"""Twelve faults of released scorers, and ten sound scorers, by which no law of the audit was made.

They were written down before the audit was tried on them, so what it finds of them says what it finds of a scorer that
nobody has seen. Registered when this file is imported, as those of `planted.py`.
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
from tests.extensions.audit.planted import SOUND, described, numeral, words

HELD_OUT: Final[list[dict[str, Any]]] = []
"""Each fault as an entry of the table."""


def scorer(fault: str, data: str) -> Callable[[Callable[..., Any]], None]:
    """Plant a fault in a scorer, which is then tried on the data of that name."""

    def plant(function: Callable[..., Any]) -> None:
        primitive(described(function, fault, '"a", "a"'))
        HELD_OUT.append({"bug": fault, "score": function.__name__, "data": data})

    return plant


def figure(fault: str) -> Callable[[Callable[..., Any]], None]:
    """Plant a fault in a figure of scores."""

    def plant(function: Callable[..., Any]) -> None:
        primitive(reads="scores", better="higher")(described(function, fault, "Rows.of_scores([1])"))
        HELD_OUT.append({"bug": fault, "score": SOUND, "metrics": [function.__name__], "data": "foreign"})

    return plant


@scorer("units are dropped", "measures")
def held_out_units(prediction: str, reference: str, /) -> Score:
    found = [re.search(r"-?\d+(\.\d+)?", text) for text in (prediction, reference)]
    return float(all(found) and len({float(one[0]) for one in found if one}) == 1)


@scorer("a number above 1 is taken for percent", "shares")
def held_out_percent(prediction: str, reference: str, /) -> Score:
    one, other = (value / 100 if value > 1 else value for value in map(numeral, (prediction, reference)))
    return float(abs(one - other) < 1e-9)


@scorer("only the last line is read", "notes")
def held_out_last_line(prediction: str, reference: str, /) -> Score:
    one, other = (text.strip().splitlines()[-1:] for text in (prediction, reference))
    return float(one == other != [])


@scorer("of letters outside of ASCII the case still counts", "foreign")
def held_out_unicode_case(prediction: str, reference: str, /) -> Score:
    return float(prediction.encode().lower() == reference.encode().lower() != b"")


@scorer("nothing equals the text `None`", "optional")
def held_out_none(prediction: Any, reference: Any, /) -> Score:
    return float(str(prediction) == str(reference) != "")


@scorer("the comma of thousands is read as a decimal point", "thousands")
def held_out_comma(prediction: str, reference: str, /) -> Score:
    try:
        return float(float(prediction.replace(",", ".")) == float(reference.replace(",", ".")))
    except ValueError:
        return 0.0


@scorer("only the first two items are compared", "lists")
def held_out_two_items(prediction: list[Any], reference: list[Any], /) -> Score:
    return float(bool(prediction) and prediction[:2] == reference[:2])


@scorer("F1 of words counts each word once", "refrains")
def held_out_word_sets(prediction: str, reference: str, /) -> Score:
    one, other = set(words(prediction)), set(words(reference))
    return 2 * len(one & other) / max(1, len(one) + len(other))


@scorer("the letter of a choice may stand anywhere in the answer", "choices")
def held_out_choice(prediction: str, reference: str, /) -> Score:
    return float(bool(reference) and reference in prediction.upper())


@scorer("numbers are rounded to tens", "numbers")
def held_out_tens(prediction: str, reference: str, /) -> Score:
    one, other = numeral(prediction), numeral(reference)
    return float(abs(one) < 1e9 and one == one and other == other and round(one, -1) == round(other, -1))


@figure("equal scores are counted once")
def held_out_distinct(rows: Rows, /) -> Statistic:
    held = sorted(set(rows.values()))
    return mean_of([str(score) for score in held], np.array(held))


@figure("the last of three groups is forgotten")
def held_out_last_group(rows: Rows, /) -> Statistic:
    means = [float(np.mean(rows.values()[place::3])) for place in range(3) if len(rows.values()) > place]
    return mean_of([str(place) for place in range(2)], np.array((means or [0.0])[:2] * (2 if len(means) == 1 else 1)))


SOUND_UNSEEN: Final[tuple[dict[str, Any], ...]] = (
    {"score": "casefold | collapse_spaces | equal", "data": "measures"},
    {"score": "number | within(absolute=0.001)", "data": "shares"},
    {"score": "collapse_spaces | equal", "data": "notes"},
    {"score": "normalize_unicode | casefold | levenshtein", "data": "foreign"},
    {"score": "equal", "data": "optional"},
    {"score": "number | equal", "data": "thousands"},
    {"score": "match_in_order(equal)", "data": "lists"},
    {"score": "casefold | words | bag_f1", "data": "refrains"},
    {"score": "strip | upper | equal", "data": "choices"},
    {
        "score": "casefold | equal",
        "data": "foreign",
        "metrics": ["mean", {"balanced": "mean(per(record.group, mean(score)))"}],
    },
)
"""Sound scorers and figures, as people write them for such data."""

UNSEEN: Final[dict[str, list[Any]]] = {
    "measures": ["12 km", "3.5 kg", "40 m", "250 ml", "7 h", "18 cm", "95 kg", "60 min", "2 l", "400 g"],
    "shares": ["0.12", "0.35", "0.5", "0.07", "0.89", "0.64", "0.035", "0.48", "0.95", "0.16"],
    "notes": [
        "sum of rows\n12", "sum of columns\n35", "mean of rows\n7", "mean of columns\n64", "greatest row\n95",
        "greatest column\n16", "least row\n2", "least column\n48", "number of rows\n10", "number of columns\n23",
    ],
    "foreign": ["Zürich", "Århus", "Łódź", "Málaga", "Ōsaka", "Évry", "Čadca", "Ñemby", "Ústí", "Übach"],
    "optional": ["red", "None", "blue", "green", "None", "white", "black", "pink", "grey", "brown"],
    "thousands": ["1,234", "12,500", "890", "4,096", "77", "230,000", "5,120", "64", "1,890", "31"],
    "refrains": [
        "row row row your boat", "rain rain go away", "round and round it goes", "tell me tell me why",
        "day after day", "never say never again", "over and over we sing", "home sweet home",
        "more and more people came", "step by step by step",
    ],
    "choices": ["A", "C", "B", "D", "A", "B", "D", "C", "B", "A"],
}  # fmt: skip
"""Ten plain references of each kind."""
