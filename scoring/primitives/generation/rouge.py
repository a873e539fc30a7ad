"""ROUGE: how much of a reference text occurs in a predicted one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from scoring.primitives.generation.rouge_scores import Rouge, against, orders_of
from scoring.primitives.generation.rouge_tokens import prepare
from scoring.registry import primitive
from scoring.result import Unscored
from scoring.values import Score


def rouge_scores(
    prediction: str,
    references: list[str],
    variants: Iterable[str] = ("rouge1", "rouge2", "rougeL", "rougeLsum"),
    *,
    stemmer: bool = False,
) -> dict[str, Rouge]:
    """Precision, recall and F-measure of every variant; for each, the reference with the best F-measure counts.

    Raises:
        Unscored: when there is no reference, or a variant is unknown.

    Examples:
        >>> rouge_scores("the cat sat", ["the cat"])["rouge1"]
        Rouge(precision=0.6666666666666666, recall=1.0, fmeasure=0.8)
    """
    if not references:
        raise Unscored("there is no reference text")
    predicted = prepare(prediction, stemmer)
    expected = [prepare(reference, stemmer) for reference in references]
    kinds = tuple(variants)
    orders = orders_of(kinds)
    best = against(predicted, expected[0], orders)
    for reference in expected[1:]:
        found = against(predicted, reference, orders)
        best = [new if new.fmeasure > old.fmeasure else old for new, old in zip(found, best, strict=True)]
    return dict(zip(kinds, best, strict=True))


@primitive(
    uses=("numpy", "rapidfuzz"),
    topics=("writing",),
    aka=("rouge-1", "rouge-2", "rouge-l", "rouge-lsum", "rouge score", "summarization", "longest common subsequence"),
)
def rouge(
    prediction: str,
    reference: str | list[str],
    /,
    *,
    variant: Literal[
        "rouge1", "rouge2", "rouge3", "rouge4", "rouge5", "rouge6", "rouge7", "rouge8", "rouge9", "rougeL", "rougeLsum"
    ] = "rougeL",
    stemmer: bool = False,
    measure: Literal["fmeasure", "precision", "recall"] = "fmeasure",
) -> Score:
    """ROUGE between a text and one or several references.

    Tokens are runs of a-z and 0-9 of the lower-cased text, so other scripts have none and score 0. ROUGE-N counts
    shared n-grams, ROUGE-L takes the longest common subsequence of the whole texts, ROUGE-Lsum joins the
    subsequences of their lines. Of several references the one with the best F-measure counts.

    Args:
        variant: Which ROUGE.
        stemmer: Whether words of more than three letters are stemmed (Porter).
        measure: What of the comparison is the score.

    Examples:
        >>> rouge("the cat sat", "the cat", variant="rouge1")
        0.8
        >>> rouge("running doors", ["a door", "run, door!"], variant="rouge2", stemmer=True)
        1.0

    Source:
        C.-Y. Lin, "ROUGE: a package for automatic evaluation of summaries", 2004; as used in
        Valor, text generation metrics.
    """
    found = rouge_scores(prediction, _listed(reference), (variant,), stemmer=stemmer)[variant]
    value: float = getattr(found, measure)
    return value


def _listed(reference: str | list[str]) -> list[str]:
    return [reference] if isinstance(reference, str) else list(reference)
