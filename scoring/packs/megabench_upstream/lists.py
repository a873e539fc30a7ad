"""MEGA-Bench as released: comparing sets and sequences, and measuring the similarity of strings and lists."""

from __future__ import annotations

from numbers import Number
from typing import Any

from rapidfuzz.distance import DamerauLevenshtein

from scoring.extensions.generation.bleu import compute_corpus_bleu, gleu
from scoring.extensions.generation.chinese import chinese_words
from scoring.packs.megabench_upstream.fields import zero_on_error
from scoring.packs.megabench_upstream.sets_as_lists import set_as_list
from scoring.primitives.printed import printed
from scoring.primitives.text.edit import check_size, similarities
from scoring.registry import batch, primitive
from scoring.result import Unscored
from scoring.values import Score

_IGNORED = str.maketrans("", "", " -\n\t_.")


@primitive
def megabench_upstream_upper_items(items: Any, /) -> Any:
    """Return every item in upper case; an item that has no upper case (a number, a tuple) can't be compared.

    Examples:
        >>> megabench_upstream_upper_items({"a"})
        {'A'}

    Source:
        MEGA-Bench, released code, set_equality_case_insensitive.
    """
    return {item.upper() for item in items}


@primitive
def megabench_upstream_lower_texts(items: Any, /) -> Any:
    """Return every string of a set in lower case, and other items unchanged.

    Examples:
        >>> megabench_upstream_lower_texts({"A"}), megabench_upstream_lower_texts({1})
        ({'a'}, {1})

    Source:
        MEGA-Bench, released code, str_set_equality_comma.
    """
    return {item.lower() if isinstance(item, str) else item for item in items}


@primitive
def megabench_upstream_without_mate(moves: Any, /) -> Any:
    """Return chess moves without one final `!` and then without one final `#`; a `+` stays, as released.

    Examples:
        >>> sorted(megabench_upstream_without_mate({"Qh5#!", "Ra1+"}))
        ['Qh5', 'Ra1+']

    Source:
        MEGA-Bench, released code, chess_move_list_jaccard_index.
    """
    return {move.removesuffix("!").removesuffix("#") for move in moves}


@primitive
def megabench_upstream_equal(prediction: Any, reference: Any, /) -> Score:
    """Return 1 for sets or lists that are equal by Python's rules (True equals 1, and 1 equals 1.0), else 0.

    Examples:
        >>> megabench_upstream_equal({1, "a"}, {True, "a"}), megabench_upstream_equal([1], [2])
        (1.0, 0.0)

    Source:
        MEGA-Bench, released code, set_equality and sequence_equality.
    """
    return 1.0 if prediction == reference else 0.0


@primitive
def megabench_upstream_jaccard(prediction: Any, reference: Any, /) -> Score:
    """Return the Jaccard index of two sets; the text `None`, not a set for the released code, counts as empty.

    Examples:
        >>> megabench_upstream_jaccard({1, 2}, {2, 3}), megabench_upstream_jaccard("", "")
        (0.3333333333333333, 1.0)

    Source:
        MEGA-Bench, released code, jaccard_index.
    """
    return _jaccard(set(prediction), set(reference))


@primitive
def megabench_upstream_jaccard_ignoring_case(prediction: Any, reference: Any, /) -> Score:
    """Return the Jaccard index in lower case, by the type of the reference's items.

    Strings are converted to lower case. In tuples every string is converted to lower case and loses spaces, hyphens,
    points and underscores. Items of another type score 0, and an empty reference can't be scored. Items of several
    types score 0, too: there the released code depends on chance.

    Examples:
        >>> megabench_upstream_jaccard_ignoring_case({"A", "b"}, {"a"})
        0.5

    Source:
        MEGA-Bench, released code, jaccard_index_case_insensitive.
    """
    kinds = {type(item) for item in reference}
    if not kinds:
        raise Unscored("the reference is empty, where the released code fails")
    if kinds == {str}:
        return _jaccard({printed(item).lower() for item in prediction}, {item.lower() for item in reference})
    if kinds != {tuple}:
        return 0.0
    try:
        return _jaccard({_plain(item) for item in prediction}, {_plain(item) for item in reference})
    except (AttributeError, TypeError):
        return 0.0


def _plain(item: Any) -> tuple[str, ...]:
    return tuple(str.translate(part.lower(), _IGNORED) for part in item)


def _jaccard(prediction: set[Any], reference: set[Any]) -> float:
    union = len(prediction | reference)
    return len(prediction & reference) / union if union else 1.0


@primitive
def megabench_upstream_precision(prediction: Any, reference: Any, /) -> Score:
    """Return the share of the answer's items that are in the reference; an empty answer, also `None`, scores 1.

    Examples:
        >>> megabench_upstream_precision({1, 9}, {1, 2}), megabench_upstream_precision("", {1})
        (0.5, 1.0)

    Source:
        MEGA-Bench, released code, set_precision.
    """
    return len(prediction & reference) / len(prediction) if prediction else 1.0


