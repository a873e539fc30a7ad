"""ROUGE and sentence BLEU beside rouge_score, NLTK and sacrebleu, in one run: python benchmarks/text.py

Every tool scores the same pairs, short ones and ones of 400 words; the rounds take turns, and each tool's best round
counts (CPU time of this process). "cold" empties every tool's cache of texts and words before a round, "warm" does
not. Values are compared first.
"""

from __future__ import annotations

import json
import logging
import random
import sys
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.in_one_process import alternated  # the path is set above
from scoring.extensions.generation import bleu as our_bleu
from scoring.extensions.generation import rouge as rouge_module
from scoring.extensions.generation.bleu import bleu, bleu_tokens, mteval_bleu
from scoring.extensions.generation.rouge import rouge_of

TYPES = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
SYLLABLES = ("an", "bor", "ca", "den", "ed", "fi", "gar", "ing", "lo", "mer", "na", "pos", "ry", "ser", "ted", "ul")
Pair = tuple[str, str]


def make_pairs(count: int, shortest: int, longest: int, seed: int = 7) -> list[Pair]:
    """Sentences of so many words with edited copies; one in eight has several lines.

    Words are as frequent as in natural text (Zipf): the commonest is one in twelve.
    """
    chance = random.Random(seed)
    words = ["".join(chance.choices(SYLLABLES, k=chance.choice((1, 1, 2, 2, 3)))) for _ in range(2_000)]
    weights = [1 / (rank + 2) for rank in range(len(words))]

    def draw(size: int) -> list[str]:
        return chance.choices(words, weights, k=size)

    pairs = []
    for place in range(count):
        original = draw(chance.randint(shortest, longest))
        edited = [draw(1)[0] if chance.random() < 0.25 else word for word in original]
        join = "\n" if place % 8 == 0 else " "
        pairs.append((_text(edited, 9, join), _text(original, 7, join)))
    return pairs


def _text(words: list[str], cut: int, join: str) -> str:
    return join.join(" ".join(part).capitalize() + "." for part in (words[:cut], words[cut:]) if part)


def tools() -> tuple[dict[str, Callable[[list[Pair]], Any]], Callable[[], None]]:
    """The functions to time, by name, and one that empties all caches."""
    import sacrebleu
    from nltk.tokenize import RegexpTokenizer
    from nltk.translate.bleu_score import sentence_bleu
    from rouge_score import rouge_scorer
    from sacrebleu.tokenizers import tokenizer_13a, tokenizer_re

    plain, stemmed = rouge_scorer.RougeScorer(TYPES), rouge_scorer.RougeScorer(TYPES, use_stemmer=True)
    tokenize = RegexpTokenizer(r"\w+|\$[\d]+|[^\s\.]+").tokenize
    sacre = sacrebleu.BLEU(effective_order=True)

    def clear() -> None:
        rouge_module._cached.cache_clear()
        rouge_module._cached_pair.cache_clear()
        our_bleu._cached.cache_clear()
        our_bleu._chunks.clear()
        our_bleu._chunks_13a.clear()
        tokenizer_13a.Tokenizer13a.__call__.cache_clear()
        tokenizer_re.TokenizerRegexp.__call__.cache_clear()

    timed: dict[str, Callable[[list[Pair]], Any]] = {
        "scoring ROUGE": lambda pairs: [{kind: rouge_of(p, [r], kind) for kind in TYPES} for p, r in pairs],
        "rouge_score": lambda pairs: [plain.score(r, p) for p, r in pairs],
        "scoring ROUGE, stemmed": lambda pairs: [
            {kind: rouge_of(p, [r], kind, stemmer=True) for kind in TYPES} for p, r in pairs
        ],
        "rouge_score, stemmed": lambda pairs: [stemmed.score(r, p) for p, r in pairs],
        "scoring BLEU": lambda pairs: [bleu(p, r) for p, r in pairs],
        "scoring BLEU, 13a": lambda pairs: [mteval_bleu(p, r, effective_order=True) for p, r in pairs],
        "nltk": lambda pairs: [sentence_bleu([tokenize(r)], tokenize(p)) for p, r in pairs],
        "sacrebleu": lambda pairs: [sacre.sentence_score(p, [r]) for p, r in pairs],
        "scoring tokens only": lambda pairs: [(bleu_tokens(p), bleu_tokens(r)) for p, r in pairs],
    }
    return timed, clear


def compare(pairs: list[Pair], timed: dict[str, Callable[[list[Pair]], Any]]) -> dict[str, int]:
    """How many values differ from the peer's (exactly)."""
    different = {}
    for ours, peer in (("scoring ROUGE", "rouge_score"), ("scoring ROUGE, stemmed", "rouge_score, stemmed")):
        both = zip(timed[ours](pairs), timed[peer](pairs), strict=True)
        different[ours] = sum(tuple(a[kind]) != tuple(b[kind]) for a, b in both for kind in TYPES)
    both = zip(timed["scoring BLEU"](pairs), timed["nltk"](pairs), strict=True)
    different["scoring BLEU"] = sum(a != (0 if b < 1e-9 else b) for a, b in both)
    both = zip(timed["scoring BLEU, 13a"](pairs), timed["sacrebleu"](pairs), strict=True)
    different["scoring BLEU, 13a"] = sum(abs(a - b.score / 100) > 1e-9 for a, b in both)
    return different


def measure(pairs: list[Pair], rounds: int) -> dict[str, Any]:
    """Pairs per CPU second of every tool, cold and warm."""
    timed, clear = tools()
    result: dict[str, Any] = {"pairs": len(pairs), "different": compare(pairs, timed)}
    works = {name: partial(run, pairs) for name, run in timed.items()}
    for state, before in (("cold", clear), ("warm", None)):
        best = alternated(works, rounds, before=before)
        result[state] = {name: round(len(pairs) / seconds) for name, seconds in best.items()}
    return {**result, "ratios": ratios(result)}


def ratios(result: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Our speed over each peer's."""
    peers = {
        "ROUGE / rouge_score": ("scoring ROUGE", "rouge_score"),
        "ROUGE / rouge_score, stemmed": ("scoring ROUGE, stemmed", "rouge_score, stemmed"),
        "BLEU / nltk": ("scoring BLEU", "nltk"),
        "BLEU / sacrebleu": ("scoring BLEU", "sacrebleu"),
        "BLEU, 13a / sacrebleu": ("scoring BLEU, 13a", "sacrebleu"),
    }
    return {
        state: {name: round(result[state][ours] / result[state][peer], 1) for name, (ours, peer) in peers.items()}
        for state in ("cold", "warm")
    }


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    sizes = {"8 to 28 words": (make_pairs(400, 8, 28), 15), "400 words": (make_pairs(20, 400, 400), 7)}
    json.dump({name: measure(*given) for name, given in sizes.items()}, sys.stdout, indent=1)
    print()
