"""ROUGE, BLEU and the scores of sacrebleu beside the libraries that define them, on texts of every length."""

from __future__ import annotations

import logging
import random
import warnings
from collections import Counter
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import scoring
from scoring.extensions.generation.bleu import _cut, bleu, bleu_tokens, tokens_13a
from scoring.extensions.generation.metrics import _edits_in_place, corpus_bleu, corpus_chrf, corpus_ter
from scoring.extensions.generation.rouge import rouge, rouge_of, stem, union_of_subsequences
from scoring.extensions.generation.sentence_bleu import sacrebleu_sentence
from scoring.extensions.generation.shared_grams import (
    encode,
    number_tokens,
    shared_count,
    shared_counts,
    shared_grams,
    shared_numbers,
)
from scoring.extensions.generation.translation import chrf, sacrebleu_metric, ter
from scoring.result import Unscored
from scoring.statistics.rows import Rows
from tests.support.waiting import cpu_time_below

TYPES = ["rouge1", "rouge2", "rouge3", "rougeL", "rougeLsum"]
WORDS = st.lists(st.sampled_from(["a", "b", "c", "run", "running", "the"]), max_size=12)


def text(chance: random.Random, longest: int, vocabulary: int, gaps: str = " \n") -> str:
    words = [f"w{chance.randrange(vocabulary)}" for _ in range(chance.randint(0, longest))]
    return "".join(word + (chance.choice(gaps) if chance.random() < 0.2 else " ") for word in words)


