"""The least that MEGA-Bench's and MMESGBench's rules cost on the answers that the table draws, written by hand.

A function imports what it needs when it is made, so that no import is measured.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isclose
from typing import Any

Function = Callable[[Any, Any], Any]
_ARTICLES = frozenset(("the", "a"))


def short(value: str) -> str:
    """The text without spaces, hyphens, full stops and case."""
    for gone in " -\n\t.":
        value = value.replace(gone, "")
    return value.lower()


def near() -> Function:
    """The similarity of two texts without articles and case, 0 below nine tenths."""
    from rapidfuzz.distance import DamerauLevenshtein

    similarity = DamerauLevenshtein.normalized_similarity

    def plain(value: str) -> str:
        return " ".join([word for word in value.lower().split(" ") if word not in _ARTICLES])

    return lambda one, other: similarity(plain(one), plain(other), score_cutoff=0.9)


def relative(one: str, other: str) -> float:
    """1 minus the relative difference of two numbers, not below 0."""
    wanted = float(other)
    return max(0.0, 1 - abs((float(one) - wanted) / wanted))


def windowed(one: str, other: str) -> float:
    """1 minus ten times the difference of two numbers, not below 0."""
    return 1 - min(abs(float(one) - float(other)), 0.1) / 0.1


def items(value: str) -> list[str]:
    """The items of a list of words as Python writes it."""
    return value[2:-2].split("', '")


def same_items(one: str, other: str) -> float:
    """Whether both lists have the same items."""
    return float(set(items(one)) == set(items(other)))


def shared_items(one: str, other: str) -> float:
    """The share of both that is in both, without case."""
    found, wanted = set(items(one.lower())), set(items(other.lower()))
    return len(found & wanted) / len(found | wanted)


def of_texts() -> Function:
    """Whether an answer has the reference in it; else its similarity to a letter of it, which the released code takes.

    That is a half at most for three letters, and for more of them it is 0.
    """
    from rapidfuzz.fuzz import ratio

    def score(reference: str, response: str) -> float:
        gold = reference.lower()
        answer = (response[: response.index("(")].rstrip() if "(" in response else response).lower()
        if gold in answer:
            return 1.0
        if len(answer) > 3 or gold[0].isdigit() or gold.startswith("page"):  # a month, or a page
            return 0.0
        near: float = max(ratio(answer, letter) for letter in gold) / 100
        return near if near >= 0.5 else 0.0

    return score


def of_wholes() -> Function:
    """Whether two whole numbers are equal."""

    def score(reference: str, response: str) -> float:
        try:
            return float(int(reference) == int(float(response)))
        except ValueError:
            return 0.0

    return score


def of_numbers() -> Function:
    """Whether two numbers are equal within a hundredth; either may be a percentage."""

    def score(reference: str, response: str) -> float:
        gold = float(reference)
        try:
            answer = float(response.strip("$%"))
        except ValueError:
            return 0.0
        return float(any(isclose(one, answer, rel_tol=0.01) for one in (gold, gold / 100, gold * 100)))

    return score


def of_nothing() -> Function:
    """Whether both are equal without case and brackets."""
    return lambda reference, response: float(response.partition("(")[0].strip().lower() == reference.lower())


def of_lists() -> Function:
    """The share of items that an item of the answer is like; similarities that can't be enough are not computed."""
    from difflib import SequenceMatcher

    from rapidfuzz.distance import LCSseq

    def alike(one: str, other: str) -> bool:
        if one == other:
            return True
        bound = LCSseq.similarity(one, other)
        return 2 * bound > 0.8 * (len(one) + len(other)) and SequenceMatcher(None, one, other).ratio() > 0.8

    def score(reference: str, response: str) -> float:
        golds, left = items(reference), items(response)
        if len(golds) != len(left):
            return 0.0
        for gold in golds:
            for place, one in enumerate(left):
                if alike(gold, one.strip()):
                    del left[place]
                    break
        return (len(golds) - len(left)) / len(golds)

    return score


def of_answers() -> Callable[[dict[str, Any]], float]:
    """MMESGBench's rule, by the kind of an answer."""
    kinds = {"Str": of_texts(), "Int": of_wholes(), "Float": of_numbers(), "None": of_nothing(), "List": of_lists()}
    return lambda row: float(kinds[row["answer_format"]](row["reference"], row["response"]))
