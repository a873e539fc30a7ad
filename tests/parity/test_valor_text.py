"""ROUGE and BLEU as Valor computes them: every golden pair, and the sample of our own, to the last bit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scoring.extensions.generation.bleu import bleu, bleu_tokens
from scoring.extensions.generation.rouge import rouge, rouge_of
from scoring.result import Unscored
from tests.support.golden import golden_dir, read_jsonl

SAMPLE = Path(__file__).parent / "data" / "text.jsonl"
WEIGHTS: dict[str, tuple[float, ...]] = {
    "bleu4_default": (0.25,) * 4, "bleu1": (1,), "bleu2": (0.5, 0.5), "bleu3": (1 / 3,) * 3, "bleu5": (0.2,) * 5,
    "only_bigrams": (0, 1), "skewed": (0.4, 0.3, 0.2, 0.1), "trigram_heavy": (0.1, 0.1, 0.8), "unnormalised": (1, 1),
}  # fmt: skip


def rows() -> Iterator[Any]:
    yield from read_jsonl(SAMPLE)
    folder = golden_dir()
    if folder is not None:
        yield from read_jsonl(folder / "valor" / "text.jsonl")


each = pytest.mark.parametrize("row", list(rows()), ids=lambda row: row["id"])


@each
def test_rouge(row: Any) -> None:
    for stemmer in (False, True):
        kinds = ("rouge1", "rouge2", "rougeL", "rougeLsum")
        found = {kind: rouge_of(row["prediction"], row["references"], kind, stemmer) for kind in kinds}
        expected = row["expected"]["rouge"]["use_stemmer" if stemmer else "no_stemmer"]
        assert {kind: score.fmeasure for kind, score in found.items()} == expected


@each
def test_rouge_precision_and_recall(row: Any) -> None:
    for variant, expected in row["expected"]["rouge_first_reference_prf"].items():
        found = [
            rouge(row["prediction"], row["references"][0], variant=variant, measure=measure)
            for measure in ("precision", "recall", "fmeasure")
        ]
        assert found == expected


@each
def test_bleu(row: Any) -> None:
    for name, expected in row["expected"]["bleu"].items():
        assert bleu(row["prediction"], row["references"], weights=WEIGHTS[name]) == expected, name
    if "bleu_tokens_prediction" in row["expected"]:
        assert bleu_tokens(row["prediction"]) == row["expected"]["bleu_tokens_prediction"]


@each
def test_smoothed_bleu(row: Any) -> None:
    for method, expected in row["expected"]["nltk_bleu4_smoothing_same_tokens"].items():
        if isinstance(expected, dict):
            with pytest.raises(Unscored):
                bleu(row["prediction"], row["references"], smoothing=method, floor=0)
        else:
            assert bleu(row["prediction"], row["references"], smoothing=method, floor=0) == expected, method