@pytest.mark.parametrize("seed", range(40))
def test_rouge_equals_rouge_score(seed: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scorer = pytest.importorskip("rouge_score.rouge_scorer").RougeScorer(TYPES, use_stemmer=bool(seed % 2))
    chance = random.Random(seed)
    for vocabulary in (2, 5, 40):
        # Texts beyond 60 tokens take the way over numbers instead of coded strings.
        longest = 260 if seed % 10 == 0 else 25
        prediction, reference = text(chance, longest, vocabulary), text(chance, longest, vocabulary)
        found = {kind: rouge_of(prediction, [reference], kind, bool(seed % 2)) for kind in TYPES}
        expected = scorer.score(reference, prediction)
        assert {kind: tuple(score) for kind, score in found.items()} == {k: tuple(v) for k, v in expected.items()}


@pytest.mark.parametrize("seed", range(40))
def test_bleu_equals_nltk(seed: int) -> None:
    module = pytest.importorskip("nltk.translate.bleu_score")
    smoothing = module.SmoothingFunction()
    chance = random.Random(seed)
    for vocabulary in (1, 3, 10):
        longest = 240 if seed % 10 == 0 else 14
        prediction = text(chance, longest, vocabulary)
        references = [text(chance, longest, vocabulary) for _ in range(chance.randint(1, 3))]
        weights = chance.choice([(0.25,) * 4, (1.0,), (0.5, 0.5), (0.2,) * 5, (0.0, 1.0)])
        for method in ("none", "method1", "method2", "method3", "method4", "method5", "method7"):
            function = None if method == "none" else getattr(smoothing, method)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected = module.sentence_bleu([r.split() for r in references], prediction.split(), weights, function)
            found = bleu(prediction, references, weights=weights, smoothing=method, tokenizer="whitespace", floor=0)
            assert found == expected, method


def counted(prediction: list[str], references: list[list[str]], n: int) -> int:
    def grams(words: list[str]) -> Counter[tuple[str, ...]]:
        return Counter(tuple(words[start : start + n]) for start in range(len(words) - n + 1))

    most: Counter[tuple[str, ...]] = Counter()
    for reference in references:
        most |= grams(reference)
    return (grams(prediction) & most).total()


@pytest.mark.property
@given(WORDS, st.lists(WORDS, min_size=1, max_size=3))
def test_both_ways_of_counting_shared_n_grams_count_them(prediction: list[str], references: list[list[str]]) -> None:
    expected = [counted(prediction, references, n) for n in range(1, 7)]
    assert shared_counts(*encode(prediction, references), 6) == expected
    numbers = number_tokens(prediction, references)
    assert shared_numbers(numbers, 6) == expected
    assert [shared_numbers(numbers, 6, first) for first in range(1, 7)] == [expected[n:] for n in range(6)]
    code, (first, *_) = encode(prediction, references[:1])
    assert [shared_count(code, first, n) for n in range(1, 7)] == [
        counted(prediction, references[:1], n) for n in range(1, 7)
    ]


def test_a_text_of_more_chunks_than_are_cached_has_their_tokens() -> None:
    chunks = [f"{place}.5,{place}-é" for place in range(50_001)]
    assert tokens_13a("\n".join(chunks)) == [token for chunk in chunks for token in tokens_13a(chunk)]
    assert bleu_tokens("\n".join(chunks)) == [token for chunk in chunks for token in bleu_tokens(chunk)]


SIGNS = st.text("ab1 9.,-$'&;\n\t\x1c\x1f\x85\xa0é\u0301猫<>", max_size=20)


@pytest.mark.property
@settings(max_examples=500)
@given(SIGNS)
@example("a, .b -\n1.5- &amp;lt; <skipped>, , 3-4")
def test_cutting_chunk_by_chunk_gives_the_tokens_of_the_whole(text: str) -> None:
    assert bleu_tokens(text) == _cut(text)
    assert (
        tokens_13a(text)
        == pytest.importorskip("sacrebleu.tokenizers.tokenizer_13a").Tokenizer13a()(text.rstrip()).split()
    )


def test_numbers_of_long_n_grams_do_not_overflow() -> None:
    chance = random.Random(2)
    words = [f"w{chance.randrange(3_000)}" for _ in range(5_000)]
    references = [words[:2_500] + words[2_510:], words[::-1]]
    assert shared_grams(words, references, 9) == [counted(words, references, n) for n in range(1, 10)]


@pytest.mark.property
@given(WORDS, st.lists(WORDS, max_size=3))
def test_subsequences_take_the_path_of_the_full_table(reference: list[str], others: list[list[str]]) -> None:
    union: set[int] = set()
    for other in others:
        union |= walk(reference, other)
    assert union_of_subsequences(reference, others) == sorted(union)


def walk(reference: list[str], other: list[str]) -> set[int]:
    """The plain dynamic programme and its way back."""
    table = [[0] * (len(other) + 1) for _ in range(len(reference) + 1)]
    for i, a in enumerate(reference, start=1):
        for j, b in enumerate(other, start=1):
            table[i][j] = table[i - 1][j - 1] + 1 if a == b else max(table[i - 1][j], table[i][j - 1])
    i, j, used = len(reference), len(other), set()
    while i and j:
        if reference[i - 1] == other[j - 1]:
            used.add(i - 1)
            i, j = i - 1, j - 1
        elif table[i][j - 1] > table[i - 1][j]:
            j -= 1
        else:
            i -= 1
    return used


@pytest.mark.property
@given(st.text(alphabet="abcdeinlsty", max_size=14))
def test_the_stemmer_is_nltks(word: str) -> None:
    stemmer = pytest.importorskip("nltk.stem.porter").PorterStemmer()
    if word:
        assert stem(word) == stemmer.stem(word)


SUFFIXES = "ational ization iveness logi alli fulli eed ied ies ying ement ion y ll".split()  # noqa: SIM905


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_stemmer_is_nltks_for_every_rule(suffix: str) -> None:
    stemmer = pytest.importorskip("nltk.stem.porter").PorterStemmer()
    for root in ("", "a", "tr", "oper", "sens", "theo", "contro", "hop", "adjust", "yy", "sky"):
        for tail in ("", "s", "ed", "ing", "ly"):
            word = root + suffix + tail
            assert stem(word) == stemmer.stem(word), word


PAIRS = [
    ("The dog bit the man.", ["The dog bit the man.", "The dog had bitten the man."]),
    ("It wasn't surprising.", ["No one was surprised."]),
    ("The man had just bitten him.", ["The man had bitten the dog.", "The man bit the dog."]),
    ("", ["Something."]),
    ("猫が好き", ["猫が好きです"]),
]


def rows() -> Rows:
    responses, references = zip(*PAIRS, strict=True)
    return Rows.of_scores([1.0] * len(PAIRS), response=list(responses), reference=list(references))


def columns() -> list[list[str | None]]:
    """sacrebleu's form: the first references of all, then the second ones, None where there is none."""
    return [[one[place] if place < len(one) else None for _, one in PAIRS] for place in range(2)]


def test_corpus_scores_equal_sacrebleu() -> None:
    sacrebleu = pytest.importorskip("sacrebleu")
    texts = [prediction for prediction, _ in PAIRS]
    for ours, theirs in (
        (corpus_bleu(rows()), sacrebleu.BLEU()),
        (corpus_bleu(rows(), smooth="floor", lowercase=True), sacrebleu.BLEU(smooth_method="floor", lowercase=True)),
        (corpus_chrf(rows()), sacrebleu.CHRF()),
        (corpus_chrf(rows(), words=2), sacrebleu.CHRF(word_order=2)),
        (corpus_ter(rows()), sacrebleu.TER()),
    ):
        assert ours.value() == pytest.approx(theirs.corpus_score(texts, columns()).score / 100, abs=1e-12)


@pytest.mark.parametrize("metric", [corpus_bleu, corpus_chrf, corpus_ter])
def test_corpus_scores_do_not_depend_on_how_the_data_was_split(metric: Any) -> None:
    pytest.importorskip("sacrebleu")
    whole = metric(rows())
    parts = [metric(rows().select([place])) for place in (3, 0, 4, 1, 2)]
    merged = parts[0]
    for part in parts[1:]:
        merged = merged.merge(part)
    assert merged.value() == whole.value()
    assert metric(rows().select([])).value() is None


def test_sentence_scores_equal_sacrebleu() -> None:
    sacrebleu = pytest.importorskip("sacrebleu")
    for prediction, references in PAIRS:
        for ours, theirs in (
            (sacrebleu_sentence, sacrebleu.BLEU(effective_order=True)),
            (chrf, sacrebleu.CHRF()),
            (ter, sacrebleu.TER()),
        ):
            expected = theirs.sentence_score(prediction, references).score / 100
            assert ours(prediction, references) == pytest.approx(expected, abs=1e-12)


def test_what_can_not_be_compared_is_unscored() -> None:
    for score in (rouge, bleu):
        with pytest.raises(Unscored):
            score("text", [])
    with pytest.raises(Unscored):
        bleu("text", "text", weights=())
    with pytest.raises(Unscored, match="rouge10"):
        rouge_of("a", ["a"], "rouge10")
    with pytest.raises(Unscored, match="too long"):
        ter("a " * 1_001, "a")


@pytest.mark.parametrize("hostile", ["a " * 200_000, "y" * 200_000, "\n" * 200_000, "\ud800" * 1_000, "." * 200_000])
def test_hostile_texts_end(hostile: str) -> None:
    logging.captureWarnings(False)
    for variant in ("rouge1", "rougeL", "rougeLsum"):
        assert 0 <= rouge(hostile, "a b\na c", variant=variant, stemmer=True) <= 1
    assert 0 <= bleu(hostile, "a b c d") <= 1


@pytest.mark.parametrize(
    ("prediction", "reference", "why"),
    [
        ("a" + "{'b':" * 400, "{'c':" * 400, "is too long for TER"),
        ("{'a': " * 200, "{'a': " * 200 + "b", "repeated words"),
        ("a b b " * 200, "b a b " * 200, "600 repeated words"),
        ("a " * 1_001, "a", "a text of 1,001 words is too long for TER"),
    ],
)
def test_ter_counts_the_words_that_it_compares(prediction: str, reference: str, why: str) -> None:
    with cpu_time_below(2):
        found = scoring.scorer("ter(normalized=true)").score(prediction, reference)
    assert found.status == "unscored"
    assert why in str(found.reason)
    task = scoring.load({"kind": "task", "name": "t", "score": "equal", "metrics": ["corpus_ter(normalized=true)"]})
    with cpu_time_below(5):
        (figure,) = task.evaluate([{"id": 1, "response": prediction, "reference": reference}]).summary["metrics"]
    assert figure["value"] > 0


def test_edits_without_shifts_are_never_fewer() -> None:
    metric = sacrebleu_metric("TER", normalized=False, case_sensitive=False)
    for text, references in (("b c a", ["a b c"]), ("a b", ["a b c", "d"]), ("", ["a"])):
        edits, words = _edits_in_place(metric, text, references)
        found = metric.sentence_score(text, references)
        assert (edits >= found.num_edits, words) == (True, found.ref_length)


def test_long_texts_with_short_references_have_a_rate() -> None:
    assert scoring.scorer("ter").score("a " * 900, "a b").status == "scored"
