"""Known faults of released metrics, each written anew as a small primitive; `bugs.yaml` says where each was.

They are registered when this file is imported, so only the process that prints the table imports it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scoring.metrics.summary import mean_of
from scoring.registry import RecordPath, primitive
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic
from scoring.values import Score


@primitive
def faulty_ends_with(prediction: str, reference: str, /) -> Score:
    """Compare the end of the answer.

    Examples:
        >>> faulty_ends_with("1. Qh5", "Qh5")
        1.0
    """
    return float(prediction.endswith(reference))


@primitive
def faulty_space_tokens(prediction: str, reference: str, /) -> Score:
    """Compare the words between single spaces.

    Examples:
        >>> faulty_space_tokens("a b", "A b")
        1.0
    """
    return float(prediction.lower().split(" ") == reference.lower().split(" "))


@primitive
def faulty_keyword_recall(prediction: str, reference: str, /) -> Score:
    """Count the words of the reference that stand in the answer.

    Examples:
        >>> faulty_keyword_recall("a b c", "a b")
        1.0
    """
    words = reference.lower().split()
    return sum(word in prediction.lower().split() for word in words) / max(1, len(words))


@primitive
def faulty_word_precision(prediction: str, reference: str, /) -> Score:
    """Count the words of the answer that stand in the reference, however often.

    Examples:
        >>> faulty_word_precision("the the the", "the cat sat")
        1.0
    """
    words = prediction.lower().split()
    return sum(word in reference.lower().split() for word in words) / max(1, len(words))


@primitive
def faulty_letters(prediction: str, reference: str, /) -> Score:
    """Compare sets that were meant to be of words.

    Examples:
        >>> faulty_letters("silent", "listen")
        1.0
    """
    one, other = set(prediction.lower()), set(reference.lower())
    return len(one & other) / max(1, len(one | other))


@primitive
def faulty_zip(prediction: list[Any], reference: list[Any], /) -> Score:
    """Compare two lists as far as the shorter one reaches.

    Examples:
        >>> faulty_zip(["a"], ["a", "b"])
        1.0
    """
    return float(all(one == other for one, other in zip(prediction, reference, strict=False)))


@primitive
def faulty_truth(prediction: str, reference: str, /) -> Score:
    """Compare whether two texts are true, as a language does that takes any text for true.

    Examples:
        >>> faulty_truth("False", "True")
        1.0
    """
    return float(bool(prediction) == bool(reference))


@primitive
def faulty_both_unreadable(prediction: str, reference: str, /) -> Score:
    """Compare numbers; what can't be read is None on either side.

    Examples:
        >>> faulty_both_unreadable("3/4", "1/2")
        1.0
    """

    def read(text: str) -> float | None:
        try:
            return float(text)
        except ValueError:
            return None

    return float(read(prediction) == read(reference))


@primitive
def faulty_first_letter(response: str, /) -> str:
    """Take the first capital letter of a response for the choice.

    Examples:
        >>> faulty_first_letter("B is right")
        'B'
    """
    return next((sign for sign in response if sign in "ABCD"), "")


@primitive(better="higher")
def faulty_mrr(rows: Rows, /, *, retrieved: RecordPath = "retrieved", relevant: RecordPath = "relevant") -> Statistic:
    """Average the reciprocal rank of the first relevant item, looked for in the wrong list.

    Args:
        retrieved: The ranking.
        relevant: What is relevant.

    Examples:
        >>> faulty_mrr(Rows.of_scores([1], retrieved=[[4, 2]], relevant=[[2]])).value()
        1.0
    """
    pairs = zip(rows.column(retrieved), rows.column(relevant), strict=True)
    found = [1.0 if any(item in gold for item in ranked) else 0.0 for ranked, gold in pairs]
    return mean_of(rows.ids, np.array(found))


@primitive(better="higher")
def faulty_hits(rows: Rows, /, *, retrieved: RecordPath = "retrieved", relevant: RecordPath = "relevant") -> Statistic:
    """Average the share of the relevant pages among the first ten, counted as often as they are named.

    Args:
        retrieved: The ranking.
        relevant: What is relevant.

    Examples:
        >>> faulty_hits(Rows.of_scores([1], retrieved=[[2, 2]], relevant=[[2]])).value()
        2.0
    """
    pairs = zip(rows.column(retrieved), rows.column(relevant), strict=True)
    found = [sum(item in gold for item in ranked[:10]) / max(1, len(gold)) for ranked, gold in pairs]
    return mean_of(rows.ids, np.array(found))


@primitive(better="higher")
def faulty_f1(rows: Rows, /, *, prediction: RecordPath = "response", reference: RecordPath = "reference") -> Statistic:
    """F1 of the label that comes first in the alphabet, taken for the positive one.

    Args:
        prediction: The predicted label.
        reference: The right label.

    Examples:
        >>> faulty_f1(Rows.of_scores([1], response=["a"], reference=["a"])).value()
        1.0
    """
    given, right = list(rows.column(prediction)), list(rows.column(reference))
    first = min(right, default="")
    hits = sum(one == other == first for one, other in zip(given, right, strict=True))
    both = given.count(first) + right.count(first)
    return mean_of(["all"], np.array([2 * hits / both if both else 0.0]))


@primitive(reads="scores", better="higher")
def faulty_last_batch(rows: Rows, /) -> Statistic:
    """The mean of the last batch of four, because each batch takes the place of the one before.

    Examples:
        >>> faulty_last_batch(Rows.of_scores([0, 1, 1, 1, 1])).value()
        1.0
    """
    return mean_of(list(rows.ids)[-4:], np.array(rows.values()[-4:]))


@primitive(reads="scores", better="higher")
def faulty_answered(rows: Rows, /) -> Statistic:
    """The share of records that were answered, taken for accuracy.

    Examples:
        >>> faulty_answered(Rows.of_scores([0, 1])).value()
        1.0
    """
    return mean_of(rows.ids, np.array(~np.isnan(rows.values()), dtype=np.float64))
