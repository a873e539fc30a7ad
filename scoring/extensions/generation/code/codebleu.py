"""CodeBLEU: n-grams of words, n-grams that weigh keywords, parts of syntax trees, and the flow of values."""

from __future__ import annotations

import contextlib
import math
from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any, TypeAlias

import numpy as np

from scoring.extensions.generation.bleu import brevity_penalty, closest_length
from scoring.extensions.generation.code.flow import flows
from scoring.extensions.generation.code.source import KEYWORDS, GrammarName, ParsedCode, StepsLeft, parser_of
from scoring.extensions.generation.metrics import TextStatistic, texts_compared
from scoring.extensions.generation.shared_grams import shared_grams
from scoring.extensions.generation.translation import references_of
from scoring.metrics.summary import AnsweredField, PredictionPath, ReferencePath
from scoring.ranges import ScoreRange
from scoring.registry import Doc, bounds, primitive
from scoring.result import Unscored
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic, added, of_sums
from scoring.values import Score

CodeLanguage: TypeAlias = Annotated[GrammarName, Doc("The programming language.")]
CodeWeights: TypeAlias = Annotated[
    tuple[float, ...],
    Doc(
        "The weights of n-grams, of n-grams with weights of keywords, of parts of syntax trees, and of flows of values."
    ),
]
EQUAL_WEIGHTS = (0.25, 0.25, 0.25, 0.25)
_ORDERS = 4
_COUNTS = 23
_EPSILON, _OF_OTHER_WORDS = 0.1, 0.2
_LENGTH_FOR_KEYWORDS = 2
"""What the brevity penalty of weighted n-grams takes for the length of each reference: the official code measures the
pair of a reference's words and their weights."""


@primitive(
    uses=("numpy", "rapidfuzz", "tree-sitter", "tree-sitter-java", "tree-sitter-python"),
    topics=("writing", "code"),
    aka=("code similarity", "similarity of programs", "abstract syntax tree match", "dataflow match"),
)
def codebleu(
    prediction: str, reference: str | list[str], /, *, language: CodeLanguage, weights: CodeWeights = EQUAL_WEIGHTS
) -> Score:
    """Return the CodeBLEU of a program against one or several references, the weighted sum of four figures.

    They are BLEU (white space separates words), the recall of n-grams in which keywords weigh five times as much as
    other words, the share of the references' parts of syntax trees that the program has, and the share of their flows
    of values. As in the official code, a reference without any flow gives 0 for the last figure. Syntax is that of
    today's grammars of tree-sitter.

    Raises:
        Unscored: when the extra `code` is not installed, the weights are not four, or a program is too long (50,000
            characters), too deep (150 levels of syntax) or takes too many steps.

    Examples:
        >>> try:
        ...     round(codebleu("x = a + b", "x = a + c", language="python"), 6)
        ... except Unscored:  # without the extra
        ...     0.83437
        0.83437

    Source:
        Ren et al., CodeBLEU: a Method for Automatic Evaluation of Code Synthesis, 2020, and its code in CodeXGLUE.
    """
    _check(weights)
    return _figure(code_counts(prediction, references_of(reference), language), weights)


@primitive(
    better="higher",
    uses=("numpy", "rapidfuzz", "tree-sitter", "tree-sitter-java", "tree-sitter-python"),
    topics=("writing", "code"),
    aka=("codexglue translation",),
)
def corpus_codebleu(
    rows: Rows,
    /,
    *,
    language: CodeLanguage,
    weights: CodeWeights = EQUAL_WEIGHTS,
    prediction: PredictionPath = None,
    reference: ReferencePath = None,
    field: AnsweredField = None,
) -> Statistic:
    """Return the CodeBLEU of a whole data set of programs: `codebleu` of the sums of its counts.

    A response that is not a string, or a program that is too long, too deep or too much work, counts as an empty one;
    a record with such a reference does not count.

    Examples:
        >>> rows = Rows.of_scores([1.0], response=["x = a + b"], reference=["x = a + c"])
        >>> try:
        ...     round(corpus_codebleu(rows, language="python").value(), 6)
        ... except Unscored:  # without the extra
        ...     0.83437
        0.83437

    Source:
        Ren et al., CodeBLEU: a Method for Automatic Evaluation of Code Synthesis, 2020, and its code in CodeXGLUE.
    """
    _check(weights)

    def finish(*sums: Any) -> Any:
        columns = np.atleast_2d(np.stack([np.asarray(part, dtype=float) for part in sums], axis=-1))
        found = np.array([_figure(row.tolist(), weights) if row.any() else np.nan for row in columns])
        return found if np.ndim(sums[0]) else found[0]

    parser_of(language)  # without it no record is read, which is no fault of theirs
    texts, missing = texts_compared(rows, prediction, reference, field)
    found = [(key, _counts_or_empty(text, references, language)) for key, text, references in texts]
    counted = [(key, counts) for key, counts in found if counts is not None]
    if len(counted) < len(found):
        missing = added(missing, {"a reference can't be compared": len(found) - len(counted)})
    keys, units = [key for key, _ in counted], [counts for _, counts in counted]
    return of_sums(finish, keys, units, width=_COUNTS, missing=missing, kind=TextStatistic)


