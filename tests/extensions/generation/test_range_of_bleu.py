"""What BLEU may be at most follows from its smoothing and its weights."""

from __future__ import annotations

import math

import pytest

import scoring


@pytest.mark.parametrize(
    ("settings", "highest"),
    [
        ("", 1.0),
        ('smoothing="method4"', 1.0),
        ("weights=[1, 1]", 1.0),
        ('smoothing="method5"', 1.1167470964180197),
        ('smoothing="method7"', 1.1167470964180197),
        ('smoothing="method5", weights=[1]', 4 / 3),
        ('smoothing="method6"', math.inf),
        ("weights=[-1]", math.inf),
    ],
)
def test_the_best_text_reaches_the_range_of_bleu(settings: str, highest: float) -> None:
    """As NLTK has it, smoothing averages each precision with its neighbours, and with one that is more than it."""
    scorer = scoring.scorer(f"bleu({settings})")
    assert (scorer.range.low, scorer.range.high) == (0.0, pytest.approx(highest, rel=1e-15))
    best = scorer.score("a b c d e f g", "a b c d e f g")
    assert best.value == pytest.approx(min(highest, 1.0) if math.isinf(highest) else highest, rel=1e-15)
    task = scoring.load({"kind": "task", "name": "t", "score": f"bleu({settings})"})
    assert task.evaluate([{"id": 1, "response": "a b c d e", "reference": "a b c d e"}]).coverage == 1.0


def test_bleu_with_method_6_goes_beyond_1() -> None:
    references = ["a b c a", "b c a d", "c a d e", "a d e a"]
    assert scoring.scorer('bleu(smoothing="method6")').score("a b c a d e a", references).value == 1.0045026764786855