@primitive(revision=2)
def megabench_upstream_lower_as_text(items: Any, /) -> Any:
    """Return every string in lower case, and any other item as Python prints it.

    Examples:
        >>> megabench_upstream_lower_as_text([1, "A", None])
        ['1', 'a', 'None']

    Source:
        MEGA-Bench, released code, sequence_equality_case_insensitive.
    """
    return [item.lower() if isinstance(item, str) else printed(item) for item in set_as_list(items)]


@primitive
def megabench_upstream_lower_items(items: Any, /) -> Any:
    """Return every item in lower case; an item that has no lower case (a number) can't be compared.

    Examples:
        >>> megabench_upstream_lower_items(["A"])
        ['a']

    Source:
        MEGA-Bench, released code, sequence_equality_case_insensitive.
    """
    return [item.lower() for item in set_as_list(items)]


@primitive(revision=2)
def megabench_upstream_position_accuracy(prediction: Any, reference: Any, /) -> Score:
    """Return the share of positions with equal items; lists of different lengths score 0.

    Strings are compared in lower case, numbers by value; other items never count as equal.

    Examples:
        >>> megabench_upstream_position_accuracy(["a", "x"], ["A", "b"])
        0.5

    Source:
        MEGA-Bench, released code, sequence_accuracy_case_insensitive.
    """
    if len(prediction) != len(reference):
        return 0.0
    hits = 0
    for item, wanted in zip(prediction, reference, strict=True):
        if isinstance(wanted, str):
            hits += item.lower() == wanted.lower()
        elif isinstance(item, Number) and isinstance(wanted, Number):
            hits += item == wanted
    return hits / len(reference)


@primitive
def megabench_upstream_prefix_ratio(prediction: Any, reference: Any, /) -> Score:
    """Return the length of the common prefix divided by that of the reference; an empty reference can't be scored.

    Examples:
        >>> megabench_upstream_prefix_ratio([1, 2, 9], [1, 2, 3, 4])
        0.5

    Source:
        MEGA-Bench, released code, longest_common_list_prefix_ratio.
    """
    common = 0
    for item, wanted in zip(prediction, reference, strict=False):
        if item != wanted:
            break
        common += 1
    return common / len(reference)


@primitive(uses=("rapidfuzz",))
def megabench_upstream_similarity(prediction: Any, reference: Any, /) -> Score:
    """Return the Damerau-Levenshtein similarity of two strings, or of two lists item by item.

    Examples:
        >>> megabench_upstream_similarity("ab", "ba"), megabench_upstream_similarity(["x"], ["x", "y"])
        (0.5, 0.5)

    Source:
        MEGA-Bench, released code, normalized_similarity_damerau_levenshtein.
    """
    if type(prediction) is str is type(reference):
        check_size(prediction, reference)
        return DamerauLevenshtein.normalized_similarity(prediction, reference)
    if isinstance(reference, str) and not isinstance(prediction, str):
        return 0.0
    if hasattr(prediction, "__len__") and hasattr(reference, "__len__"):
        check_size(prediction, reference)
    return DamerauLevenshtein.normalized_similarity(prediction, reference)


@batch(megabench_upstream_similarity)
def _(predictions: list[Any], references: list[Any]) -> Any:
    if {*map(type, predictions), *map(type, references)} != {str}:
        raise TypeError("lists are compared one by one")
    return similarities("DamerauLevenshtein", predictions, references)


@primitive(uses=("numpy", "rapidfuzz"))
@zero_on_error
def megabench_upstream_swapped_bleu(prediction: object, reference: object, /) -> Score:
    """Return the BLEU of the reference against the response, since the released code swaps the two; mixed types give 0.

    Examples:
        >>> megabench_upstream_swapped_bleu("the cat sat", "the cat sat on the mat today") > 0
        True
        >>> megabench_upstream_swapped_bleu("the cat sat on the mat today", "the cat sat")
        0.0

    Source:
        MEGA-Bench, released code, bleu.
    """
    if isinstance(prediction, str) and isinstance(reference, str):
        return compute_corpus_bleu([reference], [prediction])
    if isinstance(prediction, (list, tuple)) and isinstance(reference, (list, tuple)):
        # The released library pairs the segments up to the end of the shorter list.
        size = min(len(prediction), len(reference))
        return compute_corpus_bleu(list(reference)[:size], list(prediction)[:size])
    return 0.0


@primitive(uses=("jieba", "numpy", "rapidfuzz"))
def megabench_upstream_chinese_gleu(prediction: object, reference: object, /) -> Score:
    """Return the GLEU over the words of two Chinese strings, segmented as for search; 0 if either is not a string.

    Examples:
        >>> megabench_upstream_chinese_gleu(None, "今天")
        0.0

    Source:
        MEGA-Bench, released code, gleu_cn.
    """
    if not isinstance(prediction, str) or not isinstance(reference, str):
        return 0.0
    return gleu(chinese_words(prediction, mode="search"), chinese_words(reference, mode="search"))