def _counts_or_empty(text: str, references: list[str], language: GrammarName) -> list[float] | None:
    """Return the counts of a record: of an empty program if its own can't be compared, None if a reference can't."""
    for one in (text, ""):
        with contextlib.suppress(Unscored):
            return code_counts(one, references, language)
    return None


@bounds(codebleu)
def _(*, weights: Sequence[float] | None, **_: Any) -> ScoreRange:
    return _range(weights)


@bounds(corpus_codebleu)
def _(_of_scores: ScoreRange, /, *, weights: Sequence[float] | None, **_: Any) -> ScoreRange:
    return _range(weights)


def _range(weights: Sequence[float] | None) -> ScoreRange:
    if weights is None:
        return ScoreRange(-math.inf, math.inf)
    return ScoreRange(math.fsum(min(one, 0.0) for one in weights), math.fsum(max(one, 0.0) for one in weights))


def _check(weights: tuple[float, ...]) -> None:
    if len(weights) != 4:
        raise Unscored(f"CodeBLEU needs 4 weights, not {len(weights)}")


def code_counts(prediction: str, references: list[str], language: GrammarName) -> list[float]:
    """Return the counts of which CodeBLEU is computed, of one record: of n-grams that match and of all, by order, the
    lengths of program and reference; the same of weighted n-grams; parts of syntax trees that match and all; flows of
    values that match and all.

    Raises:
        Unscored: when tree-sitter is missing, or a program is too long, too deep or too much work.
    """
    prediction, references = prediction.strip(), [text.strip() for text in references]
    syntax, flow, program = [0, 0], [0, 0], prediction
    for text in references:
        work = StepsLeft()
        said, right = (ParsedCode.read(one, language, work) for one in (program, text))
        program = said.text  # the official code goes on with what it has removed comments from
        parts, wanted = {*said.subtrees()}, right.subtrees()
        syntax = [syntax[0] + sum(one in parts for one in wanted), syntax[1] + len(wanted)]
        made, needed = (Counter(flows(one, language, work)) for one in (said, right))
        flow = [flow[0] + (made & needed).total(), flow[1] + needed.total()]
    return [*_gram_counts(prediction, references, language), *syntax, *flow]


def _figure(counts: Sequence[float], weights: tuple[float, ...]) -> float:
    """Return the CodeBLEU of counts, or of sums of them."""
    matched, total, (length, closest) = counts[:4], counts[4:8], counts[8:10]
    recalled, whole, as_long = counts[10:14], counts[14:18], counts[18]
    figures = (
        _mean(matched, total) * brevity_penalty(round(length), round(closest)),
        _mean(recalled, whole) * brevity_penalty(round(length), round(as_long)),
        counts[19] / counts[20],
        counts[21] / counts[22] if counts[22] else 0.0,
    )
    return math.fsum(weight * figure for weight, figure in zip(weights, figures, strict=True))


def _mean(matched: Sequence[float], total: Sequence[float]) -> float:
    """Return the geometric mean of ratios, in which a tenth stands for no match; 0 without any common word."""
    if not matched[0]:
        return 0.0
    logs = (math.log((one or _EPSILON) / all_) for one, all_ in zip(matched, total, strict=True))
    return math.exp(math.fsum(logs) / len(total))


def _gram_counts(prediction: str, references: list[str], language: GrammarName) -> list[float]:
    """Return the counts of n-grams, and of weighted ones, see `code_counts`."""
    said, others = prediction.split(), [text.split() for text in references]
    length, orders = len(said), range(_ORDERS)
    counts = [*shared_grams(said, others, _ORDERS), *(max(1, length - place) for place in orders)]
    recalled, whole = [0.0] * _ORDERS, [0.0] * _ORDERS
    for words in others:
        matched = shared_grams(said, [words], _ORDERS)
        mine, theirs = Counter(said), Counter(words)
        for place in orders[1:]:
            recalled[place] += matched[place]
            whole[place] += max(1, len(words) - place)
        recalled[0] += _weighted(mine & theirs, KEYWORDS[language])
        whole[0] += max(1.0, _weighted(theirs, KEYWORDS[language]))
    return [*counts, length, closest_length(length, others), *recalled, *whole, _LENGTH_FOR_KEYWORDS]


def _weighted(words: Counter[str], keywords: frozenset[str]) -> float:
    return math.fsum(many * (1.0 if word in keywords else _OF_OTHER_WORDS) for word, many in words.items())
